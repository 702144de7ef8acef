#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/train/clipping.h"
#include "tacit/train/mixed_precision.h"

namespace tacit::train {

// The sum of clipped per-example gradients of one batch. It is private: only GradientNoise reads
// it, for a permit. It knows the bound that one example kept to.
class ClippedSum {
 public:
  // A vote in steps.
  static constexpr std::int64_t kVoteSteps = std::int64_t{1} << 20;

  [[nodiscard]] const Clipping& clipping() const { return clipping_; }

  // Adds the sum of another physical batch of the same step, in double precision.
  Result<void> add(ClippedSum other);

 private:
  friend class Clipper;
  friend class GradientNoise;
  friend class ClippedSumForTests;

  ClippedSum(Clipping clipping, std::vector<at::Tensor> gradients);

  Clipping clipping_;
  std::vector<at::Tensor> gradients_;  // one a parameter, of its shape
  bool zero_ = false;                  // known to be the sum of no examples
  std::int64_t votes_ = 0;             // of examples on the threshold, in steps
  std::vector<at::ScalarType> types_;  // of the parameters; sums of several batches are doubles
};

// Sums the gradients of examples, each clipped by itself, from one backward pass.
//
//   TACIT_ASSIGN_OR_RETURN(Clipper clipper, Clipper::create(model->parameters(), {.bound = 1}));
//   at::Tensor losses = cross_entropy(model->forward(x), y, kNone);     // one an example
//   TACIT_ASSIGN_OR_RETURN(ClippedSum sum, clipper.clip(losses));
//
// Works on the autograd graph: any model will do, of modules or of plain functions. Operations that
// it knows by their backward node (linear maps, convolutions, embeddings, recurrences, layer and
// group normalization, their biases, parameters that are added to rows or multiply them) need no
// per-example gradient: norms come from what the operation took in and from the gradient of what it
// gave out. For parameters that go into any other operation it walks backward from each loss by
// itself, several at once where memory allows and operations can be batched; slow() says which, and
// why.
//
// What one example adds never exceeds the bound; proof.md says how floating point is paid for. An
// example whose gradient is not finite adds nothing. Where a parameter goes the slow way and an
// infinite number of one example spoils the gradients of all others, it is an error, unless the
// example is added by itself.
//
// Not for use from two threads at once. May be moved.
class Clipper {
 public:
  // Parameters that do not require a gradient are left alone (their sums are zero). Refuses a bound
  // that is not above 0, no parameters at all, and types other than float and double: sums of half
  // precision would not keep the bound. With `mixed_precision` the forward pass may have run in
  // half precision, as under autocast, which is refused without: norms and sums are in single
  // precision all the same. (Assumption D of proof.md is about batches of one shape:
  // PrivateSgd::passes.)
  static Result<Clipper> create(std::vector<at::Tensor> parameters, Clipping clipping,
                                const std::optional<MixedPrecision>& mixed_precision = {});

  Clipper(Clipper&&) noexcept;
  Clipper& operator=(Clipper&&) noexcept;
  Clipper(const Clipper&) = delete;
  Clipper& operator=(const Clipper&) = delete;
  ~Clipper();

  // `losses` is a vector with the loss of each example, which depends on that example alone. Frees
  // the graph. Refuses a model that mixes examples (batch normalization in training mode) by the
  // name of the operation. Losses that `nobodys` marks (a truth value for each) are of no example,
  // and add nothing.
  Result<ClippedSum> clip(const at::Tensor& losses, const at::Tensor& nobodys = {});
  // From now on gradients are scaled down where their norm is above `threshold`, the bound at
  // first. Sums are in units in which that is the bound: an example adds the bound at most,
  // whatever the threshold. Refuses one that is not above 0.
  Result<void> set_threshold(double threshold);
  // From now on sums also hold votes: 1 of each example within the threshold, -1 of each beyond,
  // and in between close to it (proof.md, lemma 5).
  void count_votes();
  // What a batch of no examples gives.
  [[nodiscard]] ClippedSum nothing() const;

  // The parameters that the last call could not do from one backward pass, with the operation that
  // is to blame: "parameter 3 in SinBackward0". Depends on the model, not on the data.
  [[nodiscard]] const std::vector<std::string>& slow() const;

 private:
  friend class ClippedSumForTests;
  class State;
  explicit Clipper(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace tacit::train
