#include "tacit/attacks/agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::attacks {
namespace {

using ::testing::ElementsAre;
using Texts = std::vector<std::string>;

std::vector<GeneralizedValue> read(const Texts& labels) { return {labels.begin(), labels.end()}; }

// The index finds what a comparison of every pair finds.
TEST(Agreement, IsThatOfEveryPair) {
  const Texts labels{"30-39",   "39",     "39.0",      "*",
                     "",        "021**",  "E11*",      "1987-11",
                     "1987",    "x",      "{x, y}",    ">=35",
                     "(30,40]", "a .. m", "1980-1989", "[1987-11-15, 1987-12-01["};
  const Texts values{"39",         "39.0", "30", "40", "02139", "E11.9", "1987-11-30", "1987-11-01",
                     "1989-01-01", "1987", "x",  "y",  "b",     "",      "E11*",       "35.5"};
  const auto read_labels = read(labels);
  const Agreement agreement(read_labels, values);
  for (std::uint32_t label = 0; label < labels.size(); ++label) {
    for (std::size_t value = 0; value < values.size(); ++value) {
      EXPECT_EQ(agreement.agrees(label, agreement.class_of(value)),
                read_labels[label].agrees(ExactValue(values[value])))
          << labels[label] << " and " << values[value];
    }
  }
}

TEST(Agreement, ValuesThatNoLabelTellsApartAreOneClass) {
  const auto labels = read({"30-39", "40-49", "*"});
  const Agreement agreement(labels, Texts{"31", "45", "32", "60"});
  EXPECT_EQ(agreement.classes(), 3);
  EXPECT_EQ(agreement.class_of(0), agreement.class_of(2));
  EXPECT_THAT(agreement.labels_of(agreement.class_of(1)), ElementsAre(1, 2));
  EXPECT_THAT(agreement.labels_of(agreement.class_of(3)), ElementsAre(2));
}

}  // namespace
}  // namespace tacit::attacks
