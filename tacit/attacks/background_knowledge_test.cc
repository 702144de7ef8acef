#include "tacit/attacks/background_knowledge.h"

#include <gtest/gtest.h>

#include "tacit/attacks/testing/released_rows.h"

namespace tacit::attacks {
namespace {

TEST(BackgroundKnowledge, AClassOfSoManyValuesFallsToOneLess) {
  const auto release = testing::released_rows({"age", "illness"}, {{"20", "flu"},
                                                                   {"20", "flu"},
                                                                   {"30", "flu"},
                                                                   {"30", "gout"},
                                                                   {"40", "flu"},
                                                                   {"40", "gout"},
                                                                   {"40", "cold"}});
  EXPECT_EQ(background_knowledge(release, 0, 0).successes, 2U);
  EXPECT_EQ(background_knowledge(release, 0, 1).successes, 4U);
  EXPECT_EQ(background_knowledge(release, 0, 2).successes, 7U);
  EXPECT_DOUBLE_EQ(background_knowledge(release, 0, 0).baseline, 4.0 / 7);
  EXPECT_DOUBLE_EQ(background_knowledge(release, 0, 1).baseline, 6.0 / 7);
  // Who can exclude all values but one of the table needs no release.
  EXPECT_DOUBLE_EQ(background_knowledge(release, 0, 2).baseline, 1);
  EXPECT_FALSE(background_knowledge(release, 0, 2).beats_guessing());
  EXPECT_EQ(background_knowledge(release, 0, 1).victims[1].learned, "illness flu or gout");
}

}  // namespace
}  // namespace tacit::attacks
