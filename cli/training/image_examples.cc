#include "cli/training/image_examples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/training/idx.h"
#include "cli/training/picture.h"
#include "cli/training/resize.h"

namespace tacit::training {
namespace {

// (byte / 255 - mean) / deviation, as a factor and a summand for each channel.
void set_scale(const ImageFacts& facts, Examples& examples) {
  const auto of_channel = [](const std::vector<double>& values, std::size_t channel) {
    return values.size() == 1 ? values.front() : values[channel];
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(facts.channels); ++i) {
    const double deviation = of_channel(facts.deviation, i);
    examples.scale.push_back(static_cast<float>(1 / (255 * deviation)));
    examples.shift.push_back(static_cast<float>(-of_channel(facts.mean, i) / deviation));
  }
}

struct NamedPicture {
  std::filesystem::path file;
  std::int64_t label = 0;
};

enum class Format : std::uint8_t { kNone, kJpeg, kPng };

Format format_of(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".jpg" || ending == ".jpeg") return Format::kJpeg;
  return ending == ".png" ? Format::kPng : Format::kNone;
}

Result<std::vector<std::filesystem::path>> sorted_content(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!entry.path().filename().string().starts_with('.')) out.push_back(entry.path());
  }
  if (error) {
    return bad_input(fmt::format("the folder cannot be read: {}", error.message()), folder.string(),
                     "is it there, and may you read it?");
  }
  std::ranges::sort(out);
  return out;
}

Result<std::vector<std::string>> class_names(const std::filesystem::path& folder,
                                             const std::vector<std::string>& declared) {
  TACIT_ASSIGN_OR_RETURN(const auto content, sorted_content(folder));
  std::vector<std::string> names = declared;
  for (const auto& path : content) {
    if (!is_directory(path)) continue;
    const std::string name = path.filename().string();
    if (declared.empty()) names.push_back(name);
    if (!declared.empty() && std::ranges::find(declared, name) == declared.end()) {
      return bad_input(fmt::format("the folder '{}' is no class", name), folder.string(),
                       fmt::format("'classes' declares: {}", fmt::join(declared, ", ")));
    }
  }
  if (names.size() >= 2) return names;
  return bad_input("there must be a folder for each class, and two classes at least",
                   folder.string(), "for example: train/cat/1.jpg, train/dog/1.jpg");
}

Result<std::vector<NamedPicture>> pictures_of(const std::filesystem::path& folder,
                                              const std::vector<std::string>& classes) {
  std::vector<NamedPicture> out;
  for (std::size_t label = 0; label < classes.size(); ++label) {
    std::error_code error;
    if (!std::filesystem::exists(folder / classes[label], error)) continue;
    TACIT_ASSIGN_OR_RETURN(auto files, sorted_content(folder / classes[label]));
    for (auto& file : files) {
      if (format_of(file) == Format::kNone) {
        return bad_input("the file is neither JPEG nor PNG", file.string(),
                         "take it out of the folder: names end in .jpg, .jpeg or .png");
      }
      out.push_back({.file = std::move(file), .label = static_cast<std::int64_t>(label)});
    }
  }
  return out;
}

Result<Picture> fitted(Picture picture, const ImageFacts& facts,
                       const std::filesystem::path& file) {
  if (picture.height == facts.height && picture.width == facts.width) return picture;
  if (facts.fit != Fit::kExact) return resized(picture, facts.height, facts.width, facts.fit);
  return bad_input(fmt::format("the picture is {} by {}, and 'size' says {} by {}", picture.height,
                               picture.width, facts.height, facts.width),
                   file.string(),
                   "correct 'size', or let pictures be made to fit: resize = \"crop\", or "
                   "\"stretch\"");
}

// Pixels with their channels side by side, as planes behind each other.
void append_planes(const Picture& picture, std::vector<std::uint8_t>& out) {
  const auto channels = static_cast<std::size_t>(picture.channels);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    for (std::size_t at = channel; at < picture.bytes.size(); at += channels) {
      out.push_back(picture.bytes[at]);
    }
  }
}

}  // namespace

Result<Examples> read_idx_examples(const IdxSource& source, const DataSection& data) {
  TACIT_ASSIGN_OR_RETURN(IdxBytes images, read_idx(source.images));
  TACIT_ASSIGN_OR_RETURN(const IdxBytes labels, read_idx(source.labels));
  if (images.sizes.size() != 3) {
    return bad_input("these are no images: the file must have three dimensions",
                     source.images.string(), "images and labels may have been exchanged");
  }
  if (labels.sizes.size() != 1 || labels.sizes.front() != images.sizes.front()) {
    return bad_input(
        "there must be one label for each image", source.labels.string(),
        fmt::format("{} has {} images", source.images.filename().string(), images.sizes.front()));
  }
  if (std::ranges::any_of(labels.bytes,
                          [&](std::uint8_t label) { return label >= data.classes; })) {
    return bad_input(fmt::format("a label is no class from 0 to {}", data.classes - 1),
                     source.labels.string(), "correct 'classes', or the file");
  }
  Examples out{.shape = {1, images.sizes[1], images.sizes[2]},
               .values = std::move(images.bytes),
               .scale = {},
               .shift = {},
               .labels = {labels.bytes.begin(), labels.bytes.end()},
               .classes = {}};
  for (std::int64_t i = 0; i < data.classes; ++i) out.classes.push_back(std::to_string(i));
  set_scale(data.image, out);
  return out;
}

Result<Examples> read_folder_examples(const FolderSource& source, const DataSection& data,
                                      const Progress& progress) {
  const ImageFacts& facts = data.image;
  Examples out{.shape = {facts.channels, facts.height, facts.width}};
  TACIT_ASSIGN_OR_RETURN(out.classes, class_names(source.folder, data.class_names));
  TACIT_ASSIGN_OR_RETURN(const auto pictures, pictures_of(source.folder, out.classes));
  std::vector<std::uint8_t> bytes;
  bytes.reserve(pictures.size() *
                static_cast<std::size_t>(facts.channels * facts.height * facts.width));
  for (const NamedPicture& each : pictures) {
    const auto read = format_of(each.file) == Format::kJpeg ? read_jpeg : read_png;
    TACIT_ASSIGN_OR_RETURN(Picture picture, read(each.file, facts.channels));
    TACIT_ASSIGN_OR_RETURN(picture, fitted(std::move(picture), facts, each.file));
    append_planes(picture, bytes);
    out.labels.push_back(each.label);
    if (progress) progress(out.labels.size(), pictures.size());
  }
  out.values = std::move(bytes);
  set_scale(facts, out);
  return out;
}

}  // namespace tacit::training
