#include "tacit/ledger/run_permit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tacit/ledger/run_folder.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/child.h"
#include "tacit/ledger/testing/scratch.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

using ::testing::HasSubstr;

const RunTerms kTerms{{"clip", "flat 1"}, {"examples", "100"}};

Cost step_cost(std::int64_t epsilon = 1) { return *Cost::leaf(cost::Pure{epsilon}); }
Cost run_cost(std::uint64_t steps = 40) { return *Cost::repeat(steps, step_cost()); }

class RunPermitTest : public testing::Test {
 protected:
  RunPermitTest() {
    auto ledger = Ledger::create(create_sqlite_store(file_).value(), "steward").value();
    for (const char* name : {"visits", "stays"}) {
      EXPECT_TRUE(ledger.create_dataset({.dataset = name, .budget = Budget::pure(1000).value()}));
    }
  }
  [[nodiscard]] Ledger open() const {
    return Ledger::open(open_sqlite_store(file_).value()).value();
  }
  static Ledger::Request request(Cost cost = run_cost(), std::string dataset = "visits") {
    return {.account = {.dataset = std::move(dataset), .analyst = {}},
            .cost = std::move(cost),
            .who = "ana",
            .note = "train"};
  }
  static std::string spent(Ledger& ledger) {
    return ledger.account(request().account)->spent()->divergences.front().to_string();
  }

  Scratch scratch_;
  std::filesystem::path file_ = scratch_ / "ledger.sqlite";
  std::string id_ = *RunPermit::new_id();
};

TEST_F(RunPermitTest, HandsOutItsStepsAndNoMore) {
  Ledger ledger = open();
  auto run = RunPermit::reserve(ledger, request(run_cost(5)), id_, kTerms, {.steps_a_claim = 2});
  ASSERT_TRUE(run) << run.error().message();
  for (std::uint64_t step = 0; step < 5; ++step) {
    EXPECT_EQ(run->position(), step);
    auto permit = run->next();
    ASSERT_TRUE(permit) << permit.error().message();
    EXPECT_EQ(permit->entry(), run->entry());
    EXPECT_TRUE(std::move(*permit).consume(step_cost()));
  }
  EXPECT_THAT(run->next().error().what, HasSubstr("all steps"));
  EXPECT_EQ(spent(ledger), "5");
}

TEST_F(RunPermitTest, GoesOnAfterTheLastClaimAtNoFurtherCharge) {
  Ledger ledger = open();
  {
    auto run = RunPermit::reserve(ledger, request(), id_, kTerms, {.steps_a_claim = 3});
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(run->next());
  }
  Ledger later = open();
  auto run = RunPermit::resume(later, request(), id_, kTerms, {.steps_a_claim = 7});
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_EQ(run->position(), 12U) << "the block that was begun stays spent";
  while (run->steps_left() > 0) ASSERT_TRUE(run->next());
  EXPECT_EQ(spent(later), "40");
  EXPECT_EQ(RunPermit::resume(later, request(), id_, kTerms, {})->steps_left(), 0U);
}

TEST_F(RunPermitTest, FollowsTheGroupsOfASchedule) {
  const Cost cost = *Cost::compose(
      {*Cost::repeat(3, step_cost(1)), *Cost::leaf(cost::Pure{5}), *Cost::repeat(2, step_cost(2))});
  Ledger ledger = open();
  const auto expect_steps = [](RunPermit run) {
    std::string costs;
    while (run.steps_left() > 0) costs += run.next()->cost().to_text() + "\n";
    EXPECT_EQ(costs.find(step_cost(2).to_text()), 3 * (step_cost(1).to_text().size() + 1));
  };
  expect_steps(*RunPermit::reserve(ledger, request(cost), id_, kTerms, {.steps_a_claim = 4}));
  expect_steps(*RunPermit::of_process(PermitForTests::mint(cost)));
  EXPECT_EQ(spent(ledger), "12");
}

TEST_F(RunPermitTest, RefusesWhatItWasNotBegunWithAndSaysWhatDiffers) {
  Ledger ledger = open();
  ASSERT_TRUE(RunPermit::reserve(ledger, request(), id_, kTerms, {}));
  const auto refusal = [&](const Ledger::Request& asked, const RunTerms& terms) {
    const auto run = RunPermit::resume(ledger, asked, id_, terms, {});
    return run ? std::string("none") : run.error().message();
  };
  EXPECT_THAT(refusal(request(), {{"clip", "flat 2"}, {"examples", "100"}}),
              HasSubstr("begun with clip flat 1, not flat 2"));
  EXPECT_THAT(refusal(request(), {{"clip", "flat 1"}}), HasSubstr("examples 100, not none"));
  EXPECT_THAT(refusal(request(run_cost(41)), kTerms), HasSubstr("41"));
  EXPECT_THAT(refusal(request(run_cost(), "stays"), kTerms), HasSubstr("account visits"));
  EXPECT_THAT(RunPermit::resume(ledger, request(), *RunPermit::new_id(), kTerms, {}).error().what,
              HasSubstr("no run"));
  EXPECT_EQ(refusal(request(), kTerms), "none");
}

TEST_F(RunPermitTest, RefusesBeforeAnythingIsCharged) {
  Ledger ledger = open();
  EXPECT_FALSE(RunPermit::reserve(ledger, request(step_cost()), id_, kTerms, {}));
  EXPECT_FALSE(RunPermit::reserve(ledger, request(), id_, {{"a;b", "1"}}, {}));
  EXPECT_EQ(RunPermit::reserve(ledger, request(run_cost(2000)), id_, kTerms, {}).error().kind,
            ErrorKind::kBudget);
  EXPECT_EQ(spent(ledger), "0");
}

TEST_F(RunPermitTest, OfTwoThatGoOnOneIsRefused) {
  Ledger first_ledger = open();
  auto first = RunPermit::reserve(first_ledger, request(), id_, kTerms, {.steps_a_claim = 2});
  ASSERT_TRUE(first->next());
  Ledger second_ledger = open();
  auto second = RunPermit::resume(second_ledger, request(), id_, kTerms, {.steps_a_claim = 2});
  ASSERT_TRUE(second && second->next());
  EXPECT_TRUE(first->next()) << "the rest of its block is its own";
  const auto refused = first->next();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("another process"));
  EXPECT_TRUE(second->next());
}

// A process is killed again and again; what it told of steps that began is never more than what the
// ledger counts, and all is charged once.
TEST_F(RunPermitTest, KilledAtAnyMomentNoStepIsGivenTwice) {
  std::vector<std::uint64_t> touched;
  const auto folder = scratch_ / "run";
  for (int round = 0; round < 12; ++round) {
    Child child([&](const Child::Tell& tell) {
      const bool begun = RunFolder::has_run(folder);
      auto held = begun ? RunFolder::open(folder) : RunFolder::begin(folder);
      if (!held) ::_exit(3);
      Ledger ledger = open();
      auto run = RunPermit::reserve_or_resume(ledger, request(), held->id(), kTerms, {3});
      if (!run) ::_exit(4);
      while (run->steps_left() > 0) {
        if (!run->next()) ::_exit(5);
        tell(run->position() - 1);
      }
    });
    std::uint64_t step = 0;
    for (int heard = 0; heard < round % 5 && child.hear(step); ++heard) touched.push_back(step);
    child.kill();
    for (const std::uint64_t more : child.join()) touched.push_back(more);
  }
  Ledger ledger = open();
  EXPECT_EQ(spent(ledger), "40");
  EXPECT_LE(touched.size(), 40U);
  EXPECT_GT(touched.size(), 10U) << "too little happened to be interrupted";
  EXPECT_TRUE(std::ranges::is_sorted(touched));
  EXPECT_EQ(std::ranges::adjacent_find(touched), touched.end()) << "one permit a step";
  const auto held = RunFolder::open(folder);
  const auto rest = RunPermit::resume(ledger, request(), held->id(), kTerms, {});
  ASSERT_TRUE(rest) << rest.error().message();
  EXPECT_GT(rest->position(), touched.back());
}

}  // namespace
}  // namespace tacit
