#include <fmt/format.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <memory>
#include <string>

// Needs what <cstdio> declares, and does not say so.
#include <jpeglib.h>

#include "cli/training/picture.h"

namespace tacit::training {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// libjpeg reports failures by a jump, so that no object may live between here and there.
struct Failure {
  jpeg_error_mgr base;
  std::jmp_buf jump;
  std::array<char, JMSG_LENGTH_MAX> text;
};

[[noreturn]] void fail(j_common_ptr decoder) {
  auto* const failure = reinterpret_cast<Failure*>(decoder->err);
  decoder->err->format_message(decoder, failure->text.data());
  std::longjmp(failure->jump, 1);
}

// A warning (level -1) means that the data is damaged and was made up; what is above is chatter.
void refuse_warnings(j_common_ptr decoder, int level) {
  if (level < 0) fail(decoder);
}

// Whether `picture` was filled; else `failure` says why. No local but the decoder lives here.
bool decode(std::FILE* file, jpeg_decompress_struct& decoder, Failure& failure, Picture& picture) {
  decoder.err = jpeg_std_error(&failure.base);
  failure.base.error_exit = fail;
  failure.base.emit_message = refuse_warnings;
  if (setjmp(failure.jump) != 0) return false;
  jpeg_create_decompress(&decoder);
  jpeg_stdio_src(&decoder, file);
  jpeg_read_header(&decoder, TRUE);
  decoder.out_color_space = picture.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_start_decompress(&decoder);
  picture.height = decoder.output_height;
  picture.width = decoder.output_width;
  picture.bytes.resize(std::size_t{decoder.output_height} * decoder.output_width *
                       static_cast<std::size_t>(decoder.output_components));
  while (decoder.output_scanline < decoder.output_height) {
    JSAMPROW row = picture.bytes.data() + std::size_t{decoder.output_scanline} *
                                              decoder.output_width *
                                              static_cast<std::size_t>(decoder.output_components);
    jpeg_read_scanlines(&decoder, &row, 1);
  }
  jpeg_finish_decompress(&decoder);
  return true;
}

}  // namespace

Result<Picture> read_jpeg(const std::filesystem::path& path, std::int64_t channels) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) return bad_input("the picture cannot be read", path.string(), "may you read it?");
  Picture out{.channels = channels};
  jpeg_decompress_struct decoder = {};
  Failure failure = {};
  const bool is_whole = decode(file.get(), decoder, failure, out);
  jpeg_destroy_decompress(&decoder);
  if (is_whole) return out;
  return bad_input(fmt::format("the picture is damaged: {}", failure.text.data()), path.string(),
                   "replace the file, or take it out of the folder");
}

}  // namespace tacit::training
