#include "tacit/train/clipped_sum.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "tacit/train/clip_factors_internal.h"
#include "tacit/train/half_precision_internal.h"
#include "tacit/train/per_example_internal.h"

namespace tacit::train {
namespace {

bool all_finite(const std::vector<at::Tensor>& tensors) {
  return std::ranges::all_of(tensors,
                             [](const at::Tensor& t) { return t.isfinite().all().item<bool>(); });
}

Result<void> check_parameters(const std::vector<at::Tensor>& parameters) {
  bool trainable = false;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string where = "parameter " + std::to_string(i);
    if (!parameters[i].defined()) return bad_input("the parameter is no tensor", where);
    if (!parameters[i].requires_grad()) continue;
    trainable = true;
    const auto type = parameters[i].scalar_type();
    if (type != at::kFloat && type != at::kDouble) {
      return bad_input("gradients of type " + std::string(c10::toString(type)) +
                           " are not summed exactly enough to keep a bound",
                       where, "keep the parameters in float32 or float64");
    }
    if (!parameters[i].is_leaf()) {
      return bad_input("the parameter is the result of a computation", where,
                       "give the tensors that the optimizer steps");
    }
  }
  if (!trainable) {
    return bad_input("no parameter requires a gradient", "parameters",
                     "unfreeze some, or leave training out");
  }
  return {};
}

Result<void> check_losses(const at::Tensor& losses) {
  if (!losses.defined() || losses.dim() != 1) {
    return bad_input("the losses are not a vector", "losses",
                     "give one loss an example: reduction 'none', averaged over each example");
  }
  if (!losses.requires_grad()) {
    return bad_input("the losses do not depend on a parameter", "losses",
                     "compute them from the model with gradients enabled");
  }
  if (is_half(losses.scalar_type())) {
    return bad_input("the losses are in half precision", "losses",
                     "cast what the model gives to float32 before the loss is taken");
  }
  return {};
}

bool is_reduced(at::Float32Precision precision) {
  return precision == at::Float32Precision::TF32 || precision == at::Float32Precision::BF16;
}

// Settings of libtorch that let products of floats be computed with fewer digits.
Result<void> check_precision(const std::vector<at::Tensor>& parameters) {
  const at::Context& context = at::globalContext();
  // The older setting, of products of matrices alone, sets these, too.
  using Op = at::Float32Op;
  for (const Op op : {Op::CONV, Op::RNN, Op::MATMUL}) {
    if (is_reduced(context.float32Precision(at::Float32Backend::MKLDNN, op))) {
      return bad_input("libtorch may multiply floats in reduced precision", "libtorch",
                       "set float32_matmul_precision to 'highest', and fp32_precision to 'ieee'");
    }
  }
  const bool on_gpu =
      std::ranges::any_of(parameters, [](const at::Tensor& p) { return p.is_cuda(); });
  if (on_gpu && (context.allowTF32CuBLAS() || context.allowTF32CuDNN())) {
    return bad_input("libtorch may compute in TF32, in which sums do not keep a bound", "libtorch",
                     "set allow_tf32 of cuBLAS and cuDNN to false");
  }
  return {};
}

}  // namespace

class Clipper::State {
 public:
  State(std::vector<at::Tensor> all, Clipping how, const std::optional<MixedPrecision>& mixed)
      : parameters(std::move(all)), clipping(how), mixed_precision(mixed) {
    for (const at::Tensor& parameter : parameters) {
      // One zero that stands for all of them: most are replaced before anyone reads them.
      zeros.push_back(parameter.detach().new_zeros({}).expand(parameter.sizes()));
    }
  }

  // What libtorch throws is passed on. `nobodys` marks losses that are of no example, where there
  // are any.
  Result<std::vector<at::Tensor>> sums(const at::Tensor& losses, const at::Tensor& nobodys) {
    TACIT_ASSIGN_OR_RETURN(auto gradients,
                           PerExampleGradients::of(losses, parameters, layouts, mixed_precision));
    slow.clear();
    for (const auto& [parameter, operation] : gradients.unknown()) {
      slow.push_back("parameter " + std::to_string(parameter) + " in " + operation);
    }
    const c10::NoGradGuard no_grad;
    ClipFactors clip = clip_factors(gradients.squared_norms(), clipping, threshold);
    if (nobodys.defined()) {
      for (at::Tensor& factor : clip.factors) factor = factor.masked_fill(nobodys, 0);
    }
    // Asked for when all is under way: a device goes on while its answer is waited for.
    std::vector<at::Tensor> sums = gradients.weighted_sums(clip.factors);
    if (counts_votes) votes = votes_of(clip, nobodys);
    if (!clip.lost.any().item<bool>()) return sums;
    const bool walks = gradients.walks_examples();
    if (walks && losses.size(0) > 1 && clip.lost.all().item<bool>()) {
      return lost_among_slow();
    }
    gradients.drop(clip.lost);
    sums = gradients.weighted_sums(clip.factors);
    if (walks && !all_finite(sums)) return lost_among_slow();
    return sums;
  }

  std::vector<at::Tensor> parameters;
  std::vector<at::Tensor> zeros;  // of their shapes
  Clipping clipping;
  std::optional<MixedPrecision> mixed_precision;
  double threshold = clipping.bound;
  bool counts_votes = false;
  std::int64_t votes = 0;  // of the last sums
  KnownLayouts layouts;
  std::vector<std::string> slow;

 private:
  // Votes do not jump at the threshold, lest the last bits of norms decide many at once.
  [[nodiscard]] std::int64_t votes_of(const ClipFactors& clip, const at::Tensor& nobodys) const {
    constexpr double kSteepness = 16;
    const at::Tensor each = (kSteepness * (1 - at::sqrt(clip.squares) / threshold))
                                .clamp_(-1, 1)
                                .masked_fill_(clip.lost, -1);
    if (nobodys.defined()) each.masked_fill_(nobodys, 0);
    constexpr auto kSteps = static_cast<double>(ClippedSum::kVoteSteps);
    return (each * kSteps).round_().to(at::kLong).sum().item<std::int64_t>();
  }

  // On the slow way a pass from one loss goes through the numbers of all examples. Where one of
  // these is infinite, no example can be told from the others.
  [[nodiscard]] std::unexpected<Error> lost_among_slow() const {
    return world_failed("a gradient is not finite, and cannot be left out",
                        slow.empty() ? "losses" : slow.front(),
                        "replace the operation by one that docs/training.md lists, or add the "
                        "examples of this batch one by one");
  }
};

Result<Clipper> Clipper::create(std::vector<at::Tensor> parameters, Clipping clipping,
                                const std::optional<MixedPrecision>& mixed_precision) {
  if (!(clipping.bound > 0) || !std::isfinite(clipping.bound)) {
    return bad_input("the clipping bound must be a number above 0", "clipping",
                     "give a bound such as 1");
  }
  if (clipping.bound < 0x1p-60 || clipping.bound > 0x1p60) {
    return bad_input("with a clipping bound below 2^-60 or above 2^60 sums lose digits", "clipping",
                     "give a bound such as 1");
  }
  if (mixed_precision) TACIT_RETURN_IF_ERROR(mixed_precision->check());
  TACIT_RETURN_IF_ERROR(check_parameters(parameters));
  return Clipper(std::make_unique<State>(std::move(parameters), clipping, mixed_precision));
}

Clipper::Clipper(std::unique_ptr<State> state) : state_(std::move(state)) {}
Clipper::Clipper(Clipper&&) noexcept = default;
Clipper& Clipper::operator=(Clipper&&) noexcept = default;
Clipper::~Clipper() = default;

Result<void> Clipper::set_threshold(double threshold) {
  if (!(threshold > 0) || !std::isfinite(threshold)) {
    return bad_input("the clipping bound must be a number above 0", "clipping",
                     "give a bound such as 1");
  }
  state_->threshold = threshold;
  return {};
}

void Clipper::count_votes() { state_->counts_votes = true; }

const std::vector<std::string>& Clipper::slow() const { return state_->slow; }

ClippedSum Clipper::nothing() const {
  ClippedSum sum(state_->clipping, state_->zeros);
  sum.zero_ = true;
  return sum;
}

Result<ClippedSum> Clipper::clip(const at::Tensor& losses, const at::Tensor& nobodys) {
  TACIT_RETURN_IF_ERROR(check_losses(losses));
  if (losses.size(0) == 0) return nothing();
  // Within the caller's autocast the products of norms and sums would be in half precision.
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  try {
    TACIT_RETURN_IF_ERROR(check_precision(state_->parameters));
    TACIT_ASSIGN_OR_RETURN(auto sums, state_->sums(losses, nobodys));
    ClippedSum sum(state_->clipping, std::move(sums));
    sum.votes_ = state_->votes;
    return sum;
  } catch (const std::exception& failure) {
    const std::string_view what = failure.what();  // and, on further lines, where in libtorch
    return world_failed("the backward pass failed: " + std::string(what.substr(0, what.find('\n'))),
                        "libtorch", "where memory is short, take smaller physical batches");
  }
}

ClippedSum::ClippedSum(Clipping clipping, std::vector<at::Tensor> gradients)
    : clipping_(clipping), gradients_(std::move(gradients)) {
  for (const at::Tensor& gradient : gradients_) types_.push_back(gradient.scalar_type());
}

Result<void> ClippedSum::add(ClippedSum other) {
  if (other.gradients_.size() != gradients_.size() || other.clipping_ != clipping_) {
    return bad_input("sums of different models or bounds cannot be added", "clipped sum");
  }
  if (other.zero_) return {};
  if (zero_) {
    *this = std::move(other);
    return {};
  }
  const c10::NoGradGuard no_grad;
  for (std::size_t i = 0; i < gradients_.size(); ++i) {
    gradients_[i] = gradients_[i].to(at::kDouble) + other.gradients_[i];
  }
  votes_ += other.votes_;
  return {};
}

}  // namespace tacit::train
