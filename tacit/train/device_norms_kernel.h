// Norms of gradients, from what they were computed of to the factors that clip them. Plain C++ and
// CUDA at once: NVRTC compiles this text when a device first needs it; on the processor it is
// called as it is. On a device it includes nothing.
#pragma once

#ifdef __CUDACC_RTC__
#define TACIT_DEVICE __device__ inline
#else
#include <cmath>
#define TACIT_DEVICE inline
#endif

namespace tacit_device {

// How the square of a norm was computed: from gradients that were multiplied out, or from inner
// products.
enum Way : int { kMultipliedOut, kInnerProducts };

// What bounds the norms of one parameter's gradients (proof.md, lemma 2). Places are rows of a
// table with a column for each example, -1 where there is none.
struct NormTerms {
  int way;
  int computed;     // the square as floating point gave it; -1: it is left * right
  int left;         // left * right is the square of what bounds the sum of the terms' norms
  int right;        // -1: 1
  double rounding;  // the relative error of that sum, or of its square for inner products
  // What numbers that are too small for a square of their own may lack in left and in right.
  double left_lost;
  double right_lost;
};

TACIT_DEVICE double square_root(double x) {
#ifdef __CUDACC_RTC__
  return sqrt(x);
#else
  return std::sqrt(x);
#endif
}

// No less than the square of the true norm; not finite where the gradient is not.
TACIT_DEVICE double upper_square(const NormTerms& terms, const double* table, long long examples,
                                 long long example) {
  const double left = table[terms.left * examples + example];
  const double right = terms.right < 0 ? 1 : table[terms.right * examples + example];
  const double gross = left * right;
  const double computed = terms.computed < 0 ? gross : table[terms.computed * examples + example];
  if (terms.way == kMultipliedOut) {
    const double norm = square_root(computed) + terms.rounding * square_root(gross);
    return norm * norm;
  }
  const double positive = computed < 0 ? 0 : computed;  // and what is no number stays none
  return positive + terms.rounding * gross + left * terms.right_lost + terms.left_lost * right;
}

// How examples are clipped.
struct Limit {
  double bound;
  double largest;    // factor
  double stability;  // what is added to norms; above 0 for automatic clipping alone
};

TACIT_DEVICE bool is_finite(double x) {
  constexpr double kLargest = 1.7976931348623157e308;
  return x >= -kLargest && x <= kLargest;
}

TACIT_DEVICE double factor_of(double square, const Limit& limit) {
  // 2^-100: in single precision smaller ones would lose digits, which nothing pays for.
  constexpr double kSmallestFactor = 7.888609052210118e-31;
  const double factor = limit.bound / (square_root(square) + limit.stability);
  if (factor < kSmallestFactor) return 0;
  // A norm of 0 gives the largest.
  return limit.stability > 0 || factor < limit.largest ? factor : limit.largest;
}

}  // namespace tacit_device

#ifdef __CUDACC_RTC__

using namespace tacit_device;

// The inner product of each row of two matrices, by a block a row. Products of floats are exact in
// double precision.
extern "C" __global__ void row_dots(const float* left, const float* right, long long length,
                                    int aligned, double* out) {
  const float* const a = left + blockIdx.x * length;
  const float* const b = right + blockIdx.x * length;
  double sum = 0;
  if (aligned) {
    const float4* const a4 = reinterpret_cast<const float4*>(a);
    const float4* const b4 = reinterpret_cast<const float4*>(b);
    double sums[4] = {0, 0, 0, 0};
    for (long long i = threadIdx.x; i < length / 4; i += blockDim.x) {
      const float4 x = a4[i];
      const float4 y = b4[i];
      sums[0] += double{x.x} * double{y.x};
      sums[1] += double{x.y} * double{y.y};
      sums[2] += double{x.z} * double{y.z};
      sums[3] += double{x.w} * double{y.w};
    }
    sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  } else {
    for (long long i = threadIdx.x; i < length; i += blockDim.x) sum += double{a[i]} * double{b[i]};
  }
  __shared__ double of_warps[32];
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_down_sync(0xffffffffU, sum, apart);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < blockDim.x / 32; ++i) sum += of_warps[i];
  out[blockIdx.x] = sum;
}

// How the patches of images lie, in height and in width.
struct PatchPlan {
  int size[2];
  int kernel[2];
  int stride[2];
  int padding[2];
  int dilation[2];
  int places[2];
};

// The patches of each channel of each image, [kernel, places], by a block a channel.
extern "C" __global__ void copy_patches(const float* images, PatchPlan plan, float* out) {
  const int places = plan.places[0] * plan.places[1];
  const int pixels = plan.kernel[0] * plan.kernel[1];
  const float* const image =
      images + static_cast<long long>(blockIdx.x) * plan.size[0] * plan.size[1];
  float* const columns = out + static_cast<long long>(blockIdx.x) * pixels * places;
  // Where there are fewer places than threads, these share the kernel.
  const int threads = static_cast<int>(blockDim.x);
  const int shares = places < threads ? threads / places : 1;
  const int share = places < threads ? static_cast<int>(threadIdx.x) / places : 0;
  if (share >= shares) return;
  const int first =
      places < threads ? static_cast<int>(threadIdx.x) % places : static_cast<int>(threadIdx.x);
  for (int place = first; place < places; place += threads) {
    const int top = place / plan.places[1] * plan.stride[0] - plan.padding[0];
    const int left = place % plan.places[1] * plan.stride[1] - plan.padding[1];
    int down = share / plan.kernel[1];
    int across = share % plan.kernel[1];
    for (int pixel = share; pixel < pixels; pixel += shares) {
      const int y = top + down * plan.dilation[0];
      const int x = left + across * plan.dilation[1];
      const bool inside = y >= 0 && y < plan.size[0] && x >= 0 && x < plan.size[1];
      columns[static_cast<long long>(pixel) * places + place] =
          inside ? image[y * plan.size[1] + x] : 0.0f;
      for (across += shares; across >= plan.kernel[1]; across -= plan.kernel[1]) ++down;
    }
  }
}

// upper_square of every parameter and example.
extern "C" __global__ void upper_squares(const NormTerms* terms, long long parameters,
                                         const double* table, long long examples, double* out) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= parameters * examples) return;
  out[i] = upper_square(terms[i / examples], table, examples, i % examples);
}

// Of each example the square of the whole norm, whether it is lost, and its factors: one, or one
// for each parameter.
extern "C" __global__ void clip_factors(const double* squares, long long parameters,
                                        long long examples, Limit limit, int by_parameter,
                                        double* totals, bool* lost, double* factors) {
  const long long example = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (example >= examples) return;
  double total = 0;
  for (long long p = 0; p < parameters; ++p) total += squares[p * examples + example];
  totals[example] = total;
  lost[example] = !is_finite(total);
  for (long long p = 0; p < (by_parameter ? parameters : 1); ++p) {
    const long long at = p * examples + example;
    factors[at] = is_finite(total) ? factor_of(by_parameter ? squares[at] : total, limit) : 0;
  }
}

#endif
