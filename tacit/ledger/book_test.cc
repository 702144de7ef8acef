#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tacit/ledger/book_internal.h"

namespace tacit {
namespace {

const AccountId kVisits{.dataset = "visits", .analyst = {}};
const AccountId kAlice{.dataset = "visits", .analyst = "alice"};

Cost pure_cost(std::int64_t tenths) {
  return Cost::leaf(cost::Pure{Rational::ratio(tenths, 10).value()}).value();
}

// The stored form of the entry that would follow `book` with this event.
StoredEntry next(const Book& book, const AccountId& account, entry::Event event) {
  const Entry entry{.sequence = book.head().sequence + 1,
                    .previous = book.head().digest,
                    .nonce = std::string(32, '0'),
                    .who = "steward",
                    .account = account,
                    .event = std::move(event)};
  StoredEntry stored{.sequence = entry.sequence, .body = entry.to_json()};
  stored.digest = Digest::of(stored.body);
  return stored;
}

// A dataset of cap 1 with one analyst.
Book begun() {
  Book book;
  const Budget one = Budget::pure(1).value();
  EXPECT_TRUE(book.replay(
      next(book, {}, entry::Begin{.ledger = std::string(32, 'a'), .key = std::nullopt})));
  EXPECT_TRUE(book.replay(
      next(book, kVisits, entry::NewDataset{.budget = one, .parts = {"north", "south"}})));
  EXPECT_TRUE(book.replay(next(book, kAlice, entry::NewAnalyst{one})));
  return book;
}

Result<entry::Event> charge(const Book& book, std::int64_t tenths, const std::string& part = "") {
  const Spend price = Budget::pure(1)->price(pure_cost(tenths)).value();
  return book.charge(kAlice, {.part = part, .cost = pure_cost(tenths)}, {price, price});
}

std::string spent(const Book& book) {
  return book.account(kVisits)->spent()->divergences.front().to_string();
}

TEST(Book, AChargeLandsInTheDatasetAndTheAnalyst) {
  Book book = begun();
  ASSERT_TRUE(book.replay(next(book, kAlice, charge(book, 3).value())));
  EXPECT_EQ(spent(book), "0.3");
  EXPECT_EQ(book.account(kAlice)->spent()->divergences.front().to_string(), "0.3");
  EXPECT_EQ(book.head().sequence, 4U);
}

TEST(Book, AnEventAloneChangesNothing) {
  const Book book = begun();
  const Head before = book.head();
  ASSERT_TRUE(charge(book, 3));
  EXPECT_EQ(book.head(), before);
  EXPECT_EQ(spent(book), "0");
}

TEST(Book, RefusesWhatDoesNotFollowAndStaysAsItWas) {
  Book book = begun();
  const StoredEntry right = next(book, kAlice, charge(book, 3).value());
  const Book as_it_was = book;

  StoredEntry later = right;
  ++later.sequence;
  StoredEntry edited = right;
  edited.body.replace(edited.body.find("0.3"), 3, "0.1");
  StoredEntry edited_and_hashed = edited;
  edited_and_hashed.digest = Digest::of(edited.body);
  Book other = begun();
  ASSERT_TRUE(other.replay(next(other, kAlice, charge(other, 1).value())));
  StoredEntry of_another_chain = next(other, kAlice, charge(other, 3).value());
  of_another_chain.sequence = right.sequence;

  for (const StoredEntry& wrong : {later, edited, edited_and_hashed, of_another_chain}) {
    const auto replayed = book.replay(wrong);
    ASSERT_FALSE(replayed);
    EXPECT_EQ(replayed.error().kind, ErrorKind::kWorld) << replayed.error().message();
    EXPECT_EQ(book.to_json(), as_it_was.to_json());
  }
  EXPECT_TRUE(book.replay(right));
}

TEST(Book, RefusesAGrantThatPassesTheCapEvenFromTheLog) {
  Book book = begun();
  EXPECT_EQ(charge(book, 11).error().kind, ErrorKind::kBudget);
  // The same entry with balances that add up, as a forger would write it.
  Book rich;
  const Budget two = Budget::pure(2).value();
  ASSERT_TRUE(rich.replay(
      next(rich, {}, entry::Begin{.ledger = std::string(32, 'a'), .key = std::nullopt})));
  ASSERT_TRUE(rich.replay(
      next(rich, kVisits, entry::NewDataset{.budget = two, .parts = {"north", "south"}})));
  ASSERT_TRUE(rich.replay(next(rich, kAlice, entry::NewAnalyst{two})));
  EXPECT_FALSE(book.replay(next(book, kAlice, charge(rich, 11).value())));
  EXPECT_EQ(spent(book), "0");
}

TEST(Book, ALogBeginsOnce) {
  Book empty;
  EXPECT_FALSE(
      empty.replay(next(empty, kVisits, entry::NewDataset{.budget = Budget::pure(1).value()})));
  Book book = begun();
  EXPECT_FALSE(book.replay(
      next(book, {}, entry::Begin{.ledger = std::string(32, 'b'), .key = std::nullopt})));
}

TEST(Book, NamesTheAccountsThereAre) {
  const auto missing = begun().account({.dataset = "visits", .analyst = "carol"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kBadInput);
  EXPECT_NE(missing.error().remedy.find("visits/alice"), std::string::npos);
}

TEST(BookJson, RoundTripsWhatHappened) {
  Book book = begun();
  ASSERT_TRUE(book.replay(next(book, kAlice, charge(book, 3, "north").value())));
  ASSERT_TRUE(book.replay(next(
      book, kVisits, entry::NoneProved{.cost = Cost::leaf(cost::NoneProved{"k = 5"}).value()})));
  Book back = Book::from_json(book.to_json()).value();
  EXPECT_EQ(back.to_json(), book.to_json());
  EXPECT_EQ(back.head(), book.head());
  EXPECT_EQ(back.none_proved_of("visits"), book.none_proved_of("visits"));
  // Both go on alike.
  const StoredEntry more = next(book, kAlice, charge(book, 7, "south").value());
  ASSERT_TRUE(book.replay(more));
  ASSERT_TRUE(back.replay(more));
  EXPECT_EQ(spent(back), "0.7");
  EXPECT_EQ(back.to_json(), book.to_json());
}

TEST(BookJson, RefusesEveryOtherText) {
  const std::string text = begun().to_json();
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(Book::from_json(text.substr(0, size))) << size;
  }
  EXPECT_FALSE(Book::from_json(text + " "));
  std::string fewer = text;
  fewer.replace(fewer.find(R"("north",)"), 8, "");
  EXPECT_FALSE(Book::from_json(fewer)) << "a line without its part";
}

}  // namespace
}  // namespace tacit
