#include "tacit/attacks/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace tacit::attacks {
namespace {

using ::testing::HasSubstr;

class HistoryFile : public ::testing::Test {
 protected:
  HistoryFile() : file_(::testing::TempDir() + "history_" + std::to_string(::getpid()) + ".csv") {
    std::ofstream(file_) << "user,film,stars,date\nu1,Heat,4,2005-01-02\nu2,Heat,,2005-01-03\n"
                            "u1,Rare,5,\n";
  }
  ~HistoryFile() override { std::filesystem::remove(file_); }

  std::filesystem::path file_;
};

TEST_F(HistoryFile, HasEventsWithValuesAndDays) {
  const auto history =
      History::read(file_, {.person = "user", .item = "film", .value = "stars", .when = "date"});
  ASSERT_TRUE(history) << history.error().message();
  ASSERT_EQ(history->events.size(), 3);
  EXPECT_EQ(history->people.size(), 2);
  EXPECT_EQ(history->items[history->events[2].item], "Rare");
  EXPECT_EQ(history->events[0].value, 4);
  EXPECT_EQ(history->events[1].value, std::nullopt);
  EXPECT_EQ(*history->events[1].day - *history->events[0].day, 1);
  EXPECT_EQ(history->events[2].day, std::nullopt);
}

TEST_F(HistoryFile, RefusesWhatIsNoNumberOrDate) {
  const auto wrong = History::read(file_, {.person = "user", .item = "film", .value = "date"});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(), HasSubstr("is not a number"));
  EXPECT_FALSE(History::read(file_, {.person = "user", .item = "film", .when = "film"}));
}

}  // namespace
}  // namespace tacit::attacks
