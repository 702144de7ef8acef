#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/training/config_sections_internal.h"

namespace tacit::training {
namespace {

constexpr Words<MissingValues, 2> kMissing = {
    {{"leave out", MissingValues::kLeaveOut}, {"middle", MissingValues::kMiddle}}};
constexpr Words<Fit, 3> kFits = {
    {{"exact", Fit::kExact}, {"stretch", Fit::kStretch}, {"crop", Fit::kCrop}}};

std::filesystem::path path(const std::filesystem::path& folder, const std::string& text) {
  return (folder / text).lexically_normal();
}

// One of: a table, two IDX files, a folder.
Result<Source> read_source(const Section& from, const std::filesystem::path& folder) {
  TACIT_ASSIGN_OR_RETURN(const auto table, from.text("table", "people"));
  TACIT_ASSIGN_OR_RETURN(const auto images, from.text("images", "train-images.gz"));
  TACIT_ASSIGN_OR_RETURN(const auto labels, from.text("labels", "train-labels.gz"));
  TACIT_ASSIGN_OR_RETURN(const auto pictures, from.text("folder", "train"));
  const int ways = int{table.has_value()} + int{images || labels} + int{pictures.has_value()};
  if (ways == 1 && table) return TableSource{.table = *table};
  if (ways == 1 && pictures) return FolderSource{.folder = path(folder, *pictures)};
  if (ways == 1 && images && labels) {
    return IdxSource{.images = path(folder, *images), .labels = path(folder, *labels)};
  }
  return from.refuse("must say where the examples are, in one way",
                     "write table = \"people\" (of tacit.toml), or images = ... with labels = "
                     "... (IDX files), or folder = \"train\"");
}

Result<void> refuse_keys(const Section& from, std::initializer_list<std::string_view> keys,
                         std::string_view of, std::string_view remedy) {
  for (const std::string_view key : keys) {
    if (from.has(key)) {
      return from.refuse(key, fmt::format("'{}' is said of {}", key, of), std::string(remedy));
    }
  }
  return {};
}

Result<void> read_columns(const Section& from, TableSource& out) {
  TACIT_RETURN_IF_ERROR(
      refuse_keys(from, {"classes", "size", "resize", "color", "mean", "deviation"}, "images",
                  "classes and ranges of a table stand in tacit.toml; take it out"));
  TACIT_ASSIGN_OR_RETURN(const auto label, from.text("label", "income"));
  if (!label) return from.refuse("must name the column to be told", "label = \"income\"");
  out.label = *label;
  TACIT_ASSIGN_OR_RETURN(auto features, from.texts("features"));
  set(out.features, std::move(features));
  TACIT_ASSIGN_OR_RETURN(const auto missing, from.choice("missing", kMissing));
  set(out.missing, missing);
  return {};
}

Result<void> read_folder_facts(const Section& from, DataSection& out) {
  constexpr std::int64_t kLargestSide = 1 << 14;
  TACIT_ASSIGN_OR_RETURN(const auto size, from.counts("size"));
  if (!size || size->size() != 2 || std::ranges::max(*size) > kLargestSide) {
    return from.refuse("must say the size of the images, height and width",
                       "for example: size = [32, 32]");
  }
  out.image.height = size->front();
  out.image.width = size->back();
  TACIT_ASSIGN_OR_RETURN(const auto fit, from.choice("resize", kFits));
  set(out.image.fit, fit);
  TACIT_ASSIGN_OR_RETURN(const auto color, from.truth("color"));
  out.image.channels = color.value_or(true) ? 3 : 1;
  TACIT_ASSIGN_OR_RETURN(auto names, from.texts("classes"));
  set(out.class_names, std::move(names));
  return {};
}

Result<void> read_scale(const Section& from, ImageFacts& out) {
  TACIT_ASSIGN_OR_RETURN(auto mean, from.numbers("mean"));
  TACIT_ASSIGN_OR_RETURN(auto deviation, from.numbers("deviation"));
  set(out.mean, std::move(mean));
  set(out.deviation, std::move(deviation));
  const auto fits = [&](const std::vector<double>& values) {
    return values.size() == 1 || values.size() == static_cast<std::size_t>(out.channels);
  };
  if (!fits(out.mean)) {
    return from.refuse("mean", "'mean' needs one number, or one a channel", "mean = 0.5");
  }
  if (!fits(out.deviation) ||
      std::ranges::any_of(out.deviation, [](double value) { return value <= 0; })) {
    return from.refuse("deviation", "'deviation' needs one number above 0, or one a channel",
                       "deviation = 0.5");
  }
  return {};
}

Result<void> read_image_facts(const Section& from, DataSection& out) {
  TACIT_RETURN_IF_ERROR(
      refuse_keys(from, {"label", "features", "missing"}, "tables", "take it out"));
  if (std::holds_alternative<FolderSource>(out.source)) {
    TACIT_RETURN_IF_ERROR(read_folder_facts(from, out));
  } else {
    TACIT_ASSIGN_OR_RETURN(const auto classes, from.count("classes", 2, 1 << 20));
    if (!classes) return from.refuse("must say how many classes there are", "classes = 10");
    out.classes = *classes;
    out.image.channels = 1;
    TACIT_RETURN_IF_ERROR(refuse_keys(from, {"size", "resize", "color"}, "folders", "take it out"));
  }
  return read_scale(from, out.image);
}

Result<std::uint64_t> read_examples(const Section& from) {
  TACIT_ASSIGN_OR_RETURN(const auto examples, from.count("examples"));
  if (examples) return static_cast<std::uint64_t>(*examples);
  return from.refuse("must say how many examples there are, a number that is public",
                     "for example: examples = 60000");
}

// What accuracy may cost, where the section says so.
Result<std::optional<PrivateTest>> read_private_test(const Section& from) {
  TACIT_ASSIGN_OR_RETURN(const auto epsilon, from.number_above_zero("epsilon"));
  if (!epsilon) {
    TACIT_RETURN_IF_ERROR(refuse_keys(from, {"examples"}, "private test data",
                                      "give an epsilon to it, or take it out"));
    return std::nullopt;
  }
  TACIT_ASSIGN_OR_RETURN(const std::uint64_t examples, read_examples(from));
  return PrivateTest{.epsilon = *epsilon, .examples = examples};
}

}  // namespace

std::string_view name(Fit fit) {
  return std::ranges::find(kFits, fit, [](const auto& word) { return word.second; })->first;
}

Result<DataSection> read_data_section(const Section& from, const std::filesystem::path& folder) {
  TACIT_RETURN_IF_ERROR(
      from.only_keys({"table", "label", "features", "missing", "images", "labels", "folder",
                      "examples", "classes", "size", "resize", "color", "mean", "deviation"}));
  DataSection out;
  TACIT_ASSIGN_OR_RETURN(out.source, read_source(from, folder));
  TACIT_ASSIGN_OR_RETURN(out.examples, read_examples(from));
  if (auto* const table = std::get_if<TableSource>(&out.source)) {
    TACIT_RETURN_IF_ERROR(read_columns(from, *table));
  } else {
    TACIT_RETURN_IF_ERROR(read_image_facts(from, out));
  }
  return out;
}

Result<TestSection> read_test_section(const Section& from, const DataSection& data,
                                      const std::filesystem::path& folder) {
  TACIT_RETURN_IF_ERROR(
      from.only_keys({"table", "images", "labels", "folder", "public", "epsilon", "examples"}));
  TestSection out;
  TACIT_ASSIGN_OR_RETURN(out.source, read_source(from, folder));
  TACIT_ASSIGN_OR_RETURN(out.is_private, read_private_test(from));
  if (out.source.index() != data.source.index()) {
    return from.refuse("names examples of another kind than [data]",
                       "give tables with tables, IDX files with IDX files, folders with folders");
  }
  if (auto* const table = std::get_if<TableSource>(&out.source)) {
    // tacit.toml says whether a table is public.
    const std::string name = table->table;
    *table = std::get<TableSource>(data.source);
    table->table = name;
    if (from.has("public")) {
      return from.refuse("public", "whether a table is public stands in tacit.toml", "take it out");
    }
    return out;
  }
  TACIT_ASSIGN_OR_RETURN(const auto is_public, from.truth("public"));
  if (is_public.value_or(false) == out.is_private.has_value()) {
    return from.refuse(
        "must declare its images public, for their accuracy is shown, or give it an epsilon",
        "write public = true; or epsilon = 0.1 with examples = 10000, and accuracy is told with "
        "noise; or leave the section out");
  }
  return out;
}

Result<AugmentationSection> read_augmentation_section(const Section& from,
                                                      const DataSection& data) {
  TACIT_RETURN_IF_ERROR(from.only_keys({"flip", "crop", "views"}));
  if (std::holds_alternative<TableSource>(data.source)) {
    return from.refuse("is said of images, and [data] names a table", "take it out");
  }
  AugmentationSection out;
  TACIT_ASSIGN_OR_RETURN(const auto flip, from.truth("flip"));
  TACIT_ASSIGN_OR_RETURN(const auto crop, from.count("crop", 0, 1 << 10));
  TACIT_ASSIGN_OR_RETURN(const auto views, from.count("views", 1, 1 << 10));
  set(out.flip, flip);
  set(out.crop, crop);
  set(out.views, views);
  if (out.is_any()) return out;
  return from.refuse("changes nothing", "write flip = true, or crop = 4, or leave it out");
}

}  // namespace tacit::training
