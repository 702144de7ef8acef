#include "tacit/learn/logistic_regression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "tacit/learn/accelerated_descent.h"
#include "tacit/learn/on_record.h"
#include "tacit/sql/after_charge.h"

namespace tacit::learn {
namespace {

// How much of the noise that is left in the mean of the gradients the ridge makes up for.
constexpr double kRidgeShare = 0.3;
// Noise stays within about a deviation.
constexpr double kOneDeviation = 0.6827;

// The tables of a release: the number of rows, in steps; then a row for each gradient.
constexpr std::size_t kSizeTable = 0;
constexpr std::size_t kGradientTable = 1;

sql::Release empty_release(std::size_t weights) {
  Table size{.fields = {{"size", kIntegerType}}, .columns = {{}}};
  Table gradients;
  for (std::size_t j = 0; j < weights; ++j) {
    gradients.fields.push_back({fmt::format("gradient_{}", j), kIntegerType});
    gradients.columns.emplace_back();
  }
  return {.tables = {std::move(size), std::move(gradients)}, .learned = {{}, {}}};
}

void append(Table& table, const std::vector<int128>& row) {
  for (std::size_t j = 0; j < row.size(); ++j) table.columns[j].emplace_back(row[j]);
}

std::unexpected<Error> of_another_model() {
  return world_failed("the release on record is of another model", "ledger",
                      "--fresh pays for a new one");
}

Result<std::vector<int128>> row_of(const Table& table, std::size_t row) {
  std::vector<int128> out;
  for (const std::vector<Cell>& column : table.columns) {
    const auto* whole = row < column.size() ? std::get_if<int128>(&column[row]) : nullptr;
    if (whole == nullptr) return of_another_model();
    out.push_back(*whole);
  }
  return out;
}

// Goes down gradients that were released, however they came.
class Maker {
 public:
  static Result<Maker> create(const LogisticPlan& plan, int128 size) {
    TACIT_ASSIGN_OR_RETURN(const double size_width,
                           plan.size_noise.half_width(plan.allowance.confidence));
    TACIT_ASSIGN_OR_RETURN(const double noise, plan.gradient_noise.half_width(kOneDeviation));
    TACIT_ASSIGN_OR_RETURN(const double noise_width,
                           plan.gradient_noise.half_width(plan.allowance.confidence));
    return Maker(plan, plan.size_noise.grid.to_real(size), size_width, noise, noise_width);
  }

  [[nodiscard]] bool done() const { return descent_.done(); }
  [[nodiscard]] const std::vector<double>& point() const { return descent_.point(); }

  void step(const std::vector<int128>& gradient) {
    std::vector<double> mean;
    for (const int128 part : gradient)
      mean.push_back(plan_->gradient_noise.grid.to_real(part) / rows_);
    descent_.step(mean);
  }

  [[nodiscard]] LogisticModel model() const;

 private:
  Maker(const LogisticPlan& plan, double size, double size_width, double noise, double noise_width)
      : plan_(&plan),
        size_(size),
        size_width_(size_width),
        rows_(std::max({size, size_width, 1.0})),
        descent_shape_(descent_of(plan, noise / rows_)),
        half_width_(noise_width / rows_ * noise_gain(descent_shape_)),
        descent_(descent_shape_, plan.reading.row_shape().weights()) {}

  // `noise` is the deviation of a mean gradient.
  static Descent descent_of(const LogisticPlan& plan, double noise) {
    const RowShape shape = plan.reading.row_shape();
    const double left =
        noise * std::sqrt(static_cast<double>(shape.weights()) / static_cast<double>(plan.steps));
    return {.steps = plan.steps,
            .curvature = static_cast<double>(shape.moved()) / 4,
            .ridge = kRidgeShare * left};
  }

  const LogisticPlan* plan_;
  double size_;
  double size_width_;
  double rows_;  // what sums are divided by
  Descent descent_shape_;
  double half_width_;  // of a weight
  AcceleratedDescent descent_;
};

// In the features' own units, from weights of features on [-1, 1].
LogisticScore score_of(std::span<const double> weights, const LogisticReading& reading,
                       double half_width) {
  LogisticScore out{.intercept = {.value = weights[0]}};
  double squares = 1;
  for (std::size_t i = 0; i < reading.features.size(); ++i) {
    const Feature& feature = reading.features[i];
    const double offset = feature.middle() / feature.half();
    out.slopes.push_back(
        {.value = weights[1 + i] / feature.half(), .half_width = half_width / feature.half()});
    out.intercept.value -= weights[1 + i] * offset;
    squares += offset * offset;
  }
  out.intercept.half_width = half_width * std::sqrt(squares);
  std::size_t place = 1 + reading.features.size();
  for (const KnownColumn& category : reading.categories) {
    std::vector<Coefficient>& effects = out.effects.emplace_back();
    for (std::size_t i = 0; i < category.values.size(); ++i) {
      effects.push_back({.value = weights[place++], .half_width = half_width});
    }
  }
  return out;
}

// What all scores have in common changes no probability.
void centre(std::span<double> weights, std::size_t scores) {
  const std::size_t terms = weights.size() / scores;
  for (std::size_t j = 0; j < terms; ++j) {
    double mean = 0;
    for (std::size_t c = 0; c < scores; ++c) mean += weights[c * terms + j];
    mean /= static_cast<double>(scores);
    for (std::size_t c = 0; c < scores; ++c) weights[c * terms + j] -= mean;
  }
}

LogisticModel Maker::model() const {
  const RowShape shape = plan_->reading.row_shape();
  std::vector<double> weights = descent_.mean();
  if (shape.scores() > 1) centre(weights, shape.scores());
  LogisticModel out{.features = plan_->reading.features,
                    .categories = plan_->reading.categories,
                    .label = plan_->reading.label,
                    .rows = size_,
                    .rows_half_width = size_width_,
                    .ridge = descent_shape_.ridge,
                    .drowned = true};
  for (std::size_t c = 0; c < shape.scores(); ++c) {
    const auto of_score = std::span(weights).subspan(c * shape.terms(), shape.terms());
    out.scores.push_back(score_of(of_score, plan_->reading, half_width_));
    for (const double weight : of_score.subspan(1)) {
      out.drowned = out.drowned && std::abs(weight) <= half_width_;
    }
  }
  return out;
}

Result<LogisticModel> model_again(const LogisticPlan& plan, const sql::Release& released) {
  if (released.tables.size() != 2) return of_another_model();
  TACIT_ASSIGN_OR_RETURN(const auto size, row_of(released.tables[kSizeTable], 0));
  if (size.size() != 1) return of_another_model();
  TACIT_ASSIGN_OR_RETURN(Maker maker, Maker::create(plan, size.front()));
  for (std::size_t t = 0; !maker.done(); ++t) {
    TACIT_ASSIGN_OR_RETURN(const auto gradient, row_of(released.tables[kGradientTable], t));
    if (gradient.size() != maker.point().size()) return of_another_model();
    maker.step(gradient);
  }
  return maker.model();
}

Result<LogisticPasses> read_rows(const LogisticPlan& plan, Engine& engine, SecureStream& stream,
                                 std::uint64_t most_bytes) {
  const std::string secret = fmt::format("{:016x}{:016x}", stream.next(), stream.next());
  TACIT_ASSIGN_OR_RETURN(std::string statement, plan.reading.statement(engine.dialect(), secret));
  return LogisticPasses::begin(plan.reading.row_shape(), std::move(statement), engine, most_bytes);
}

struct Descended {
  LogisticModel model;
  sql::Release released;
};

// Everything after the charge.
Result<Descended> descend(const LogisticPlan& plan, Engine& engine, Permit permit,
                          SecureStream& stream, std::uint64_t most_bytes) {
  TACIT_ASSIGN_OR_RETURN(const Cost all,
                         Cost::repeat(plan.steps, plan.gradient_noise.noise.cost()));
  TACIT_ASSIGN_OR_RETURN(Permit size_permit, permit.take(plan.size_noise.noise.cost()));
  TACIT_ASSIGN_OR_RETURN(Permit gradient_permit, permit.take(all));
  TACIT_ASSIGN_OR_RETURN(LogisticPasses rows, read_rows(plan, engine, stream, most_bytes));
  sql::Release released = empty_release(plan.reading.row_shape().weights());
  const int128 exact = static_cast<int128>(rows.size()) << -plan.size_noise.grid.exponent();
  TACIT_ASSIGN_OR_RETURN(const int128 size,
                         plan.size_noise.noise.release(exact, std::move(size_permit), stream));
  append(released.tables[kSizeTable], {size});
  TACIT_ASSIGN_OR_RETURN(Maker maker, Maker::create(plan, size));
  while (!maker.done()) {
    TACIT_ASSIGN_OR_RETURN(Permit step, gradient_permit.take(plan.gradient_noise.noise.cost()));
    TACIT_ASSIGN_OR_RETURN(const auto sum,
                           rows.gradient(maker.point(), -plan.gradient_noise.grid.exponent()));
    TACIT_ASSIGN_OR_RETURN(const auto noisy,
                           plan.gradient_noise.noise.release(sum, std::move(step), stream));
    append(released.tables[kGradientTable], noisy.value);
    maker.step(noisy.value);
  }
  return Descended{.model = maker.model(), .released = std::move(released)};
}

}  // namespace

Result<LogisticMade> make_logistic(const LogisticPlan& plan, const sql::Asker& asker,
                                   const Place& place, std::uint64_t most_bytes) {
  TACIT_ASSIGN_OR_RETURN(SecureStream stream, SecureStream::create());
  TACIT_ASSIGN_OR_RETURN(const Digest digest,
                         fingerprint(plan, asker.account.dataset, place.engine.dialect()));
  TACIT_ASSIGN_OR_RETURN(auto recorded, find_on_record(digest, asker, place.ledger));
  if (recorded) {
    TACIT_ASSIGN_OR_RETURN(LogisticModel model, model_again(plan, recorded->release));
    return LogisticMade{.model = std::move(model), .asked = std::move(recorded->asked)};
  }
  TACIT_RETURN_IF_ERROR(place.engine.reconnect());
  TACIT_ASSIGN_OR_RETURN(Permit permit, place.ledger.reserve({.account = asker.account,
                                                              .cost = plan.cost,
                                                              .who = asker.who,
                                                              .note = asker.note,
                                                              .fingerprint = digest}));
  sql::Asked asked{.entry = permit.entry()};
  auto descended = descend(plan, place.engine, std::move(permit), stream, most_bytes);
  if (!descended) return sql::after_charge(std::move(descended).error(), asked.entry);
  keep_on_record(descended->released, digest, place.ledger, asked);
  return LogisticMade{.model = std::move(descended->model), .asked = std::move(asked)};
}

}  // namespace tacit::learn
