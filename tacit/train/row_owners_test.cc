#include "tacit/train/row_owners_internal.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tacit/train/example_layout_internal.h"

namespace tacit::train {
namespace {

// What the passes of a search see where the losses of examples have these derivatives by rows:
// [examples, rows, width].
std::vector<at::Tensor> marks_of(const OwnerSearch& search, const at::Tensor& derivatives) {
  std::vector<at::Tensor> marks;
  for (const at::Tensor& weights : search.weights().unbind()) {
    const at::Tensor weight = weights.to(derivatives.scalar_type()).view({-1, 1, 1});
    marks.push_back(OwnerSearch::marks_of((derivatives * weight).sum(0), derivatives.size(1)));
  }
  return marks;
}

at::Tensor derivatives_of(std::int64_t examples, const std::vector<std::int64_t>& owners) {
  const auto rows = static_cast<std::int64_t>(owners.size());
  at::Tensor derivatives = at::zeros({examples, rows, 3}, at::kFloat);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t owner = owners[static_cast<std::size_t>(row)];
    if (owner >= 0) derivatives[owner][row] = at::randn({3});
  }
  return derivatives;
}

TEST(OwnerSearch, FindsTheOwnerOfEveryRow) {
  at::manual_seed(1);
  for (const std::int64_t examples : {1, 2, 64, 65, 200, 5000}) {
    std::vector<std::int64_t> owners{0, examples - 1, examples / 2, ExampleLayout::kNobody,
                                     examples / 3};
    const OwnerSearch search(examples);
    EXPECT_EQ(search.owners(marks_of(search, derivatives_of(examples, owners))), owners)
        << examples;
  }
}

TEST(OwnerSearch, TakesAsManyPassesAsPlacesHaveDigits) {
  EXPECT_EQ(OwnerSearch(1).weights().size(0), 1);
  EXPECT_EQ(OwnerSearch(64).weights().size(0), 2);
  EXPECT_EQ(OwnerSearch(4096).weights().size(0), 3);
  EXPECT_EQ(OwnerSearch(4097).weights().size(0), 4);
}

TEST(OwnerSearch, FindsNoneWhereLossesOfTwoReachARow) {
  at::manual_seed(2);
  const OwnerSearch search(100);
  for (const float size : {1.0F, 0.01F, 1e-9F}) {
    at::Tensor derivatives = derivatives_of(100, {3, 70, 5});
    derivatives[90][0] = at::randn({3}) * size;
    EXPECT_FALSE(search.owners(marks_of(search, derivatives))) << size;
  }
  at::Tensor opposed = derivatives_of(100, {3, 70, 5});
  opposed[90][0] = -opposed[3][0];
  EXPECT_FALSE(search.owners(marks_of(search, opposed)));
}

// Whether a row has an owner depends on its gradient, not on where its owner stands in the batch.
TEST(OwnerSearch, FindsOwnersAtAllPlacesOrNone) {
  const OwnerSearch search(64);
  const auto owner_of = [&](std::int64_t example, double size) {
    at::Tensor derivatives = at::zeros({64, 1, 3}, at::kFloat);
    derivatives[example][0] = at::tensor({0.5F, -1.0F, 0.25F}) * size;
    return search.owners(marks_of(search, derivatives)).value().front();
  };
  for (std::int64_t example = 0; example < 64; ++example) {
    for (const double size : {1e-24, 1e-10, 1.0, 1e10, 1e23}) {
      EXPECT_EQ(owner_of(example, size), example) << size;
    }
    for (const double size : {1e-27, 1e26, 1e37}) {
      EXPECT_EQ(owner_of(example, size), ExampleLayout::kNobody) << size;
    }
  }
}

TEST(OwnerSearch, GivesRowsThatAreNotFiniteToNobody) {
  at::manual_seed(3);
  const OwnerSearch search(4);
  at::Tensor derivatives = derivatives_of(4, {0, 1, 2});
  derivatives[1][1][2] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(search.owners(marks_of(search, derivatives)),
            (std::vector<std::int64_t>{0, ExampleLayout::kNobody, 2}));
}

}  // namespace
}  // namespace tacit::train
