#include "tacit/anonymize/methods/method.h"

#include <gtest/gtest.h>

#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

class MethodTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_ / "t.csv") << "age,zip,born,size,colour\n"
                                        "9,02139,1987-11-30,S,red\n"
                                        "10,02138,1986-01-02,L,blue\n"
                                        "30,90210,1990-05-05,M,green\n";
    const Policy policy = Policy::parse(R"([columns]
age = {role = "quasi-identifier", hierarchy = {intervals = [10]}}
zip = {role = "quasi-identifier", hierarchy = {mask = "right"}}
born = {role = "quasi-identifier", hierarchy = {date = ["year"]}}
size = {role = "quasi-identifier", hierarchy = {order = [2], values = ["S", "M", "L"]}}
colour = "quasi-identifier"
[privacy]
k = 2
)",
                                        "p.toml")
                              .value();
    auto data = Microdata::read(engine_, folder_ / "t.csv", policy);
    ASSERT_TRUE(data) << data.error().message();
    data_.emplace(*std::move(data));
  }

  Scratch folder_;
  Engine engine_ = testing::engine_with_files();
  std::optional<Microdata> data_;
};

TEST_F(MethodTest, CutsEachColumnAsItsHierarchySays) {
  const std::vector<Axis> axes = mondrian_axes(*data_);
  EXPECT_EQ(axes[0].label(0, 2), "9 .. 30");
  EXPECT_TRUE(axes[1].is_tree());
  EXPECT_EQ(axes[2].label(0, 1), "1986-01-02 .. 1987-11-30");
  EXPECT_EQ(axes[3].label(0, 2), "S .. L");
  EXPECT_EQ(axes[4].label(0, 1), "{blue, green}");
}

TEST_F(MethodTest, StartsFromTheWhole) {
  Criteria criteria;
  criteria.classes.push_back(k_anonymity(2));
  EXPECT_EQ(partition_by(rule::Mondrian{}, *data_, criteria)->size(), 1U);
  EXPECT_EQ(partition_by(rule::CellSuppression{}, *data_, criteria)->size(), 1U);
  EXPECT_FALSE(partition_by(rule::GlobalRecoding{}, *data_, criteria));
  criteria.classes.push_back(k_anonymity(4));
  EXPECT_FALSE(partition_by(rule::Mondrian{}, *data_, criteria));
}

}  // namespace
}  // namespace tacit::anonymize
