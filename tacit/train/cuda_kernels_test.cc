// Compiles for devices that need not be here.
#include "tacit/train/cuda_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tacit/train/device_text_internal.h"

namespace tacit::train {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct KernelText {
  std::string name;
  const char* (*text)();
  std::vector<std::string> kernels;

  friend void PrintTo(const KernelText& text, std::ostream* out) { *out << text.name; }
};

class KernelTexts : public ::testing::TestWithParam<KernelText> {
 protected:
  void SetUp() override {
    // The wheel of PyTorch for CUDA brings NVRTC, that for processors does not.
    const auto nothing = to_ptx("", kArchitecture);
    if (!nothing) GTEST_SKIP() << "NVRTC is not here: " << nothing.error().message();
  }

  static constexpr const char* kArchitecture = "compute_90";
};

// Where a text does not compile the processor does the work, and nobody would know.
TEST_P(KernelTexts, Compile) {
  const auto ptx = to_ptx(GetParam().text(), kArchitecture);
  ASSERT_TRUE(ptx) << ptx.error().message();
  for (const std::string& kernel : GetParam().kernels) {
    EXPECT_THAT(*ptx, HasSubstr(".entry " + kernel + "("));
  }
}

TEST_P(KernelTexts, RoundAsTheProofSays) {
  const auto ptx = to_ptx(GetParam().text(), kArchitecture);
  ASSERT_TRUE(ptx) << ptx.error().message();
  EXPECT_THAT(*ptx, Not(HasSubstr("fma.")));  // no contraction
  EXPECT_THAT(*ptx, Not(HasSubstr(".ftz")));  // no flushing to zero
  EXPECT_THAT(*ptx, Not(HasSubstr(".approx")));
}

INSTANTIATE_TEST_SUITE_P(
    All, KernelTexts,
    ::testing::Values(KernelText{"Noise", &device_noise_text, {"add_noise", "release_open"}},
                      KernelText{"Norms",
                                 &device_norms_text,
                                 {"row_dots", "copy_patches", "upper_squares", "clip_factors"}},
                      KernelText{
                          "Recurrence", &device_recurrence_text, {"lstm_cells", "lstm_back"}}),
    [](const auto& tested) { return tested.param.name; });

TEST(ToPtx, SaysWhatDoesNotCompile) {
  if (!to_ptx("", "compute_90")) GTEST_SKIP() << "NVRTC is not here";
  const auto ptx = to_ptx("__global__ void broken() { return missing; }", "compute_90");
  ASSERT_FALSE(ptx);
  EXPECT_THAT(ptx.error().message(), HasSubstr("missing"));
}

}  // namespace
}  // namespace tacit::train
