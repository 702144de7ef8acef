#include "tacit/sql/fingerprint.h"

#include <gtest/gtest.h>

#include "tacit/sql/testing/clinic.h"

namespace tacit::sql {
namespace {

class FingerprintTest : public ClinicTest {
 protected:
  Digest print(const std::string& text, const char* epsilon = "0.5") {
    return fingerprint(plan(text, epsilon), "clinic", engine_->dialect());
  }
};

TEST_F(FingerprintTest, IsOfWhatIsReleased) {
  const Digest counted = print("SELECT hour, count(*) FROM visits GROUP BY hour");
  // What is done afterwards, and how it is written, do not matter.
  EXPECT_EQ(
      print("SELECT v.hour, count(*) + 1 AS n FROM visits AS v GROUP BY 1 ORDER BY n LIMIT 1"),
      counted);
  // Whatever changes the released numbers or their law does.
  EXPECT_NE(print("SELECT hour, count(*) FROM visits GROUP BY hour", "0.25"), counted);
  EXPECT_NE(print("SELECT hour, count(minutes) FROM visits GROUP BY hour"), counted);
  EXPECT_NE(print("SELECT hour, count(*) FROM visits WHERE minutes > 5 GROUP BY hour"), counted);
  EXPECT_NE(print("SELECT count(*) FROM visits"), counted);
  const QueryPlan planned = plan("SELECT hour, count(*) FROM visits GROUP BY hour");
  EXPECT_NE(fingerprint(planned, "other", engine_->dialect()), counted);
}

}  // namespace
}  // namespace tacit::sql
