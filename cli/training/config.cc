#include "cli/training/config.h"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "cli/training/config_sections_internal.h"
#include "cli/training/section.h"

namespace tacit::training {
namespace {

Result<std::optional<Section>> find_section(const TomlReader& reader, const toml::table& root,
                                            std::string_view key) {
  TACIT_ASSIGN_OR_RETURN(const toml::table* const found, reader.table(root, key));
  if (found == nullptr) return std::nullopt;
  return Section(reader, *found, fmt::format("[{}]", key));
}

Result<Section> section(const TomlReader& reader, const toml::table& root, std::string_view key) {
  TACIT_ASSIGN_OR_RETURN(const auto found, find_section(reader, root, key));
  if (found) return *found;
  return bad_input(fmt::format("there is no section [{}]", key), reader.place(root.source()),
                   "docs/train.md shows a whole file");
}

Result<void> check_model_fits(const Config& config, const std::string& place) {
  const ModelKind kind = config.model.kind;
  const bool reads_images =
      kind == ModelKind::kCnn || kind == ModelKind::kResnet || kind == ModelKind::kScattering;
  if (kind == ModelKind::kScattering && config.augmentation.crop > 0) {
    return bad_input("scattering features are computed once, of images that do not move", place,
                     "take [augmentation] crop out; flip can stay");
  }
  if (!reads_images || !std::holds_alternative<TableSource>(config.data.source)) return {};
  return bad_input(fmt::format("a {} reads images, and [data] names a table", name(kind)), place,
                   "choose kind = \"logistic\" or \"mlp\"");
}

// A mechanism that publishes one example, chosen by chance, has a delta of one over their number:
// from there on nothing is promised to anybody.
Result<void> check_delta(const Config& config, const Section& privacy) {
  if (config.privacy.delta * Rational(static_cast<std::int64_t>(config.data.examples)) <
      Rational(1)) {
    return {};
  }
  return privacy.refuse(
      "delta",
      fmt::format("'delta' must be less than one over the number of examples, {}",
                  config.data.examples),
      fmt::format("for example: delta = {:.0e}", 0.1 / static_cast<double>(config.data.examples)));
}

Result<Config> read_config(const TomlReader& reader, const toml::table& root,
                           const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  const auto at = [&](std::string_view key) { return section(reader, root, key); };
  TACIT_RETURN_IF_ERROR(
      reader.only_keys(root, "the file",
                       {"data", "test", "augmentation", "model", "privacy", "training", "output"}));
  Config out{.file = file};
  TACIT_ASSIGN_OR_RETURN(const Section data, at("data"));
  TACIT_ASSIGN_OR_RETURN(out.data, read_data_section(data, folder));
  TACIT_ASSIGN_OR_RETURN(const auto test, find_section(reader, root, "test"));
  if (test) {
    TACIT_ASSIGN_OR_RETURN(out.test, read_test_section(*test, out.data, folder));
  }
  TACIT_ASSIGN_OR_RETURN(const auto views, find_section(reader, root, "augmentation"));
  if (views) {
    TACIT_ASSIGN_OR_RETURN(out.augmentation, read_augmentation_section(*views, out.data));
  }
  TACIT_ASSIGN_OR_RETURN(const Section model, at("model"));
  TACIT_ASSIGN_OR_RETURN(out.model, read_model_section(model));
  TACIT_ASSIGN_OR_RETURN(const Section privacy, at("privacy"));
  TACIT_ASSIGN_OR_RETURN(out.privacy, read_privacy_section(privacy));
  TACIT_RETURN_IF_ERROR(check_delta(out, privacy));
  TACIT_ASSIGN_OR_RETURN(const Section training, at("training"));
  TACIT_ASSIGN_OR_RETURN(out.training, read_training_section(training));
  TACIT_ASSIGN_OR_RETURN(const Section output, at("output"));
  TACIT_ASSIGN_OR_RETURN(out.output, read_output_section(output, folder));
  TACIT_RETURN_IF_ERROR(check_model_fits(out, reader.place(root.source())));
  return out;
}

}  // namespace

Result<Config> Config::parse(std::string_view text, const std::filesystem::path& file) {
  const TomlReader reader(file.string());
  try {
    return read_config(reader, toml::parse(text), file);
  } catch (const toml::parse_error& error) {
    return bad_input(fmt::format("not valid TOML: {}", shown(error.description())),
                     reader.place(error.source()), "docs/train.md shows a whole file");
  }
}

Result<Config> Config::read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text(kLargestFile + 1, '\0');
  if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.is_open() || stream.bad()) {
    return bad_input("the configuration cannot be read", file.string(),
                     "name a file that is there; docs/train.md shows one");
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kLargestFile) return bad_input("too large for a configuration", file.string());
  return parse(text, file);
}

std::uint64_t Config::steps() const {
  if (training.steps > 0) return training.steps;
  const std::uint64_t drawn = training.epochs * data.examples;
  return (drawn + training.batch_size - 1) / training.batch_size;
}

}  // namespace tacit::training
