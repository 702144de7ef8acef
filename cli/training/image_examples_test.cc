#include "cli/training/image_examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jpeglib.h>
#include <png.h>
#include <zlib.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/training/idx.h"
#include "cli/training/picture.h"

namespace tacit::training {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ImageExamples : public ::testing::Test {
 protected:
  ImageExamples() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tacit-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~ImageExamples() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path write(const std::string& name,
                                            const std::string& bytes) const {
    const auto path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  // A picture of 2 by 2 pixels in one color.
  [[nodiscard]] std::filesystem::path write_png(const std::string& name,
                                                std::array<std::uint8_t, 3> color) const {
    const auto path = write(name, "");
    std::string pixels;
    for (int i = 0; i < 4; ++i) pixels.append(color.begin(), color.end());
    png_image image = {};
    image.version = PNG_IMAGE_VERSION;
    image.width = image.height = 2;
    image.format = PNG_FORMAT_RGB;
    EXPECT_NE(png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr), 0);
    return path;
  }

  // A gray picture of 16 by 16 pixels.
  [[nodiscard]] std::filesystem::path write_jpeg(const std::string& name, std::uint8_t gray) const {
    const auto path = write(name, "");
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    jpeg_compress_struct encoder = {};
    jpeg_error_mgr errors = {};
    encoder.err = jpeg_std_error(&errors);
    jpeg_create_compress(&encoder);
    jpeg_stdio_dest(&encoder, file);
    encoder.image_width = encoder.image_height = 16;
    encoder.input_components = 1;
    encoder.in_color_space = JCS_GRAYSCALE;
    jpeg_set_defaults(&encoder);
    jpeg_start_compress(&encoder, TRUE);
    std::array<std::uint8_t, 16> line{};
    line.fill(gray);
    JSAMPROW row = line.data();
    while (encoder.next_scanline < encoder.image_height) jpeg_write_scanlines(&encoder, &row, 1);
    jpeg_finish_compress(&encoder);
    jpeg_destroy_compress(&encoder);
    std::fclose(file);
    return path;
  }

  std::filesystem::path folder_;
};

std::string idx(const std::string& header, const std::string& bytes) { return header + bytes; }

const std::string kTwoImages("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02", 16);
const std::string kTwoLabels("\0\0\x08\x01\0\0\0\x02", 8);

TEST_F(ImageExamples, AreReadFromIdxFilesAndScaled) {
  const IdxSource source{.images = write("i", idx(kTwoImages, "abcd")),
                         .labels = write("l", idx(kTwoLabels, std::string("\1\0", 2)))};
  const DataSection data{.source = source, .classes = 2, .image = {.channels = 1}};
  const auto read = read_idx_examples(source, data);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_THAT(read->shape, ElementsAre(1, 1, 2));
  EXPECT_THAT(read->labels, ElementsAre(1, 0));
  EXPECT_THAT(std::get<1>(read->values), ElementsAre('a', 'b', 'c', 'd'));
  // Bytes from 0 to 255 become numbers from -1 to 1.
  EXPECT_FLOAT_EQ(255 * read->scale[0] + read->shift[0], 1);
  EXPECT_FLOAT_EQ(read->shift[0], -1);
}

TEST_F(ImageExamples, LabelsOutOfRangeAreRefused) {
  const IdxSource source{.images = write("i", idx(kTwoImages, "abcd")),
                         .labels = write("l", idx(kTwoLabels, "\1\2"))};
  const DataSection data{.source = source, .classes = 2, .image = {.channels = 1}};
  const auto read = read_idx_examples(source, data);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().what, HasSubstr("no class from 0 to 1"));
  const auto exchanged =
      read_idx_examples({.images = source.labels, .labels = source.images}, data);
  ASSERT_FALSE(exchanged);
  EXPECT_THAT(exchanged.error().what, HasSubstr("no images"));
}

TEST_F(ImageExamples, DamagedIdxFilesAreRefused) {
  EXPECT_THAT(read_idx(write("a", "no")).error().what, HasSubstr("no IDX file"));
  EXPECT_THAT(read_idx(write("b", kTwoImages.substr(0, 10))).error().what, HasSubstr("header"));
  EXPECT_THAT(read_idx(write("c", kTwoImages + "abc")).error().what, HasSubstr("ends early"));
  EXPECT_THAT(read_idx(write("d", kTwoImages + "abcde")).error().what, HasSubstr("longer"));
  const std::string huge("\0\0\x08\x02\x7f\xff\xff\xff\x7f\xff\xff\xff", 12);
  EXPECT_THAT(read_idx(write("e", huge)).error().what, HasSubstr("absurd"));
  EXPECT_FALSE(read_idx(folder_ / "absent"));
}

TEST_F(ImageExamples, CompressedIdxFilesAreRead) {
  const auto path = folder_ / "i.gz";
  const gzFile file = gzopen(path.c_str(), "wb");
  const std::string bytes = kTwoImages + "abcd";
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  const auto read = read_idx(path);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_THAT(read->sizes, ElementsAre(2, 1, 2));
}

TEST_F(ImageExamples, AreReadFromFoldersChannelByChannel) {
  (void)write_png("pets/cat/1.png", {10, 20, 30});
  (void)write_png("pets/dog/1.PNG", {40, 50, 60});
  const FolderSource source{.folder = folder_ / "pets"};
  const DataSection data{.source = source, .image = {.height = 2, .width = 2}};
  const auto read = read_folder_examples(source, data, {});
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_THAT(read->classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(read->labels, ElementsAre(0, 1));
  EXPECT_THAT(read->shape, ElementsAre(3, 2, 2));
  const auto& bytes = std::get<1>(read->values);
  ASSERT_EQ(bytes.size(), 24U);
  EXPECT_EQ(bytes[0], 10);
  EXPECT_EQ(bytes[4], 20);
  EXPECT_EQ(bytes[8], 30);
  EXPECT_EQ(bytes[12], 40);
}

TEST_F(ImageExamples, FoldersAreRefusedByTheNameOfTheFile) {
  (void)write_png("pets/cat/1.png", {10, 20, 30});
  (void)write_png("pets/dog/1.png", {40, 50, 60});
  const FolderSource source{.folder = folder_ / "pets"};
  DataSection data{.source = source, .image = {.height = 2, .width = 3}};
  EXPECT_THAT(read_folder_examples(source, data, {}).error().what, HasSubstr("is 2 by 2"));
  data.image.width = 2;
  data.class_names = {"cat"};
  EXPECT_THAT(read_folder_examples(source, data, {}).error().what, HasSubstr("'dog' is no class"));
  data.class_names.clear();
  const auto text = write("pets/dog/notes.txt", "x");
  EXPECT_EQ(read_folder_examples(source, data, {}).error().where, text.string());
}

TEST_F(ImageExamples, JpegFilesAreReadInGrayAndColor) {
  const auto path = write_jpeg("a.jpg", 77);
  const auto gray = read_jpeg(path, 1);
  ASSERT_TRUE(gray) << gray.error().message();
  EXPECT_EQ(gray->bytes.size(), 256U);
  EXPECT_NEAR(gray->bytes[0], 77, 2);
  const auto color = read_jpeg(path, 3);
  ASSERT_TRUE(color) << color.error().message();
  EXPECT_EQ(color->bytes.size(), 768U);
  EXPECT_NEAR(color->bytes[767], 77, 2);
}

TEST_F(ImageExamples, DamagedPicturesAreRefused) {
  EXPECT_THAT(read_jpeg(write("a.jpg", "no picture"), 3).error().what, HasSubstr("damaged"));
  EXPECT_THAT(read_png(write("a.png", "no picture"), 3).error().what, HasSubstr("damaged"));
  // Cut short, a viewer would fill up with gray.
  const auto jpeg = write_jpeg("b.jpg", 9);
  std::filesystem::resize_file(jpeg, std::filesystem::file_size(jpeg) - 12);
  EXPECT_THAT(read_jpeg(jpeg, 1).error().what, HasSubstr("damaged"));
  const auto png = write_png("b.png", {1, 2, 3});
  std::filesystem::resize_file(png, std::filesystem::file_size(png) - 20);
  EXPECT_THAT(read_png(png, 3).error().what, HasSubstr("damaged"));
}

}  // namespace
}  // namespace tacit::training
