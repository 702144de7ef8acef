#include "tacit/learn/logistic_passes.h"

#include <utility>

namespace tacit::learn {
namespace {

// Calls take(rows) with the rows of one block after another.
template <class Take>
Result<void> each_block(const RowShape& shape, const std::string& statement, Engine& engine,
                        const Take& take) {
  const std::size_t expected = 1 + shape.numbers + shape.categories.size();
  bool fits = true;
  LogisticRows block(shape);
  TACIT_RETURN_IF_ERROR(engine.each_integers(statement, [&](const IntegerColumns& columns) {
    fits = fits && columns.size() == expected;
    if (!fits) return;
    block.clear();
    block.add(columns);
    take(block, columns);
  }));
  if (fits) return {};
  return world_failed("the engine answered with other columns than asked for", "engine");
}

}  // namespace

Result<LogisticPasses> LogisticPasses::begin(RowShape shape, std::string statement, Engine& engine,
                                             std::uint64_t most_bytes) {
  LogisticPasses out(std::move(shape), std::move(statement), engine);
  out.kept_ = std::make_unique<LogisticRows>(out.shape_);
  TACIT_RETURN_IF_ERROR(each_block(out.shape_, out.statement_, engine,
                                   [&](const LogisticRows& block, const IntegerColumns& columns) {
                                     out.size_ += block.size();
                                     if (!out.kept_) return;
                                     if (out.kept_->bytes() + block.bytes() > most_bytes) {
                                       out.kept_.reset();
                                     } else {
                                       out.kept_->add(columns);
                                     }
                                   }));
  return out;
}

Result<std::vector<int128>> LogisticPasses::gradient(std::span<const double> weights, int places) {
  std::vector<int128> sum(shape_.weights(), 0);
  if (kept_) {
    kept_->add_gradient(weights, places, sum);
    return sum;
  }
  TACIT_RETURN_IF_ERROR(each_block(shape_, statement_, *engine_,
                                   [&](const LogisticRows& block, const IntegerColumns&) {
                                     block.add_gradient(weights, places, sum);
                                   }));
  return sum;
}

}  // namespace tacit::learn
