#include <fmt/format.h>
#include <png.h>

#include "cli/training/picture.h"

namespace tacit::training {

Result<Picture> read_png(const std::filesystem::path& path, std::int64_t channels) {
  const auto damaged = [&](const png_image& image) {
    return bad_input(fmt::format("the picture is damaged: {}", image.message), path.string(),
                     "replace the file, or take it out of the folder");
  };
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) return damaged(image);
  image.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  Picture out{.height = image.height, .width = image.width, .channels = channels, .bytes = {}};
  out.bytes.resize(PNG_IMAGE_SIZE(image));
  // What shines through is black.
  const png_color black = {};
  const int status = png_image_finish_read(&image, &black, out.bytes.data(), 0, nullptr);
  png_image_free(&image);
  const bool was_warned = (image.warning_or_error & PNG_IMAGE_WARNING) != 0;
  if (status == 0 || was_warned) return damaged(image);
  return out;
}

}  // namespace tacit::training
