#include "cli/cost_options.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <vector>

namespace tacit::cli {
namespace {

constexpr std::string_view kMechanisms =
    "gaussian, laplace, discrete-gaussian, discrete-laplace, randomized-response, exponential, "
    "permute-and-flip, sparse-vector, partition-selection, pure, approximate or zcdp";

// A cost file is small; what is longer is another file.
constexpr std::size_t kLongestFile = 32U << 20U;

Result<std::string> read_file(const std::string& path) {
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& in = path == "-" ? std::cin : file;
  if (path != "-" && !file) {
    return bad_input("cannot read the file", path, "give the path of a cost as JSON");
  }
  std::string text;
  std::vector<char> block(1U << 16U);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kLongestFile) {
      return bad_input("the file is too long for a cost", path, "give a cost as JSON");
    }
  }
  return text;
}

Rational integer(std::uint64_t value) { return Rational(mpq_class(mpz_class(value))); }

Result<std::uint64_t> count_or(const std::string& text, const std::string& flag,
                               std::uint64_t otherwise) {
  return text.empty() ? otherwise : read_count(text, flag);
}

// What is added to the answer, or decides it, as a leaf.
Result<cost::Node> read_leaf(const CostOptions& options, const Rational* noise) {
  const std::string& mechanism = options.mechanism;
  const auto multiplier = [&]() -> Result<Rational> {
    if (noise != nullptr) return *noise;
    return read_number(options.noise, "--noise", "1.5");
  };
  const auto each = [&] { return read_number(options.each_epsilon, "--each-epsilon", "0.1"); };
  const auto each_delta = [&] { return read_number(options.each_delta, "--each-delta", "1e-9"); };
  TACIT_ASSIGN_OR_RETURN(const std::uint64_t sensitivity,
                         count_or(options.sensitivity, "--sensitivity", 1));
  const Rational steps = integer(sensitivity);

  if (mechanism == "gaussian" || mechanism == "laplace") {
    TACIT_ASSIGN_OR_RETURN(const Rational m, multiplier());
    if (mechanism == "gaussian") return cost::Gaussian{m};
    return cost::Laplace{m};
  }
  if (mechanism == "discrete-laplace") {
    TACIT_ASSIGN_OR_RETURN(const Rational m, multiplier());
    return cost::DiscreteLaplace{m * steps, sensitivity};
  }
  if (mechanism == "discrete-gaussian") {
    TACIT_ASSIGN_OR_RETURN(const Rational m, multiplier());
    if (sensitivity > std::numeric_limits<std::uint32_t>::max()) {
      return bad_input("the sensitivity is too large to be squared", "--sensitivity",
                       "give a coarser grid");
    }
    if (m.sign() <= 0) return bad_input("noise must be above 0", "--noise", "give 1.5, say");
    return cost::DiscreteGaussian{m * m * steps * steps, sensitivity * sensitivity, 1};
  }
  if (mechanism == "randomized-response") {
    TACIT_ASSIGN_OR_RETURN(const Rational truth, read_number(options.truth, "--truth", "0.75"));
    TACIT_ASSIGN_OR_RETURN(const std::uint64_t categories,
                           count_or(options.categories, "--categories", 2));
    return cost::RandomizedResponse{categories, truth};
  }
  if (mechanism == "approximate" || mechanism == "partition-selection") {
    TACIT_ASSIGN_OR_RETURN(const Rational epsilon, each());
    TACIT_ASSIGN_OR_RETURN(const Rational delta, each_delta());
    if (mechanism == "approximate") return cost::Approximate{epsilon, delta};
    return cost::PartitionSelection{epsilon, delta};
  }
  if (mechanism == "pure" || mechanism == "exponential" || mechanism == "permute-and-flip" ||
      mechanism == "sparse-vector" || mechanism == "zcdp") {
    TACIT_ASSIGN_OR_RETURN(const Rational epsilon, each());
    if (mechanism == "exponential") return cost::Exponential{epsilon};
    if (mechanism == "permute-and-flip") return cost::PermuteAndFlip{epsilon};
    if (mechanism == "sparse-vector") return cost::SparseVector{epsilon};
    if (mechanism == "zcdp") return cost::Zcdp{epsilon, 0};
    return cost::Pure{epsilon};
  }
  return bad_input(fmt::format("there is no mechanism '{}'", mechanism.substr(0, 40)),
                   "--mechanism", fmt::format("choose {}", kMechanisms));
}

Result<Neighbours> read_neighbours(const CostOptions& options) {
  const std::string& text = options.neighbours;
  if (text == "add-remove" || text == "add_remove") return Neighbours::kAddRemove;
  if (text == "replace") return Neighbours::kReplace;
  if (!text.empty()) {
    return bad_input(fmt::format("there are no neighbours '{}'", text.substr(0, 40)),
                     "--neighbours", "choose add-remove or replace");
  }
  const bool replace = options.mechanism == "randomized-response" || !options.sample_size.empty();
  return replace ? Neighbours::kReplace : Neighbours::kAddRemove;
}

// Says which flag, where the cost tree can only say which field.
Result<Cost> at_flag(Result<Cost> cost, const std::string& flag) {
  if (!cost) cost.error().where = flag;
  return cost;
}

std::string flag_of(const std::string& where, const std::string& otherwise) {
  if (where.ends_with(".noise_multiplier") || where.ends_with(".scale") ||
      where.ends_with(".variance")) {
    return "--noise";
  }
  if (where.ends_with(".truth")) return "--truth";
  if (where.ends_with(".categories")) return "--categories";
  if (where.ends_with(".epsilon") || where.ends_with(".rho")) return "--each-epsilon";
  if (where.ends_with(".delta")) return "--each-delta";
  if (where.ends_with("sensitivity")) return "--sensitivity";
  return otherwise;
}

Result<Cost> read_step(const CostOptions& options, const Rational* noise) {
  TACIT_ASSIGN_OR_RETURN(cost::Node leaf, read_leaf(options, noise));
  TACIT_ASSIGN_OR_RETURN(const Neighbours neighbours, read_neighbours(options));
  auto step = Cost::leaf(std::move(leaf), neighbours);
  if (!step) {
    step.error().where = flag_of(step.error().where, "--neighbours");
    return step;
  }
  if (!options.sample_rate.empty() && !options.sample_size.empty()) {
    return bad_input("a step draws one sample, not two", "--sample-size",
                     "give --sample-rate, or --sample-size with --population");
  }
  if (!options.sample_rate.empty()) {
    TACIT_ASSIGN_OR_RETURN(Rational rate,
                           read_number(options.sample_rate, "--sample-rate", "0.01"));
    return at_flag(Cost::poisson_sample(std::move(rate), *std::move(step)), "--sample-rate");
  }
  if (!options.sample_size.empty() || !options.population.empty()) {
    TACIT_ASSIGN_OR_RETURN(const std::uint64_t size,
                           read_count(options.sample_size, "--sample-size"));
    TACIT_ASSIGN_OR_RETURN(const std::uint64_t population,
                           read_count(options.population, "--population"));
    return at_flag(Cost::fixed_size_sample(size, population, *std::move(step)), "--sample-size");
  }
  return step;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> pieces(1);
  for (const char c : text) {
    if (c == at) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  return pieces;
}

// "noise:rate:steps,noise:rate:steps": steps whose noise and rate change over time.
Result<Cost> read_schedule(const CostOptions& options) {
  std::vector<Cost> parts;
  for (const std::string& line : split(options.schedule, ',')) {
    const std::vector<std::string> pieces = split(line, ':');
    if (pieces.size() != 3) {
      return bad_input(fmt::format("'{}' is not noise:rate:steps", line.substr(0, 40)),
                       "--schedule", "write 1.5:0.04:1000,1.2:0.04:500");
    }
    CostOptions step = options;
    step.noise = pieces[0];
    step.sample_rate = pieces[1];
    TACIT_ASSIGN_OR_RETURN(const std::uint64_t times, read_count(pieces[2], "--schedule"));
    auto part = read_step(step, nullptr);
    if (part) part = Cost::repeat(times, *std::move(part));
    if (!part) {
      part.error().where = fmt::format("--schedule, at '{}'", line.substr(0, 40));
      return part;
    }
    parts.push_back(*std::move(part));
  }
  return at_flag(Cost::compose(std::move(parts)), "--schedule");
}

Result<Cost> read_steps(const CostOptions& options, const Rational* noise) {
  if (!options.cost_file.empty()) {
    TACIT_ASSIGN_OR_RETURN(const std::string text, read_file(options.cost_file));
    auto cost = Cost::from_json(text);
    if (!cost) cost.error().where = fmt::format("{}: {}", options.cost_file, cost.error().where);
    return cost;
  }
  if (!options.schedule.empty()) return read_schedule(options);
  TACIT_ASSIGN_OR_RETURN(Cost step, read_step(options, noise));
  TACIT_ASSIGN_OR_RETURN(const std::uint64_t times, count_or(options.steps, "--steps", 1));
  if (times == 1) return step;
  return at_flag(Cost::repeat(times, std::move(step)), "--steps");
}

Result<Cost> read(const CostOptions& options, const Rational* noise) {
  TACIT_ASSIGN_OR_RETURN(Cost cost, read_steps(options, noise));
  if (options.as_replace) {
    TACIT_ASSIGN_OR_RETURN(cost, at_flag(Cost::as_replace(std::move(cost)), "--as-replace"));
  }
  if (options.group.empty()) return cost;
  TACIT_ASSIGN_OR_RETURN(const std::uint64_t size, read_count(options.group, "--group"));
  return at_flag(Cost::group(size, std::move(cost)), "--group");
}

std::string printed(double value, bool above) {
  if (!std::isfinite(value) || value == 0) return fmt::format("{}", value);
  std::string text = fmt::format("{:.6g}", value);
  for (int digits = 6; digits <= 17; ++digits) {
    const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) + 1 - digits);
    const double moved = (above ? std::ceil(value / unit) : std::floor(value / unit)) * unit;
    text = fmt::format("{:.{}g}", moved, digits);
    const auto exact = Rational::parse(text);
    const Rational bound = Rational::exactly(value).value();
    if (exact && (above ? *exact >= bound : *exact <= bound)) break;
  }
  return text;
}

}  // namespace

void add_cost_options(CLI::App& verb, CostOptions& options, bool with_parameters) {
  verb.add_option("--mechanism", options.mechanism,
                  fmt::format("What runs at each step: {}", kMechanisms))
      ->capture_default_str();
  if (with_parameters) {
    verb.add_option("--noise", options.noise,
                    "Noise multiplier: sigma (or Laplace's scale) over the sensitivity");
    verb.add_option("--truth", options.truth, "Randomized response: chance of the true answer");
    verb.add_option("--categories", options.categories,
                    "Randomized response: number of answers (default 2)");
    verb.add_option("--each-epsilon", options.each_epsilon,
                    "Epsilon of one step, for mechanisms named by it (zcdp: its rho)");
    verb.add_option("--each-delta", options.each_delta, "Delta of one step, likewise");
    verb.add_option("--schedule", options.schedule,
                    "Steps that change over time: NOISE:RATE:STEPS,NOISE:RATE:STEPS,...");
    verb.add_option("--cost", options.cost_file, "A cost as JSON instead ('-': standard input)");
  }
  verb.add_option("--sensitivity", options.sensitivity,
                  "Discrete noise: grid steps that one unit moves (default 1)");
  verb.add_option("--sample-rate", options.sample_rate,
                  "Each step sees each unit with this chance (Poisson sampling)");
  verb.add_option("--sample-size", options.sample_size,
                  "Each step sees so many units of --population, replace neighbours");
  verb.add_option("--population", options.population, "Units in all, for --sample-size");
  verb.add_option("--steps", options.steps, "How often it runs (default 1)");
  verb.add_option("--neighbours", options.neighbours,
                  "For whom the sensitivity is stated: add-remove (default) or replace");
  verb.add_flag("--as-replace", options.as_replace,
                "Read an add/remove guarantee for replace neighbours");
  verb.add_option("--group", options.group, "What holds for so many units together");
}

Result<Cost> read_cost(const CostOptions& options) { return read(options, nullptr); }

Result<Cost> read_cost(const CostOptions& options, const Rational& noise) {
  return read(options, &noise);
}

Result<Rational> read_number(const std::string& text, const std::string& flag,
                             const std::string& example) {
  if (text.empty()) {
    return bad_input(flag + " is missing", {}, fmt::format("give a number: {} {}", flag, example));
  }
  auto value = Rational::parse(text);
  if (!value) value.error().where = flag;
  return value;
}

Result<std::uint64_t> read_count(const std::string& text, const std::string& flag) {
  TACIT_ASSIGN_OR_RETURN(const Rational value, read_number(text, flag, "100"));
  const mpz_class largest(std::numeric_limits<std::uint64_t>::max());
  if (value.mpq().get_den() != 1 || value.sign() <= 0 || value.mpq().get_num() > largest) {
    return bad_input(fmt::format("'{}' is not a count", text.substr(0, 40)), flag,
                     "give a whole number of at least 1");
  }
  return value.mpq().get_num().get_ui();
}

std::string printed_above(double value) { return printed(value, true); }
std::string printed_below(double value) { return printed(value, false); }

}  // namespace tacit::cli
