#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/training/schedule_section.h"
#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/train/adaptive_clipping.h"
#include "tacit/train/batch_sampler.h"

namespace tacit::training {

// What becomes of a row in which a feature is NULL, or none of the declared values.
enum class MissingValues : std::uint8_t {
  kLeaveOut,  // the row teaches nothing
  kMiddle,    // a number is the middle of its range, a category none of its values
};

// A table that the workspace declares: its file or engine, types, ranges and values stand there.
struct TableSource {
  std::string table;
  std::string label;
  std::vector<std::string> features;  // empty: all columns but the label
  MissingValues missing = MissingValues::kLeaveOut;
};

// Two IDX files, also compressed by gzip.
struct IdxSource {
  std::filesystem::path images;
  std::filesystem::path labels;
};

// A folder of JPEG and PNG files for each class.
struct FolderSource {
  std::filesystem::path folder;
};

// What becomes of a picture of another size than the declared one.
enum class Fit : std::uint8_t {
  kExact,    // it is refused
  kStretch,  // both of its sides are scaled
  kCrop,     // it is scaled until it covers the size, and what stands out is cut off evenly
};

using Source = std::variant<TableSource, IdxSource, FolderSource>;

// What is publicly known of images, and how bytes become numbers: (byte / 255 - mean) / deviation.
struct ImageFacts {
  std::int64_t height = 0;  // 0: as the IDX file says
  std::int64_t width = 0;
  std::int64_t channels = 3;  // of a folder: 1 or 3
  Fit fit = Fit::kExact;
  std::vector<double> mean{0.5};  // one for all channels, or one each
  std::vector<double> deviation{0.5};
};

struct DataSection {
  Source source;
  // The number of examples, a public fact. Rate and step size follow from it, never from the rows.
  std::uint64_t examples = 0;
  std::int64_t classes = 0;              // of IDX files
  std::vector<std::string> class_names;  // of folders; empty: the folders' names
  ImageFacts image;
};

// What accuracy on private test data may cost, and how many examples there are at most: both
// public.
struct PrivateTest {
  Rational epsilon;
  std::uint64_t examples = 0;
};

// Test data that was declared public, here or (of a table) in tacit.toml; or private data, on which
// accuracy is told once, with noise.
struct TestSection {
  Source source;
  std::optional<PrivateTest> is_private;
};

// Views of an image, by chance, in each step. The losses of the views of one image are averaged, so
// that it is clipped as one example.
struct AugmentationSection {
  bool flip = false;      // mirrored, left to right, with probability 1/2
  std::int64_t crop = 0;  // moved by as many pixels at most; what is missing is reflected
  std::int64_t views = 1;

  [[nodiscard]] bool is_any() const { return flip || crop > 0; }
};

enum class ModelKind : std::uint8_t {
  kLogistic,
  kMlp,
  kCnn,
  kResnet,
  kScattering,  // a small network on scattering features, which are computed once
};
enum class Activation : std::uint8_t { kTanh, kRelu };
enum class Normalization : std::uint8_t { kNone, kGroup };

struct ModelSection {
  ModelKind kind = ModelKind::kLogistic;
  Activation activation = Activation::kTanh;
  Normalization normalization = Normalization::kNone;  // of a cnn
  std::vector<std::int64_t> hidden{64};                // widths of the layers of an mlp
  std::int64_t width = 16;                             // channels of a resnet's first stage
  std::int64_t blocks = 1;                             // in each of its three stages
};

enum class ClippingKind : std::uint8_t { kFlat, kPerLayer, kAutomatic, kAdaptive };

struct PrivacySection {
  std::string dataset;  // whose account pays; empty: the only one of the workspace
  std::optional<Rational> epsilon;
  std::optional<Rational> noise;  // the noise multiplier, instead of epsilon
  Rational delta;
  double clip = 1;
  ClippingKind clipping = ClippingKind::kFlat;
  train::AdaptiveClipping adaptive;  // where clipping is kAdaptive
  train::Sampling::Kind sampler = train::Sampling::Kind::kPoisson;
  std::uint64_t largest_batch = 0;  // of truncated batches; 0: one that costs nearly nothing
  bool mixed_precision = false;     // in bfloat16
  ScheduleSection noise_schedule;
  ScheduleSection clip_schedule;
};

enum class OptimizerKind : std::uint8_t { kSgd, kAdam };
enum class DeviceKind : std::uint8_t { kCpu, kCuda };

struct TrainingSection {
  std::uint64_t batch_size = 0;  // expected
  std::uint64_t steps = 0;       // of one of these two
  std::uint64_t epochs = 0;
  ScheduleSection batch_schedule;
  std::int64_t physical_batch = 256;
  std::optional<std::int64_t> memory_mib;  // instead of physical_batch
  DeviceKind device = DeviceKind::kCpu;
  OptimizerKind optimizer = OptimizerKind::kSgd;
  double learning_rate = 0;
  ScheduleSection learning_rate_schedule;
  double momentum = 0;
  double weight_decay = 0;
  std::optional<double> weight_average;  // its decay
  std::optional<std::uint64_t> seed;     // of the initial weights alone
};

struct OutputSection {
  std::filesystem::path model;
  std::filesystem::path checkpoint;
  std::uint64_t checkpoint_every = 0;  // steps; 0: ten times in a run
};

// What a configuration of 'tacit train' says; docs/train.md is its manual. All of it is public.
struct Config {
  // In bytes; a longer file is refused.
  static constexpr std::size_t kLargestFile = std::size_t{1} << 20;

  std::filesystem::path file;
  DataSection data;
  std::optional<TestSection> test;
  AugmentationSection augmentation;
  ModelSection model;
  PrivacySection privacy;
  TrainingSection training;
  OutputSection output;

  // Strict: an unknown key or a value out of range is refused with its line. Paths start at the
  // folder of `file`.
  static Result<Config> parse(std::string_view text, const std::filesystem::path& file);
  static Result<Config> read(const std::filesystem::path& file);

  // As epochs say, where steps are not given: as many steps as hold so many examples.
  [[nodiscard]] std::uint64_t steps() const;
};

std::string_view name(ModelKind kind);
std::string_view name(OptimizerKind kind);
std::string_view name(DeviceKind kind);
std::string_view name(Fit fit);

}  // namespace tacit::training
