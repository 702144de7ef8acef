#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "tacit/privacy/cost.h"
#include "tacit/privacy/testing/costs.h"

namespace tacit {
namespace {

using testing::HasSubstr;
using testing_costs::number;

TEST(CostJson, IsWhatTheFormatPageSays) {
  EXPECT_EQ(Cost::leaf(cost::Gaussian{number("1.5")}).value().to_json(),
            R"({"type": "gaussian", "noise_multiplier": 1.5, "neighbours": "add_remove"})");
  const Cost third = Cost::leaf(cost::Pure{number("1/3")}, Neighbours::kReplace).value();
  EXPECT_EQ(Cost::compose({third, third}).value().to_json(),
            R"({"type": "compose", "parts": [{"type": "pure", "epsilon": "1/3"}, )"
            R"({"type": "pure", "epsilon": "1/3"}], "neighbours": "replace"})");
}

TEST(CostJson, NumbersAreReadAsWritten) {
  const auto epsilon = [](std::string_view text) {
    const auto cost = Cost::from_json(R"({"type": "pure", "epsilon": )" + std::string(text) + "}");
    return std::get<cost::Pure>(cost.value().node()).epsilon;
  };
  EXPECT_EQ(epsilon("0.1"), number("1/10"));
  // More digits than a double holds, and an integer past 2^64.
  EXPECT_EQ(epsilon("0.1000000000000000000000001"), number("0.1000000000000000000000001"));
  EXPECT_EQ(epsilon("123456789012345678901234567890"), number("123456789012345678901234567890"));
  EXPECT_EQ(epsilon(R"("2/7")"), number("2/7"));
  EXPECT_EQ(epsilon("1e-5"), number("0.00001"));
}

TEST(CostJson, DefaultsAreThoseOfTheNodes) {
  const Cost cost = Cost::from_json(R"({"type": "discrete_laplace", "scale": 2})").value();
  EXPECT_EQ(cost, Cost::leaf(cost::DiscreteLaplace{2, 1}).value());
  EXPECT_EQ(Cost::from_json(R"({"type": "zcdp", "rho": 0.5})").value(),
            Cost::leaf(cost::Zcdp{number("0.5"), 0}).value());
}

TEST(CostJson, RefusalsSayWhereAndWhatToDo) {
  struct Case {
    const char* json;
    const char* where;
    const char* what;
  };
  const Case cases[] = {
      {"", "cost JSON", "not JSON"},
      {"{", "cost JSON", "not JSON"},
      {"[]", "cost", "not a cost"},
      {"null", "cost", "not a cost"},
      {R"({"epsilon": 1})", "cost", "not a cost"},
      {R"({"type": "magic"})", "cost.type", "'magic'"},
      {R"({"type": "pure"})", "cost", "'epsilon' is missing"},
      {R"({"type": "pure", "epsilon": 1, "delta": 0})", "cost", "'delta'"},
      {R"({"type": "pure", "epsilon": 1, "epsilon": 2})", "cost JSON", "twice"},
      {R"({"type": "pure", "epsilon": true})", "cost.epsilon", "not a number"},
      {R"({"type": "pure", "epsilon": "NaN"})", "cost.epsilon", "not a number"},
      {R"({"type": "pure", "epsilon": -1})", "cost.epsilon", "at least 0"},
      {R"({"type": "pure", "epsilon": 1, "neighbours": "swap"})", "cost.neighbours", "relation"},
      {R"({"type": "repeat", "times": 1.5, "part": {"type": "pure", "epsilon": 1}})", "cost.times",
       "not a count"},
      {R"({"type": "repeat", "times": 18446744073709551616,
           "part": {"type": "pure", "epsilon": 1}})",
       "cost.times", "not a count"},
      {R"({"type": "compose", "parts": [{"type": "pure", "epsilon": 1},
           {"type": "repeat", "times": 2, "part": {"type": "gaussian", "noise_multiplier": 0}}]})",
       "cost.parts[1].part.noise_multiplier", "above 0"},
      {R"({"type": "compose", "parts": {"type": "pure", "epsilon": 1}})", "cost.parts",
       "not a list"},
      {R"({"type": "renyi", "curve": [2, 3]})", "cost.curve", "pairs"},
      {R"({"type": "as_replace", "part": {"type": "pure", "epsilon": 1}})", "cost", "add_remove"},
      {R"({"type": "pure", "epsilon": 1, "part": {"type": "pure", "neighbours": "replace"}})",
       "cost", "'part'"},
      {R"({"type": "group", "size": 2, "part":
           {"type": "pure", "epsilon": 1, "neighbours": "replace"}})",
       "cost.part", "'neighbours'"},
  };
  for (const auto& [json, where, what] : cases) {
    const auto cost = Cost::from_json(json);
    ASSERT_FALSE(cost.has_value()) << json;
    EXPECT_EQ(cost.error().where, where) << json;
    EXPECT_THAT(cost.error().what, HasSubstr(what)) << json;
    EXPECT_FALSE(cost.error().remedy.empty()) << json;
    EXPECT_EQ(cost.error().exit_status(), 2);
  }
}

TEST(CostJson, RefusesWhatIsTooDeepTooLongOrTooMany) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += R"({"type":"group","size":2,"part":)";
  EXPECT_THAT(Cost::from_json(deep).error().what, HasSubstr("nested deeper"));
  EXPECT_THAT(Cost::from_json(std::string(20U << 20U, ' ')).error().what, HasSubstr("longer"));
  std::string many = R"({"type":"compose","parts":[0)";
  for (int i = 0; i < 600000; ++i) many += ",0";
  EXPECT_THAT(Cost::from_json(many + "]}").error().what, HasSubstr("more parts"));
  std::string fields = "{";
  for (int i = 0; i < 1000; ++i) fields += "\"" + std::to_string(i) + "\":0,";
  EXPECT_THAT(Cost::from_json(fields).error().what, HasSubstr("more fields"));
}

TEST(CostJson, TheLargestTreesAreReadBack) {
  Cost deep = Cost::leaf(cost::Pure{1}).value();
  for (std::uint32_t i = 1; i < Cost::kMaxDepth; ++i) deep = Cost::compose({deep}).value();
  EXPECT_EQ(Cost::from_json(deep.to_json()).value(), deep);

  const Cost leaf = Cost::leaf(cost::NoneProved{"\"\\\"\\\"\\"}).value();
  std::vector<Cost> parts(Cost::kMaxWeight / 4, leaf);
  auto wide = Cost::compose(parts);
  while (!wide) {
    parts.pop_back();
    wide = Cost::compose(parts);
  }
  EXPECT_EQ(Cost::from_json(wide->to_json()).value(), *wide);
}

// ---- Any tree is read back as it was written ----

Rational any_positive() {
  const auto top = *rc::gen::inRange<std::int64_t>(1, 1'000'000'000);
  const auto bottom = *rc::gen::inRange<std::int64_t>(1, 1'000'000'000);
  return *rc::gen::arbitrary<bool>() ? Rational::ratio(top, bottom).value()
                                     : Rational::decimal(static_cast<double>(top) / 1024).value();
}

Rational any_fraction() {
  return Rational::ratio(*rc::gen::inRange<std::int64_t>(0, 999), 1000).value();
}

Cost any_leaf(Neighbours neighbours) {
  const Rational a = any_positive();
  const Rational f = any_fraction();
  const auto n = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  const std::vector<cost::Node> leaves{
      cost::Pure{a},
      cost::Approximate{a, f},
      cost::Zcdp{a, f},
      cost::Renyi{{{a + Rational(1), f}, {a + Rational(2), a}}},
      cost::Laplace{a},
      cost::DiscreteLaplace{a, n},
      cost::Gaussian{a},
      cost::DiscreteGaussian{a, n, n},
      cost::Exponential{a},
      cost::PermuteAndFlip{a},
      cost::SparseVector{a},
      cost::PartitionSelection{a, f},
      cost::NoneProved{"k-anonymity: \"Zürich\" \\ 5"},
      cost::RandomizedResponse{
          1000, Rational::ratio(1, 1000).value() + f * Rational::ratio(1, 2).value()}};
  const bool replace = neighbours == Neighbours::kReplace;
  return Cost::leaf(leaves[*rc::gen::inRange<std::size_t>(0, leaves.size() - (replace ? 0 : 1))],
                    neighbours)
      .value();
}

Cost any_cost(Neighbours neighbours, int depth) {
  if (depth == 0) return any_leaf(neighbours);
  const auto n = *rc::gen::inRange<std::uint64_t>(1, 1000);
  const auto child = [&] { return any_cost(neighbours, depth - 1); };
  switch (*rc::gen::inRange(0, 7)) {
    case 0:
      return Cost::compose({child(), child()}).value();
    case 1:
      return Cost::repeat(n, child()).value();
    case 2:
      return Cost::parallel({child(), child()}).value();
    case 3:
      return Cost::group(n, child()).value();
    case 4:
      return neighbours == Neighbours::kReplace
                 ? Cost::as_replace(any_cost(Neighbours::kAddRemove, depth - 1)).value()
                 : Cost::poisson_sample(any_fraction(), child()).value();
    case 5:
      return neighbours == Neighbours::kReplace ? Cost::fixed_size_sample(n, 1000, child()).value()
                                                : Cost::nothing(neighbours);
    default:
      return any_leaf(neighbours);
  }
}

TEST(CostJson, RoundTripsAnyTree) {
  EXPECT_TRUE(rc::check("from_json(to_json(cost)) == cost", [] {
    const auto neighbours = *rc::gen::element(Neighbours::kAddRemove, Neighbours::kReplace);
    const Cost cost = any_cost(neighbours, *rc::gen::inRange(0, 5));
    const auto back = Cost::from_json(cost.to_json());
    RC_ASSERT(back.has_value());
    RC_ASSERT(*back == cost);
    RC_ASSERT(back->to_json() == cost.to_json());
    RC_ASSERT(!cost.to_text().empty());
  }));
}

}  // namespace
}  // namespace tacit
