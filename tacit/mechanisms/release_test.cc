#include "tacit/mechanisms/release.h"

#include <gtest/gtest.h>

namespace tacit {
namespace {

TEST(Release, IntervalsNameTheirKind) {
  EXPECT_EQ(name(IntervalKind::kExact), "exact");
  EXPECT_EQ(name(IntervalKind::kApproximate), "approximate");
  EXPECT_EQ(name(IntervalKind::kNone), "none");
}

TEST(Release, AnIntervalSaysWhatItDoesNotCover) {
  for (const char* word : {"noise", "clamping", "dropped", "rounding"}) {
    EXPECT_NE(kIntervalCovers.find(word), std::string_view::npos) << word;
  }
}

TEST(Release, NoIntervalUnlessGiven) {
  const Released<int> selected{.value = 3, .interval = {}};
  EXPECT_EQ(selected.interval.kind, IntervalKind::kNone);
  EXPECT_EQ(selected.interval.confidence, 0);
}

}  // namespace
}  // namespace tacit
