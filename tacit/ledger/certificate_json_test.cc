#include "tacit/ledger/certificate_json.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tacit {
namespace {

Amount amount(std::string_view text) { return Amount::parse(text).value(); }

TEST(CertificateJson, SaysWhatEachAccountPaidAndNotHowItStood) {
  const Spend charge{.divergences = {amount("0.1"), amount("0.25")}, .delta = amount("0.00001")};
  const Spend later{.divergences = {amount("3"), amount("4")}, .delta = amount("0.5")};
  const entry::Charge both{.cost = Cost::leaf(cost::Laplace{1}).value(),
                           .postings = {{.account = AccountId::parse("visits").value(),
                                         .charge = charge,
                                         .line = later,
                                         .spent = later},
                                        {.account = AccountId::parse("visits/alice").value(),
                                         .charge = later,
                                         .line = charge,
                                         .spent = charge}}};
  EXPECT_EQ(charged_json(both).dump(),
            R"([{"account":"visits","divergences":["0.1","0.25"],"delta":"0.00001"},)"
            R"({"account":"visits/alice","divergences":["3","4"],"delta":"0.5"}])");
}

TEST(CertificateJson, NamesEveryReleaseOfWhichNothingIsProved) {
  Entry release{.sequence = 7,
                .time = std::chrono::sys_seconds{std::chrono::seconds(1'769'851'799)},
                .who = "alice",
                .note = "a table, k = 5",
                .event = entry::NoneProved{.cost = Cost::leaf(cost::NoneProved{"k = 5"}).value()}};
  std::vector<Entry> releases{release};
  release.sequence = 9;
  release.note.clear();
  releases.push_back(release);
  EXPECT_EQ(none_proved_json(releases).dump(),
            R"([{"entry":7,"time":"2026-01-31T09:29:59Z","who":"alice","note":"a table, k = 5"},)"
            R"({"entry":9,"time":"2026-01-31T09:29:59Z","who":"alice","note":""}])");
  EXPECT_EQ(none_proved_json({}).dump(), "[]");
}

}  // namespace
}  // namespace tacit
