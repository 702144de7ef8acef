#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tacit/train/example_layout_internal.h"

namespace tacit::train {

// Squared norms of per-example gradients, one an example, in double precision: as floating point
// gave them, and what bounds how much larger the true ones may be (proof.md, lemma 2). They are
// finished for all parameters at once (clip_factors.h).
struct SquaredNorms {
  at::Tensor computed;  // undefined: left * right
  at::Tensor left;      // left * right bounds the square of the sum of the terms' norms
  at::Tensor right;     // undefined: 1
  double rounding = 0;  // the relative error of that sum, or of its square for inner products
  bool by_inner_products = false;
  // By inner products: what numbers whose squares are lost may lack in left and in right.
  double left_lost = 0;
  double right_lost = 0;

  // Of gradients that were multiplied out: `error` bounds what each lost to rounding.
  static SquaredNorms of_gradients(at::Tensor computed, const at::Tensor& error);
};

// One place where a parameter went into the forward pass: what its per-example gradients are made
// of. They are kept as factors, and multiplied out where that is the cheaper way.
class ParameterUse {
 public:
  ParameterUse() = default;
  ParameterUse(const ParameterUse&) = delete;
  ParameterUse& operator=(const ParameterUse&) = delete;
  virtual ~ParameterUse() = default;

  // The gradients of examples from, ..., to - 1, each a row.
  [[nodiscard]] virtual at::Tensor per_example(std::int64_t from, std::int64_t to) const = 0;
  // Bounds on the norms of the rounding errors of per_example.
  [[nodiscard]] virtual at::Tensor error() const = 0;
  // May keep what weighted_sum can use again.
  virtual SquaredNorms squared_norms() = 0;
  // The sum of all gradients, each times its factor, as a vector.
  [[nodiscard]] virtual at::Tensor weighted_sum(const at::Tensor& factors) const = 0;
  // Makes the gradients of the examples marked zero, whatever they were.
  virtual void drop(const at::Tensor& marked) = 0;
};

// Gradients that are given one by one: those of biases and of normalizations, which are no larger
// than what the operation gave out. `length` terms were added up for each, whose squares sum to
// `squares`.
std::unique_ptr<ParameterUse> stored_use(at::Tensor gradients, std::int64_t length,
                                         const at::Tensor& squares);

// What is added to every row of an operation: the sum of the gradients of an example's rows.
std::unique_ptr<ParameterUse> row_sum_use(const at::Tensor& by_row, const ExampleLayout& layout);
// Where the squares of an example's rows are known.
std::unique_ptr<ParameterUse> row_sum_use(const at::Tensor& by_row, const ExampleLayout& layout,
                                          const at::Tensor& squares);

// The weight of a linear map [out, in]: the sum over rows of gradient (outer product) input.
// `input` is [rows, in], `gradient` [rows, out], whose squares sum to `squares` for each example.
// With `transposed` the parameter is [in, out].
std::unique_ptr<ParameterUse> linear_use(at::Tensor input, at::Tensor gradient, at::Tensor squares,
                                         ExampleLayout layout, bool transposed);

struct ConvolutionShape {
  std::vector<std::int64_t> stride;
  std::vector<std::int64_t> padding;
  std::vector<std::int64_t> dilation;
  std::vector<std::int64_t> output_padding;
  bool transposed = false;
  std::int64_t groups = 1;
};
// The weight of a convolution in one or two dimensions. The squares of `gradient` sum to `squares`
// for each example.
std::unique_ptr<ParameterUse> convolution_use(const at::Tensor& input, const at::Tensor& gradient,
                                              at::Tensor squares, at::Tensor weight,
                                              ConvolutionShape shape, const ExampleLayout& layout);

// A table of vectors: `indices` [rows], `gradient` [rows, width]. The vector at `padding` stays as
// it is; there is none where it is negative.
std::unique_ptr<ParameterUse> embedding_use(const at::Tensor& indices, const at::Tensor& gradient,
                                            std::int64_t vectors, std::int64_t padding,
                                            const ExampleLayout& layout);

// --- What the kinds have in common.

// Sums of squares over all but the first dimension, no smaller than the true ones by more than a
// relative 2^-13.
at::Tensor squares_by_example(const at::Tensor& values);
// Sums of products over all but the first dimension. `left` may be overwritten. An example's sum
// has the rounding errors of at most kDotTerms terms.
constexpr std::int64_t kDotTerms = 514;
at::Tensor dots_by_example(const at::Tensor& left, const at::Tensor& right);
// As squares_by_example of `rows` [examples, length, width], whose inner products [examples,
// length, length] are known.
at::Tensor squares_within(const at::Tensor& products, const at::Tensor& rows);
// What squares_by_example(values) may lack for numbers that are too small to have a square, which
// it has added.
double lost_squares(const at::Tensor& values);

// The squares of the gradient that an operation's parameters share, taken once.
class SharedSquares {
 public:
  // Of one and the same gradient, whenever it is called.
  const at::Tensor& of(const at::Tensor& gradient, const ExampleLayout& layout) {
    if (!squares_.defined()) squares_ = squares_by_example(layout.arrange(gradient));
    return squares_;
  }

 private:
  at::Tensor squares_;
};
// A bound on the relative rounding error of a sum of `terms` products (Higham 2002, lemma 3.1).
double rounding_bound(std::int64_t terms, at::ScalarType type);
// `values` [examples, ...] with zeros in place of the examples marked.
at::Tensor without(const at::Tensor& values, const at::Tensor& marked);
// Gradients that are multiplied out some examples at a time.
struct Chunks {
  std::int64_t examples = 1;
  std::int64_t numbers = 1;  // of an example's gradient
  std::int64_t at_once = 1;  // examples
  // Whether each thread works on examples of its own; else all share each piece of the work.
  bool by_thread = false;
};
// Makes `gradients` [to - from, numbers] those of the examples from, ..., to - 1. `room` is for
// what it needs beside them, undefined at first, and never in use twice at a time.
using MultiplyOut = std::function<void(std::int64_t from, std::int64_t to,
                                       const at::Tensor& gradients, at::Tensor& room)>;
// The squares of such gradients, which are like `like` and are made in `kept` [examples, numbers]
// where that is defined.
at::Tensor squares_in_chunks(const Chunks& chunks, const at::Tensor& like, const at::Tensor& kept,
                             const MultiplyOut& multiply_out);

// How many examples of `numbers` numbers each are worked on at once, beside tensors of `held`
// numbers that a step holds anyway.
std::int64_t examples_at_once(std::int64_t numbers, std::int64_t held, at::Device device);
// Whether `gradients` numbers, each a sum of `terms` products, are worth keeping for the weighted
// sum in place of the `factors` numbers that they were made of.
bool worth_keeping(std::int64_t gradients, std::int64_t factors, std::int64_t terms);

}  // namespace tacit::train
