#include "tacit/anonymize/detectors.h"

#include <gtest/gtest.h>

namespace tacit::anonymize {
namespace {

Finding found(const std::string& name, const std::vector<std::string>& values,
              std::uint64_t distinct = 0) {
  ColumnFacts facts{.name = name, .type = "VARCHAR"};
  for (const std::string& value : values) facts.values.push_back({.text = value, .rows = 10});
  facts.rows = 10 * values.size();
  facts.distinct = distinct == 0 ? values.size() : distinct;
  return detect(facts);
}

// Each of the 18 identifiers of Safe Harbor, by a name or by values alone.
TEST(Detectors, KnowTheIdentifiersOfSafeHarbor) {
  struct Case {
    int number;
    const char* name;
    std::vector<std::string> values;
  };
  const std::vector<Case> cases = {
      {1, "lastName", {"Smith"}},
      {2, "ZIP", {"02139"}},
      {2, "home_address", {"1 Main St"}},
      {3, "admitted", {"2020-02-29", "2021-01-01 10:00:00"}},
      {3, "age", {"42"}},
      {4, "contact", {"(617) 555-0100", "+1 617-555-0101"}},
      {5, "fax", {"1"}},
      {6, "contact", {"a@b.org"}},
      {7, "number", {"123-45-6789"}},
      {8, "MRN", {"1"}},
      {9, "member_id", {"1"}},
      {10, "account_number", {"1"}},
      {11, "driving licence", {"1"}},
      {12, "car", {"1HGCM82633A004352"}},
      {13, "imei", {"1"}},
      {13, "source", {"00:1b:44:11:3a:b7"}},
      {14, "page", {"https://example.org/me"}},
      {15, "source", {"192.0.2.1", "2001:db8::1"}},
      {16, "fingerprint", {"x"}},
      {17, "scan", {"faces/12.jpg"}},
      {18, "key", {"123e4567-e89b-12d3-a456-426614174000"}},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(found(each.name, each.values).safe_harbor, each.number) << each.name;
  }
}

TEST(Detectors, KnowWhatOthersKnowAndWhatNobodyShould) {
  EXPECT_EQ(found("Gender", {"f", "m"}).role, Role::kQuasiIdentifier);
  EXPECT_EQ(found("diagnosis", {"flu"}).role, Role::kSensitive);
  EXPECT_EQ(found("age", {"42"}).hierarchy, "{intervals = [5, 10, 20], from = 0, to = 90}");
  // An age in words has no intervals.
  EXPECT_EQ(found("age", {"young"}).hierarchy, "");
}

TEST(Detectors, AreCarefulWithWhatTheyDoNotKnow) {
  EXPECT_EQ(found("x1", {"a", "b"}).role, Role::kQuasiIdentifier);
  EXPECT_EQ(found("x1", std::vector<std::string>(100, "77"), 1000).role, Role::kIdentifier);
  EXPECT_EQ(found("x1", std::vector<std::string>(100, "7.5"), 1000).hierarchy,
            "{quantiles = [16, 4]}");
  EXPECT_EQ(found("x1", std::vector<std::string>(100, "abc"), 100).hierarchy, "{prefix = [3, 1]}");
}

}  // namespace
}  // namespace tacit::anonymize
