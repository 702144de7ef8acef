#include "tacit/random/gaussian_table.h"

#include <utility>

#include "tacit/random/direct_internal.h"
#include "tacit/random/parameter_internal.h"
#include "tacit/random/strips_internal.h"

namespace tacit {
namespace {

// Words that were drawn before, then those of a stream.
class ResumedSource {
 public:
  static constexpr unsigned kWordBits = SecureStream::kWordBits;

  ResumedSource(const std::array<std::uint64_t, 2>& drawn, SecureStream& stream)
      : drawn_(drawn), stream_(stream) {}

  std::uint64_t next() { return next_ < drawn_.size() ? drawn_[next_++] : stream_.next(); }
  void fill(std::span<std::uint64_t> words) {
    for (std::uint64_t& word : words) word = next();
  }

 private:
  const std::array<std::uint64_t, 2>& drawn_;
  std::size_t next_ = 0;
  SecureStream& stream_;
};

}  // namespace

struct GaussianTable::State {
  explicit State(const mpq_class& variance)
      : strips(QuadraticExponent(variance, 0), Support::kSymmetric) {}

  Strips<QuadraticExponent> strips;
};

Result<GaussianTable> GaussianTable::create(const Rational& variance) {
  TACIT_RETURN_IF_ERROR(check_scale(variance, 2, "discrete gaussian"));
  return GaussianTable(std::make_shared<State>(variance.mpq()));
}

GaussianTable::GaussianTable(std::shared_ptr<const State> state)
    : state_(std::move(state)), words_(kLanes + kStrips * kLane) {
  state_->strips.tabulate(words_);
}

std::int64_t GaussianTable::resume(const std::array<std::uint64_t, 2>& words,
                                   SecureStream& stream) const {
  ResumedSource source(words, stream);
  if (const auto value = state_->strips.attempt<Path::kFastThenExact>(source)) return *value;
  return first_success<Path::kFastThenExact>(state_->strips, stream);
}

}  // namespace tacit
