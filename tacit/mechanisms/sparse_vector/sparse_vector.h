#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tacit/base/error.h"
#include "tacit/base/int128.h"
#include "tacit/mechanisms/release.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/samplers.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

struct SparseVectorPrivacy {
  // For all the answers "above" and "below" together.
  Rational epsilon;
  // How many times "above" may be said; then the session ends.
  std::uint64_t positives = 1;
  // Steps by which the answer to any one question may differ between neighbours.
  std::uint64_t sensitivity = 1;
  // True only where, between any two neighbours, no answer rises while another falls.
  bool monotonic = false;
  Neighbours neighbours = Neighbours::kAddRemove;
  // With it every "above" comes with a number; this is the epsilon of all numbers together.
  std::optional<Rational> numeric_epsilon = std::nullopt;
};

// Sparse vector, the variant of Lyu, Su and Li (2017), with integer noise: any number of questions,
// asked one after the other, each answered whether it is at or above a threshold, until that was
// said a fixed number of times. Only the times it was said cost anything. The proof is in proof.md.
class SparseVector {
 public:
  class Session;

  static Result<SparseVector> create(SparseVectorPrivacy privacy);

  // The sparse vector, and where numbers are given one discrete Laplace for each of them.
  [[nodiscard]] const Cost& cost() const { return cost_; }
  // How epsilon is divided between the threshold and the questions: 1 to (2c)^(2/3), or c^(2/3)
  // for monotonic answers, which makes the noise of the comparison least (ibid., section 4.2).
  [[nodiscard]] const Rational& threshold_epsilon() const { return threshold_epsilon_; }

  // Spends the permit and draws the noise of the threshold, once for the whole session. The
  // threshold is public.
  Result<Session> start(std::int64_t threshold, Permit&& permit, SecureStream& stream) const;

 private:
  SparseVector(DiscreteLaplace threshold_noise, DiscreteLaplace question_noise,
               std::optional<DiscreteLaplace> numeric_noise, Interval numeric_interval,
               std::uint64_t positives, Rational threshold_epsilon, Cost cost);

  DiscreteLaplace threshold_noise_;
  DiscreteLaplace question_noise_;
  std::optional<DiscreteLaplace> numeric_noise_;
  Interval numeric_interval_;
  std::uint64_t positives_;
  Rational threshold_epsilon_;
  Cost cost_;
};

// One run of the mechanism: move-only, because a copy could say "above" again for what was paid
// once. Not safe for use from two threads at once.
class SparseVector::Session {
 public:
  struct Answer {
    bool above = false;
    // Of a question that is above, where numbers were paid for. Its noise is its own, so its
    // interval is exact although the question was selected.
    std::optional<Released<std::int64_t>> value;
  };

  // What is moved from has nothing remaining.
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() = default;

  // How many more times "above" may be said.
  [[nodiscard]] std::uint64_t remaining() const { return remaining_; }
  // The ledger entry that paid.
  [[nodiscard]] const std::string& entry() const { return permit_.entry(); }

  // `answer` is the true answer to a question, in steps. Refuses when nothing remains.
  Result<Answer> ask(std::int64_t answer, SecureStream& stream);

 private:
  friend class SparseVector;

  Session(const SparseVector& mechanism, int128 noisy_threshold, Permit permit);

  DiscreteLaplace question_noise_;
  std::optional<DiscreteLaplace> numeric_noise_;
  Interval numeric_interval_;
  int128 noisy_threshold_;
  std::uint64_t remaining_;
  Permit permit_;  // spent
};

}  // namespace tacit
