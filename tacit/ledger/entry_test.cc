#include "tacit/ledger/entry.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tacit {
namespace {

Rational rational(std::string_view text) { return Rational::parse(text).value(); }

Entry make(entry::Event event, std::string_view account = "visits/alice") {
  Entry entry{.sequence = 7,
              .previous = Digest::of("before"),
              .time = std::chrono::sys_seconds{std::chrono::seconds(1'769'851'799)},
              .nonce = std::string(32, 'f'),
              .who = "alice \"A\" Müller",
              .note = "line\n,\"cost\":{}\ttab",
              .account = {},
              .event = std::move(event)};
  if (!account.empty()) entry.account = AccountId::parse(account).value();
  return entry;
}

entry::Charge charge(bool made_outside) {
  const Spend spend{.divergences = {Amount::round_up(rational("0.1")).value()},
                    .delta = Amount::round_up(rational("1e-30")).value()};
  return {.made_outside = made_outside,
          .beyond_cap = made_outside,
          .part = "north",
          .cost = Cost::leaf(cost::Gaussian{rational("1/3")}).value(),
          .postings = {{.account = AccountId::parse("visits").value(),
                        .charge = spend,
                        .line = spend,
                        .spent = spend}}};
}

std::vector<Entry> one_of_each_kind() {
  const Budget budget = Budget::approximate(1, rational("1e-6")).value();
  return {make(entry::Begin{.ledger = std::string(32, 'a'), .key = {}}, ""),
          make(entry::Begin{.ledger = std::string(32, 'a'), .key = PublicKey{}}, ""),
          make(entry::NewDataset{.neighbours = Neighbours::kReplace,
                                 .budget = budget,
                                 .parts = {"north", "south"}},
               "visits"),
          make(entry::NewAnalyst{budget}),
          make(entry::Grant{Budget::pure(2).value()}),
          make(charge(false)),
          make(charge(true)),
          make(entry::NoneProved{.made_outside = true,
                                 .part = "",
                                 .cost = Cost::leaf(cost::NoneProved{"k = 5"}).value()})};
}

TEST(Entry, EveryKindRoundTrips) {
  for (const Entry& entry : one_of_each_kind()) {
    const std::string text = entry.to_json();
    const auto back = Entry::from_json(text);
    ASSERT_TRUE(back) << back.error().message() << "\n" << text;
    EXPECT_EQ(*back, entry) << text;
    EXPECT_EQ(back->to_json(), text);
  }
}

TEST(Entry, HasOneTextOnly) {
  EXPECT_EQ(make(entry::Grant{Budget::pure(2).value()}).to_json(),
            R"({"sequence":7,"previous":")" + Digest::of("before").hex() +
                R"(","time":"2026-01-31T09:29:59Z","nonce":")" + std::string(32, 'f') +
                R"(","kind":"grant","account":"visits/alice",)"
                R"("who":"alice \"A\" Müller","note":"line\n,\"cost\":{}\ttab",)"
                R"("budget":{"epsilon":"2"}})");
}

TEST(Entry, EveryOtherTextIsRefused) {
  for (const Entry& entry : one_of_each_kind()) {
    const std::string text = entry.to_json();
    for (std::size_t i = 0; i < text.size(); ++i) {
      EXPECT_FALSE(Entry::from_json(text.substr(0, i))) << i;
      std::string spaced = text;
      spaced.insert(i, 1, ' ');
      const auto read = Entry::from_json(spaced);
      // A blank inside a string makes another string; inside the cost, which the digest alone
      // guards, it makes the same cost.
      EXPECT_TRUE(!read || *read != entry || i > text.find(",\"cost\":{\"type\"")) << spaced;
    }
    EXPECT_FALSE(Entry::from_json(text + " "));
    EXPECT_FALSE(Entry::from_json(text + "}"));
  }
}

TEST(Entry, ANewerFormatIsNotDamage) {
  std::string text = make(entry::Begin{.ledger = std::string(32, 'a'), .key = {}}, "").to_json();
  text.replace(text.find("\"format\":1"), 10, "\"format\":2");
  EXPECT_EQ(Entry::from_json(text).error().kind, ErrorKind::kBadInput);
}

}  // namespace
}  // namespace tacit
