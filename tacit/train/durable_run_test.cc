#include "tacit/train/durable_run.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/child.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit::train {
namespace {

using ::testing::HasSubstr;

PrivateSgdPlan small_plan() {
  return {.examples = 100,
          .sampling_rate = *PrivateSgdPlan::rate_for(20, 100),
          .steps = 30,
          .noise_multiplier = 4,
          .clipping = {.bound = 1}};
}

const RunAccount kPayer{.account = {.dataset = "visits", .analyst = {}}, .who = "ana", .note = "x"};

// With all that lies beside it, as a folder is put back: else the ledger sees by itself that it is
// an older copy.
void copy_ledger(const std::filesystem::path& from, const std::filesystem::path& to) {
  for (const char* const beside : {"", "-wal", "-shm", "-head"}) {
    const auto source = from.string() + beside;
    const auto target = to.string() + beside;
    std::filesystem::remove(target);
    if (std::filesystem::exists(source)) std::filesystem::copy_file(source, target);
  }
}

class DurableRunTest : public testing::Test {
 protected:
  DurableRunTest() {
    auto ledger = Ledger::create(create_sqlite_store(file_).value(), "steward").value();
    EXPECT_TRUE(ledger.create_dataset(
        {.dataset = "visits", .budget = *Budget::approximate(50, *Rational::ratio(1, 100'000))}));
  }
  [[nodiscard]] Ledger open() const {
    return Ledger::open(open_sqlite_store(file_).value()).value();
  }
  [[nodiscard]] Result<RunFolder> folder() const {
    const auto path = scratch_ / "run";
    return RunFolder::has_run(path) ? RunFolder::open(path) : RunFolder::begin(path);
  }
  // Trains until the steps are used up, telling of each after its batch was looked at.
  Result<void> train(const PrivateSgdPlan& plan,
                     const std::function<void(std::uint64_t)>& tell) const {
    TACIT_ASSIGN_OR_RETURN(const RunFolder held, folder());
    Ledger ledger = open();
    const at::Tensor w = at::zeros({2, 3}).set_requires_grad(true);
    const at::Tensor x = at::ones({100, 3});
    TACIT_ASSIGN_OR_RETURN(auto run,
                           begin_or_resume(plan, {w}, ledger, kPayer, held, {.steps_a_claim = 4}));
    while (run.steps_left() > 0) {
      const std::uint64_t step = run.position();
      TACIT_ASSIGN_OR_RETURN(const auto batch, run.draw());
      if (!batch.empty()) {
        const at::Tensor rows = x.index_select(0, at::tensor(batch, at::kLong));
        TACIT_RETURN_IF_ERROR(run.add(at::linear(rows, w).sum(1)));
      }
      tell(step);
      TACIT_RETURN_IF_ERROR(run.finish_step());
      TACIT_RETURN_IF_ERROR(held.keep_checkpoint(std::to_string(run.position())));
    }
    return {};
  }
  // What the ledger charged so far, and how many entries did.
  [[nodiscard]] std::pair<std::string, std::uint64_t> charged() const {
    Ledger ledger = open();
    return {ledger.account(kPayer.account)->spent()->divergences.front().to_string(),
            ledger.head()->sequence};
  }

  Scratch scratch_;
  std::filesystem::path file_ = scratch_ / "ledger.sqlite";
};

TEST_F(DurableRunTest, AKilledRunGoesOnAndIsChargedOnce) {
  at::set_num_threads(1);  // a fork has no other threads
  std::vector<std::uint64_t> touched;
  for (int round = 0; round < 4; ++round) {
    // It waits in its third step, lest it run to the end before it is killed.
    Child child([&](const Child::Tell& tell) {
      int told = 0;
      const auto done = train(small_plan(), [&](std::uint64_t step) {
        tell(step);
        if (++told == 3) ::pause();
      });
      ::_exit(done ? 0 : 3);
    });
    std::uint64_t step = 0;
    for (int heard = 0; heard < 3 && child.hear(step); ++heard) touched.push_back(step);
    child.kill();
    for (const std::uint64_t more : child.join()) touched.push_back(more);
  }
  const auto charge = charged();
  EXPECT_EQ(charge.second, 3U) << "begin, dataset, one reservation";
  ASSERT_TRUE(train(small_plan(), [&](std::uint64_t step) { touched.push_back(step); }));
  EXPECT_EQ(charged(), charge) << "going on costs nothing";
  EXPECT_TRUE(std::ranges::is_sorted(touched));
  EXPECT_EQ(std::ranges::adjacent_find(touched), touched.end()) << "each step once at most";
  EXPECT_GE(touched.size(), 12U);
  EXPECT_LE(touched.size(), 30U);
  EXPECT_EQ(touched.back(), 29U);
  EXPECT_EQ(*folder()->checkpoint(), "30");
}

TEST_F(DurableRunTest, ALedgerThatWasSetBackBeforeTheRunIsNotChargedAgain) {
  const auto older = scratch_ / "older.sqlite";
  copy_ledger(file_, older);
  ASSERT_TRUE(train(small_plan(), [](std::uint64_t) {}));
  copy_ledger(older, file_);
  const auto refused = train(small_plan(), [](std::uint64_t) {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("newest copy"));
  EXPECT_EQ(charged().second, 2U) << "begin, dataset";
}

TEST_F(DurableRunTest, ASecondProcessIsRefused) {
  const auto held = folder();
  ASSERT_TRUE(held);
  const auto second = train(small_plan(), [](std::uint64_t) {});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().what, HasSubstr("another process"));
  EXPECT_EQ(charged().second, 2U) << "nothing was charged";
}

TEST_F(DurableRunTest, RefusesAChangedPlanAndSaysWhatDiffers) {
  ASSERT_TRUE(train(small_plan(), [](std::uint64_t) {}));
  const auto refusal = [&](const std::function<void(PrivateSgdPlan&)>& change) {
    PrivateSgdPlan plan = small_plan();
    change(plan);
    const auto trained = train(plan, [](std::uint64_t) {});
    return trained ? std::string("none") : trained.error().message();
  };
  EXPECT_THAT(refusal([](auto& plan) { plan.clipping.bound = 2; }),
              HasSubstr("begun with clip flat 1, not flat 2"));
  EXPECT_THAT(refusal([](auto& plan) { plan.noise_multiplier = 5; }),
              HasSubstr("begun with noise multiplier 4, not 5"));
  EXPECT_THAT(refusal([](auto& plan) { plan.steps = 31; }), HasSubstr("steps 30, not 31"));
  EXPECT_THAT(refusal([](auto& plan) { plan.sampling_rate = *Rational::ratio(1, 4); }),
              HasSubstr("rate 0.2, not"));
  EXPECT_THAT(refusal([](auto& plan) { plan.examples = 99; }), HasSubstr("examples 100, not 99"));
}

TEST_F(DurableRunTest, RefusesPlansWithoutMeaningBeforeAnythingIsCharged) {
  const auto refused = [&](const std::function<void(PrivateSgdPlan&)>& change) {
    PrivateSgdPlan plan = small_plan();
    change(plan);
    return !train(plan, [](std::uint64_t) {});
  };
  EXPECT_TRUE(refused([](auto& plan) { plan.clipping.bound = 0; }));
  EXPECT_TRUE(refused([](auto& plan) { plan.steps = 0; }));
  EXPECT_TRUE(refused([](auto& plan) { plan.sampling_rate = 2; }));
  EXPECT_TRUE(refused([](auto& plan) { plan.noise_multiplier = 0; }));
  EXPECT_EQ(charged().second, 2U);
}

TEST_F(DurableRunTest, WhatHidesOneReplacedIsNotChargedWhereOneMoreOrLessIsHidden) {
  PrivateSgdPlan plan = small_plan();
  plan.sampling.kind = Sampling::Kind::kFixedSize;
  const auto refused = train(plan, [](std::uint64_t) { FAIL() << "a batch was looked at"; });
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("holds for replace neighbours"));
  EXPECT_EQ(charged().second, 2U) << "begin, dataset";
  // The folder serves a run that the account can pay for.
  EXPECT_TRUE(train(small_plan(), [](std::uint64_t) {}));
}

}  // namespace
}  // namespace tacit::train
