#include "tacit/attacks/block_reconstruction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tacit::attacks {
namespace {

using Outcome = BlockReconstruction::Outcome;

enum : std::size_t { kSex, kRace, kStatus };
enum : std::size_t { kFemale, kMale };
enum : std::size_t { kBlack, kWhite };
enum : std::size_t { kMarried, kSingle };

Block block_of(std::uint64_t people) {
  return {.people = people,
          .attributes = {{"sex", {"female", "male"}},
                         {"race", {"black", "white"}},
                         {"status", {"married", "single"}}}};
}

PublishedRow exactly(std::string label, std::vector<PublishedRow::Condition> where,
                     std::uint64_t count, double median, double mean) {
  return {.label = std::move(label),
          .where = std::move(where),
          .least = count,
          .most = count,
          .median = median,
          .mean = mean};
}

// The block of Garfinkel, Abowd and Martindale (2019), whose counts below 3 were suppressed.
std::vector<PublishedRow> seven_people() {
  std::vector<PublishedRow> rows{
      exactly("everyone", {}, 7, 30, 38),
      exactly("female", {{kSex, kFemale}}, 4, 30, 33.5),
      exactly("male", {{kSex, kMale}}, 3, 30, 44),
      exactly("black", {{kRace, kBlack}}, 4, 51, 48.5),
      exactly("white", {{kRace, kWhite}}, 3, 24, 24),
      exactly("married adults", {{kStatus, kMarried}}, 4, 51, 54),
      exactly("black female", {{kRace, kBlack}, {kSex, kFemale}}, 3, 36, 36.7),
  };
  rows[5].youngest = 18;
  // Everyone knows that children are not married.
  rows.push_back({.label = "married children", .where = {{kStatus, kMarried}}, .oldest = 17});
  return rows;
}

TEST(BlockReconstruction, FindsTheSevenPeopleAndThatNoOthersFit) {
  const auto found = reconstruct_block(block_of(7), seven_people());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, Outcome::kUnique);
  const std::vector<BlockPerson> people{
      {8, {kFemale, kBlack, kSingle}},   {18, {kMale, kWhite, kSingle}},
      {24, {kFemale, kWhite, kSingle}},  {30, {kMale, kWhite, kMarried}},
      {36, {kFemale, kBlack, kMarried}}, {66, {kFemale, kBlack, kMarried}},
      {84, {kMale, kBlack, kMarried}}};
  EXPECT_EQ(found->people, people);
}

TEST(BlockReconstruction, SaysThatOthersFitWhereLessIsPublished) {
  auto rows = seven_people();
  rows.erase(rows.begin() + 6);
  const auto found = reconstruct_block(block_of(7), rows);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, Outcome::kAmbiguous);
}

TEST(BlockReconstruction, SaysThatTablesContradictEachOther) {
  auto rows = seven_people();
  rows[1].mean = 60;
  const auto found = reconstruct_block(block_of(7), rows);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, Outcome::kImpossible);
}

TEST(BlockReconstruction, GivesUpWhenToldTo) {
  const auto found = reconstruct_block(block_of(7), seven_people(), 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, Outcome::kGivenUp);
  EXPECT_TRUE(found->people.empty());
}

TEST(BlockReconstruction, RefusesWhatHasNoMeaning) {
  EXPECT_FALSE(reconstruct_block(block_of(0), {}));
  const auto refused = [](const PublishedRow& row) {
    return !reconstruct_block(block_of(3), {row}).has_value();
  };
  EXPECT_TRUE(refused({.where = {{7, 0}}}));
  EXPECT_TRUE(refused({.least = 2, .most = 1}));
  EXPECT_TRUE(refused({.least = 0, .most = 2, .mean = 30}));
  EXPECT_TRUE(refused({.least = 2, .most = 2, .median = 30.3}));
  EXPECT_TRUE(refused({.least = 2, .most = 2, .mean = 900}));
}

// Medians and means of every group of a random block, computed here once more: what is found must
// publish the same.
bool is_member(const BlockPerson& person, const PublishedRow& row) {
  return person.age >= row.youngest && (!row.oldest || person.age <= *row.oldest) &&
         std::ranges::all_of(row.where, [&](const PublishedRow::Condition& condition) {
           return person.values[condition.attribute] == condition.value;
         });
}

PublishedRow published(const std::vector<BlockPerson>& people, PublishedRow row) {
  std::vector<double> ages;
  for (const BlockPerson& person : people) {
    if (is_member(person, row)) ages.push_back(person.age);
  }
  std::ranges::sort(ages);
  row.least = row.most = ages.size();
  if (ages.empty()) return row;
  row.median = (ages[(ages.size() - 1) / 2] + ages[ages.size() / 2]) / 2;
  double sum = 0;
  for (const double age : ages) sum += age;
  row.mean = std::round(10 * sum / static_cast<double>(ages.size())) / 10;
  return row;
}

TEST(BlockReconstruction, FindsOnlyWhatPublishesTheSame) {
  std::mt19937_64 generator(5);
  for (int trial = 0; trial < 15; ++trial) {
    std::vector<BlockPerson> people(4 + (generator() % 5));
    for (BlockPerson& person : people) {
      person.age = static_cast<unsigned>(generator() % 116);
      for (int a = 0; a < 3; ++a) person.values.push_back(generator() % 2);
    }
    std::vector<PublishedRow> rows{published(people, {.label = "everyone"})};
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t v = 0; v < 2; ++v) {
        rows.push_back(published(people, {.label = "one", .where = {{a, v}}}));
        rows.push_back(published(people, {.label = "young", .where = {{a, v}}, .oldest = 40}));
      }
    }
    const auto found = reconstruct_block(block_of(people.size()), rows);
    ASSERT_TRUE(found);
    ASSERT_TRUE(found->outcome == Outcome::kUnique || found->outcome == Outcome::kAmbiguous);
    for (const PublishedRow& row : rows) {
      const PublishedRow again = published(found->people, row);
      EXPECT_EQ(again.least, row.least);
      EXPECT_EQ(again.median, row.median);
      EXPECT_EQ(again.mean, row.mean);
    }
    if (found->outcome == Outcome::kUnique) {
      std::ranges::sort(people, {},
                        [](const BlockPerson& p) { return std::pair(p.age, p.values); });
      EXPECT_EQ(found->people, people);
    }
  }
}

}  // namespace
}  // namespace tacit::attacks
