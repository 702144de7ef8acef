#include "tacit/base/nearest_word.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace tacit {
namespace {

constexpr std::array<std::string_view, 5> kWords = {"epsilon", "delta", "clip", "clipping", "to"};

TEST(NearestWord, IsTheOneThatWasMeant) {
  EXPECT_EQ(nearest_word("epsilom", kWords), "epsilon");
  EXPECT_EQ(nearest_word("espilon", kWords), "epsilon");
  EXPECT_EQ(nearest_word("dlta", kWords), "delta");
  EXPECT_EQ(nearest_word("cliping", kWords), "clipping");
  EXPECT_EQ(nearest_word("clip", kWords), "clip");
  EXPECT_EQ(nearest_word("ot", kWords), "to") << "two letters exchanged are one change";
}

TEST(NearestWord, IsNothingWhereNoneIsNear) {
  EXPECT_EQ(nearest_word("learning_rate", kWords), std::nullopt);
  EXPECT_EQ(nearest_word("", kWords), std::nullopt);
  EXPECT_EQ(nearest_word("dzzta", kWords), std::nullopt) << "two of five letters";
  EXPECT_EQ(nearest_word(std::string(1000, 'a'), kWords), std::nullopt);
  EXPECT_EQ(nearest_word("epsilon", {}), std::nullopt);
}

}  // namespace
}  // namespace tacit
