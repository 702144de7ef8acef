#include "cli/training/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "cli/training/section.h"

namespace tacit::training {
namespace {

constexpr Words<ModelKind, 4> kModels = {{{"logistic", ModelKind::kLogistic},
                                          {"mlp", ModelKind::kMlp},
                                          {"cnn", ModelKind::kCnn},
                                          {"resnet", ModelKind::kResnet}}};
constexpr Words<Activation, 2> kActivations = {
    {{"tanh", Activation::kTanh}, {"relu", Activation::kRelu}}};
constexpr Words<Normalization, 2> kNormalizations = {
    {{"none", Normalization::kNone}, {"group", Normalization::kGroup}}};
constexpr Words<ClippingKind, 3> kClippings = {{{"flat", ClippingKind::kFlat},
                                                {"per-layer", ClippingKind::kPerLayer},
                                                {"automatic", ClippingKind::kAutomatic}}};
constexpr Words<MissingValues, 2> kMissing = {
    {{"leave out", MissingValues::kLeaveOut}, {"middle", MissingValues::kMiddle}}};
constexpr Words<OptimizerKind, 2> kOptimizers = {
    {{"sgd", OptimizerKind::kSgd}, {"adam", OptimizerKind::kAdam}}};

// Sets `value` where the key is there.
template <class Value, class Found>
void set(Value& value, Found&& found) {
  if (found) value = static_cast<Value>(*std::forward<Found>(found));
}

class ConfigReader {
 public:
  explicit ConfigReader(const std::filesystem::path& file)
      : reader_(file.string()), folder_(file.parent_path()) {}

  [[nodiscard]] const TomlReader& reader() const { return reader_; }

  [[nodiscard]] Result<Config> config(const toml::table& root) const {
    TACIT_RETURN_IF_ERROR(reader_.only_keys(
        root, "the file", {"data", "test", "model", "privacy", "training", "output"}));
    Config out;
    TACIT_ASSIGN_OR_RETURN(out.data, data(root));
    TACIT_ASSIGN_OR_RETURN(out.test, test(root, out.data));
    TACIT_ASSIGN_OR_RETURN(out.model, model(root));
    TACIT_ASSIGN_OR_RETURN(out.privacy, privacy(root));
    TACIT_ASSIGN_OR_RETURN(out.training, training(root));
    TACIT_ASSIGN_OR_RETURN(out.output, output(root));
    const bool has_images = !std::holds_alternative<TableSource>(out.data.source);
    const bool needs_images =
        out.model.kind == ModelKind::kCnn || out.model.kind == ModelKind::kResnet;
    if (needs_images && !has_images) {
      return bad_input(
          fmt::format("a {} reads images, and [data] names a table", name(out.model.kind)),
          reader_.place(root.source()), "choose kind = \"logistic\" or \"mlp\"");
    }
    return out;
  }

 private:
  [[nodiscard]] Result<Section> section(const toml::table& root, std::string_view key) const {
    TACIT_ASSIGN_OR_RETURN(const toml::table* const found, reader_.table(root, key));
    if (found == nullptr) {
      return bad_input(fmt::format("there is no section [{}]", key), reader_.place(root.source()),
                       "docs/train.md shows a whole file");
    }
    return Section(reader_, *found, fmt::format("[{}]", key));
  }

  [[nodiscard]] std::filesystem::path path(const std::string& text) const {
    return (folder_ / text).lexically_normal();
  }

  // One of: a table, two IDX files, a folder.
  [[nodiscard]] Result<Source> source(const Section& from) const {
    TACIT_ASSIGN_OR_RETURN(const auto table, from.text("table", "people"));
    TACIT_ASSIGN_OR_RETURN(const auto images, from.text("images", "train-images.gz"));
    TACIT_ASSIGN_OR_RETURN(const auto labels, from.text("labels", "train-labels.gz"));
    TACIT_ASSIGN_OR_RETURN(const auto folder, from.text("folder", "train"));
    const int ways = int{table.has_value()} + int{images || labels} + int{folder.has_value()};
    if (ways == 1 && table) return TableSource{.table = *table};
    if (ways == 1 && folder) return FolderSource{.folder = path(*folder)};
    if (ways == 1 && images && labels) {
      return IdxSource{.images = path(*images), .labels = path(*labels)};
    }
    return from.refuse("must say where the examples are, in one way",
                       "write table = \"people\" (of tacit.toml), or images = ... with labels = "
                       "... (IDX files), or folder = \"train\"");
  }

  [[nodiscard]] Result<DataSection> data(const toml::table& root) const {
    TACIT_ASSIGN_OR_RETURN(const Section from, section(root, "data"));
    TACIT_RETURN_IF_ERROR(
        from.only_keys({"table", "label", "features", "missing", "images", "labels", "folder",
                        "examples", "classes", "size", "color", "mean", "deviation"}));
    DataSection out;
    TACIT_ASSIGN_OR_RETURN(out.source, source(from));
    TACIT_ASSIGN_OR_RETURN(const auto examples, from.count("examples"));
    if (!examples) {
      return from.refuse("must say how many examples there are, a number that is public",
                         "for example: examples = 60000");
    }
    out.examples = static_cast<std::uint64_t>(*examples);
    if (auto* const table = std::get_if<TableSource>(&out.source)) {
      TACIT_RETURN_IF_ERROR(read_columns(from, *table));
    } else {
      TACIT_RETURN_IF_ERROR(read_image_facts(from, out));
    }
    return out;
  }

  [[nodiscard]] static Result<void> read_columns(const Section& from, TableSource& out) {
    for (const std::string_view key : {"classes", "size", "color", "mean", "deviation"}) {
      if (from.has(key)) {
        return from.refuse(key, fmt::format("'{}' is said of images", key),
                           "classes and ranges of a table stand in tacit.toml; take it out");
      }
    }
    TACIT_ASSIGN_OR_RETURN(const auto label, from.text("label", "income"));
    if (!label) return from.refuse("must name the column to be told", "label = \"income\"");
    out.label = *label;
    TACIT_ASSIGN_OR_RETURN(auto features, from.texts("features"));
    set(out.features, std::move(features));
    TACIT_ASSIGN_OR_RETURN(const auto missing, from.choice("missing", kMissing));
    set(out.missing, missing);
    return {};
  }

  [[nodiscard]] static Result<void> read_image_facts(const Section& from, DataSection& out) {
    for (const std::string_view key : {"label", "features", "missing"}) {
      if (from.has(key)) {
        return from.refuse(key, fmt::format("'{}' is said of tables", key), "take it out");
      }
    }
    const bool is_folder = std::holds_alternative<FolderSource>(out.source);
    if (is_folder) {
      TACIT_RETURN_IF_ERROR(read_folder_facts(from, out));
    } else {
      TACIT_ASSIGN_OR_RETURN(const auto classes, from.count("classes", 2, 1 << 20));
      if (!classes) return from.refuse("must say how many classes there are", "classes = 10");
      out.classes = *classes;
      out.image.channels = 1;
      for (const std::string_view key : {"size", "color"}) {
        if (from.has(key)) {
          return from.refuse(key, fmt::format("'{}' is said of folders", key), "take it out");
        }
      }
    }
    TACIT_ASSIGN_OR_RETURN(auto mean, from.numbers("mean"));
    TACIT_ASSIGN_OR_RETURN(auto deviation, from.numbers("deviation"));
    set(out.image.mean, std::move(mean));
    set(out.image.deviation, std::move(deviation));
    const auto fits = [&](const std::vector<double>& values) {
      return values.size() == 1 || values.size() == static_cast<std::size_t>(out.image.channels);
    };
    if (!fits(out.image.mean)) {
      return from.refuse("mean", "'mean' needs one number, or one a channel", "mean = 0.5");
    }
    if (!fits(out.image.deviation) ||
        std::ranges::any_of(out.image.deviation, [](double value) { return value <= 0; })) {
      return from.refuse("deviation", "'deviation' needs one number above 0, or one a channel",
                         "deviation = 0.5");
    }
    return {};
  }

  [[nodiscard]] static Result<void> read_folder_facts(const Section& from, DataSection& out) {
    constexpr std::int64_t kLargestSide = 1 << 14;
    TACIT_ASSIGN_OR_RETURN(const auto size, from.counts("size"));
    if (!size || size->size() != 2 || std::ranges::max(*size) > kLargestSide) {
      return from.refuse("must say the size of the images, height and width",
                         "for example: size = [32, 32]");
    }
    out.image.height = size->front();
    out.image.width = size->back();
    TACIT_ASSIGN_OR_RETURN(const auto color, from.truth("color"));
    out.image.channels = color.value_or(true) ? 3 : 1;
    TACIT_ASSIGN_OR_RETURN(auto names, from.texts("classes"));
    set(out.class_names, std::move(names));
    return {};
  }

  [[nodiscard]] Result<std::optional<TestSection>> test(const toml::table& root,
                                                        const DataSection& data) const {
    if (!root.contains("test")) return std::nullopt;
    TACIT_ASSIGN_OR_RETURN(const Section from, section(root, "test"));
    TACIT_RETURN_IF_ERROR(from.only_keys({"table", "images", "labels", "folder", "public"}));
    TestSection out;
    TACIT_ASSIGN_OR_RETURN(out.source, source(from));
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
        return from.refuse("public", "whether a table is public stands in tacit.toml",
                           "take it out");
      }
      return out;
    }
    TACIT_ASSIGN_OR_RETURN(const auto is_public, from.truth("public"));
    if (!is_public.value_or(false)) {
      return from.refuse("must declare its images public, for their accuracy is shown",
                         "write public = true, or leave the section out");
    }
    return out;
  }

  [[nodiscard]] Result<ModelSection> model(const toml::table& root) const {
    TACIT_ASSIGN_OR_RETURN(const Section from, section(root, "model"));
    TACIT_RETURN_IF_ERROR(
        from.only_keys({"kind", "activation", "normalization", "hidden", "width", "blocks"}));
    ModelSection out;
    TACIT_ASSIGN_OR_RETURN(const auto kind, from.choice("kind", kModels));
    if (!kind) return from.refuse("must say which model", "for example: kind = \"logistic\"");
    out.kind = *kind;
    TACIT_RETURN_IF_ERROR(check_fits(from, out.kind));
    TACIT_ASSIGN_OR_RETURN(const auto activation, from.choice("activation", kActivations));
    TACIT_ASSIGN_OR_RETURN(const auto normalization, from.choice("normalization", kNormalizations));
    TACIT_ASSIGN_OR_RETURN(auto hidden, from.counts("hidden"));
    TACIT_ASSIGN_OR_RETURN(const auto width, from.count("width", 1, 1 << 12));
    TACIT_ASSIGN_OR_RETURN(const auto blocks, from.count("blocks", 1, 64));
    out.activation =
        activation.value_or(out.kind == ModelKind::kResnet ? Activation::kRelu : Activation::kTanh);
    set(out.normalization, normalization);
    set(out.hidden, std::move(hidden));
    set(out.width, width);
    set(out.blocks, blocks);
    return out;
  }

  // Keys that this kind of model does not read.
  [[nodiscard]] static Result<void> check_fits(const Section& from, ModelKind kind) {
    const auto only = [&](std::string_view key,
                          std::initializer_list<ModelKind> kinds) -> Result<void> {
      if (!from.has(key) || std::ranges::find(kinds, kind) != kinds.end()) return {};
      return from.refuse(key, fmt::format("a {} model has no '{}'", name(kind), key),
                         "take it out");
    };
    TACIT_RETURN_IF_ERROR(
        only("activation", {ModelKind::kMlp, ModelKind::kCnn, ModelKind::kResnet}));
    TACIT_RETURN_IF_ERROR(only("normalization", {ModelKind::kCnn}));
    TACIT_RETURN_IF_ERROR(only("hidden", {ModelKind::kMlp}));
    TACIT_RETURN_IF_ERROR(only("width", {ModelKind::kResnet}));
    return only("blocks", {ModelKind::kResnet});
  }

  [[nodiscard]] Result<PrivacySection> privacy(const toml::table& root) const {
    TACIT_ASSIGN_OR_RETURN(const Section from, section(root, "privacy"));
    TACIT_RETURN_IF_ERROR(
        from.only_keys({"dataset", "epsilon", "noise", "delta", "clip", "clipping"}));
    PrivacySection out;
    TACIT_ASSIGN_OR_RETURN(auto dataset, from.text("dataset", "people"));
    set(out.dataset, std::move(dataset));
    TACIT_ASSIGN_OR_RETURN(out.epsilon, from.number_above_zero("epsilon"));
    TACIT_ASSIGN_OR_RETURN(out.noise, from.number_above_zero("noise"));
    if (out.epsilon.has_value() == out.noise.has_value()) {
      return from.refuse("must say what the model may cost, in one way",
                         "write epsilon = 1, or noise = 1.1 (the noise multiplier)");
    }
    TACIT_ASSIGN_OR_RETURN(const auto delta, from.number_above_zero("delta"));
    if (!delta || *delta >= Rational(1)) {
      return from.refuse("needs a delta between 0 and 1",
                         "take less than one over the number of examples: delta = 1e-6");
    }
    out.delta = *delta;
    TACIT_ASSIGN_OR_RETURN(const auto clip, from.number_above_zero("clip"));
    if (clip) out.clip = clip->approximate();
    TACIT_ASSIGN_OR_RETURN(const auto clipping, from.choice("clipping", kClippings));
    set(out.clipping, clipping);
    return out;
  }

  [[nodiscard]] Result<TrainingSection> training(const toml::table& root) const {
    TACIT_ASSIGN_OR_RETURN(const Section from, section(root, "training"));
    TACIT_RETURN_IF_ERROR(
        from.only_keys({"batch_size", "epochs", "steps", "physical_batch", "optimizer",
                        "learning_rate", "momentum", "weight_decay", "seed"}));
    TrainingSection out;
    TACIT_ASSIGN_OR_RETURN(const auto batch, from.count("batch_size"));
    TACIT_ASSIGN_OR_RETURN(const auto epochs, from.count("epochs", 1, 1 << 20));
    TACIT_ASSIGN_OR_RETURN(const auto steps, from.count("steps", 1, 1 << 30));
    TACIT_ASSIGN_OR_RETURN(const auto rate, from.number_above_zero("learning_rate"));
    if (!batch || !rate) {
      return from.refuse("needs a batch_size (expected) and a learning_rate",
                         "for example: batch_size = 256 and learning_rate = 0.5");
    }
    if (epochs.has_value() == steps.has_value()) {
      return from.refuse("must say how long to train, in one way",
                         "write epochs = 10, or steps = 2000");
    }
    set(out.batch_size, batch);
    set(out.epochs, epochs);
    set(out.steps, steps);
    out.learning_rate = rate->approximate();
    TACIT_ASSIGN_OR_RETURN(const auto physical, from.count("physical_batch"));
    set(out.physical_batch, physical);
    TACIT_ASSIGN_OR_RETURN(const auto optimizer, from.choice("optimizer", kOptimizers));
    set(out.optimizer, optimizer);
    TACIT_ASSIGN_OR_RETURN(const auto momentum, from.number("momentum"));
    TACIT_ASSIGN_OR_RETURN(const auto decay, from.number("weight_decay"));
    if (momentum) out.momentum = momentum->approximate();
    if (decay) out.weight_decay = decay->approximate();
    if (out.momentum < 0 || out.momentum >= 1) {
      return from.refuse("momentum", "'momentum' must lie between 0 and 1", "momentum = 0.9");
    }
    if (out.weight_decay < 0) {
      return from.refuse("weight_decay", "'weight_decay' must not be below 0", "take it out");
    }
    if (momentum && out.optimizer != OptimizerKind::kSgd) {
      return from.refuse("momentum", "only sgd has a momentum", "take it out");
    }
    TACIT_ASSIGN_OR_RETURN(const auto seed, from.count("seed", 0));
    if (seed) out.seed = static_cast<std::uint64_t>(*seed);
    return out;
  }

  [[nodiscard]] Result<OutputSection> output(const toml::table& root) const {
    TACIT_ASSIGN_OR_RETURN(const Section from, section(root, "output"));
    TACIT_RETURN_IF_ERROR(from.only_keys({"model", "checkpoint", "checkpoint_every"}));
    OutputSection out;
    TACIT_ASSIGN_OR_RETURN(const auto model, from.text("model", "model.pt"));
    if (!model) return from.refuse("must name the file of the model", "model = \"model.pt\"");
    out.model = path(*model);
    TACIT_ASSIGN_OR_RETURN(const auto checkpoint, from.text("checkpoint", "model.checkpoint"));
    out.checkpoint = checkpoint ? path(*checkpoint) : path(*model + ".checkpoint");
    TACIT_ASSIGN_OR_RETURN(const auto every, from.count("checkpoint_every"));
    set(out.checkpoint_every, every);
    return out;
  }

  TomlReader reader_;
  std::filesystem::path folder_;
};

}  // namespace

std::string_view name(ModelKind kind) {
  return std::ranges::find(kModels, kind, [](const auto& word) { return word.second; })->first;
}

Result<Config> Config::parse(std::string_view text, const std::filesystem::path& file) {
  const ConfigReader in(file);
  try {
    TACIT_ASSIGN_OR_RETURN(Config config, in.config(toml::parse(text)));
    config.file = file;
    return config;
  } catch (const toml::parse_error& error) {
    return bad_input(fmt::format("not valid TOML: {}", shown(error.description())),
                     in.reader().place(error.source()), "docs/train.md shows a whole file");
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
