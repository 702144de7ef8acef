#include "tacit/attacks/scoreboard.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tacit/attacks/testing/told_progress.h"

namespace tacit::attacks {
namespace {

// Heat is everybody's, Rare two people's, Unique one's.
History films() {
  return {.people = {"a", "b", "c", "d"},
          .items = {"Heat", "Rare", "Unique"},
          .events = {{.person = 0, .item = 0, .value = 4, .day = 100},
                     {.person = 1, .item = 0, .value = 4, .day = 400},
                     {.person = 2, .item = 0, .value = 1, .day = 100},
                     {.person = 3, .item = 0, .value = 4, .day = 100},
                     {.person = 0, .item = 1, .value = 2, .day = 50},
                     {.person = 2, .item = 1, .value = 5, .day = 50},
                     {.person = 1, .item = 2, .value = 3, .day = 10},
                     {.person = 1, .item = 2, .value = 3, .day = 300}}};
}

TEST(Scoreboard, WeighsRareItemsAndNearness) {
  const History release = films();
  const Scoreboard board(release, {});
  EXPECT_EQ(board.support(0), 4);
  EXPECT_EQ(board.support(2), 1);  // twice by the same person
  const auto best = board.best(std::vector<KnownEvent>{{.item = 0, .value = 4, .day = 100},
                                                       {.item = 1, .value = 3, .day = 50}});
  EXPECT_EQ(best.person, 0);
  EXPECT_NEAR(best.score, (2 / std::log(4)) + ((1 + std::exp(-1 / 1.5)) / std::log(2)), 1e-12);
  EXPECT_GT(best.eccentricity, 0);
}

TEST(Scoreboard, OfSeveralEventsWithAnItemTheNearestCounts) {
  const History release = films();
  const auto best = Scoreboard(release, {}).best(std::vector<KnownEvent>{{.item = 2, .day = 299}});
  EXPECT_EQ(best.person, 1);
  EXPECT_NEAR(best.score, std::exp(-1.0 / 30) / std::log(2), 1e-12);
  EXPECT_TRUE(best.is_claimed);
}

TEST(Scoreboard, ClaimsNobodyWhereSeveralFit) {
  const History release = films();
  const Scoreboard board(release, {});
  const auto best = board.best(std::vector<KnownEvent>{{.item = 0}});
  EXPECT_EQ(best.eccentricity, 0);
  EXPECT_FALSE(best.is_claimed);
  EXPECT_FALSE(board.best(std::vector<KnownEvent>{{.value = 4}}).is_claimed);
}

// 2,000 people with 20 of 3,000 items each, the popularity of which falls as 1 / rank; a rating and
// a day each.
History ratings(std::mt19937_64& generator) {
  History out;
  std::vector<double> weights;
  for (int item = 1; item <= 3000; ++item) {
    out.items.push_back(fmt::format("item {}", item));
    weights.push_back(1.0 / item);
  }
  std::discrete_distribution<std::uint32_t> popular(weights.begin(), weights.end());
  for (std::uint32_t person = 0; person < 2000; ++person) {
    out.people.push_back(fmt::format("person {}", person));
    for (int event = 0; event < 20; ++event) {
      out.events.push_back({.person = person,
                            .item = popular(generator),
                            .value = 1 + static_cast<double>(generator() % 5),
                            .day = static_cast<double>(generator() % 1000)});
    }
  }
  return out;
}

TEST(Scoreboard, AFewEventsTellAlmostEverybody) {
  std::mt19937_64 generator(2008);
  const History release = ratings(generator);
  const Scoreboard board(release, {});
  const auto share = [&](const HistoryExperiment& experiment) {
    return reidentify(release, board, experiment, generator).share().value;
  };
  const HistoryExperiment two{.events = 2, .value_error = 1, .day_error = 14};
  const HistoryExperiment eight{.events = 8, .value_error = 1, .day_error = 14};
  HistoryExperiment popular = two;
  popular.only_popular = true;
  EXPECT_GT(share(eight), 0.98);
  EXPECT_GT(share(eight), share(two));
  EXPECT_LT(share(popular), share(two) - 0.1);
}

TEST(Scoreboard, FailsOnWhatIsNotThere) {
  std::mt19937_64 generator(2009);
  History release = ratings(generator);
  History other = ratings(generator);
  other.people = release.people;
  const Scoreboard board(other, {});  // other people's histories under the same names
  const Report report = reidentify(release, board, {.targets = 300, .events = 8}, generator);
  EXPECT_EQ(report.targets, 300);
  EXPECT_LT(report.share().value, 0.02);
  EXPECT_FALSE(report.beats_guessing());
}

TEST(Scoreboard, TargetsOfAnotherHistoryAreFoundByTheNamesOfItems) {
  const History release = films();
  const Scoreboard board(release, {});
  const History known{.people = {"Ann", "Bob"},
                      .items = {"Unique", "Heat", "Unknown"},
                      .events = {{.person = 0, .item = 0, .value = 3, .day = 12},
                                 {.person = 1, .item = 1},
                                 {.person = 1, .item = 2}}};
  testing::ToldProgress progress;
  const Report claims = identify(release, board, known, {}, progress.listener());
  EXPECT_TRUE(progress.was_told() && progress.is_whole());
  EXPECT_FALSE(claims.checked);
  EXPECT_EQ(claims.successes, 1);
  EXPECT_EQ(claims.victims.at(0).who, "Ann");
  EXPECT_TRUE(claims.victims.at(0).learned.starts_with("is b;"));
  EXPECT_EQ(identify(release, board, known, {"b", "a"}).successes, 1);
  EXPECT_EQ(identify(release, board, known, {"c", "a"}).successes, 0);
}

TEST(Scoreboard, PeopleOfFewEventsAreNoTargets) {
  std::mt19937_64 generator(1);
  const History release = films();
  testing::ToldProgress progress;
  const Report report =
      reidentify(release, Scoreboard(release, {}), {.events = 3}, generator, progress.listener());
  EXPECT_TRUE(progress.was_told() && progress.is_whole());
  EXPECT_EQ(report.targets, 1);
}

}  // namespace
}  // namespace tacit::attacks
