#pragma once

#include <optional>
#include <random>
#include <span>
#include <vector>

#include "tacit/attacks/history.h"
#include "tacit/attacks/report.h"
#include "tacit/base/progress.h"

namespace tacit::attacks {

// What an adversary knows of one event of a target; value and day are perhaps a little wrong.
struct KnownEvent {
  std::optional<std::uint32_t> item = {};  // nothing where no history has it
  std::optional<double> value = {};
  std::optional<double> day = {};
};

struct ScoreboardOptions {
  // What is far: a difference of this much counts exp(-1) of none.
  double value_scale = 1.5;
  double day_scale = 30;
  // A claim needs a best score so many standard deviations above the second.
  double least_eccentricity = 1.5;
};

// Whose history is it? (Narayanan and Shmatikov 2008, the scoreboard of their section 4.) Everybody
// has the sum over known events of 1 / log(support of the item), times how near value and day of
// the own event are; so a few rare items tell more than many frequent ones. The best is claimed
// where it stands out from all others: the eccentricity is the distance to the second best over the
// standard deviation of all scores.
class Scoreboard {
 public:
  Scoreboard(const History& release, const ScoreboardOptions& options);

  struct Best {
    std::uint32_t person = 0;
    double score = 0;
    double eccentricity = 0;
    bool is_claimed = false;
  };
  [[nodiscard]] Best best(std::span<const KnownEvent> known) const;

  // How many people have an item.
  [[nodiscard]] std::size_t support(std::uint32_t item) const { return support_[item]; }

 private:
  [[nodiscard]] double nearness(const KnownEvent& known, const History::Event& event) const;

  ScoreboardOptions options_;
  std::size_t people_;
  std::vector<std::vector<History::Event>> events_;  // of each item, by person
  std::vector<std::size_t> support_;
};

// Looks for the people of another history, of which the adversary knows a few events each, by the
// texts of their items. `truth` has for each of its people who they are in the release; it is empty
// where that is not known, and successes are claims then. The baseline names a random person.
Report identify(const History& release, const Scoreboard& scoreboard, const History& known,
                const std::vector<std::string>& truth, const Progress& progress = {});

// An experiment on the release itself: targets are drawn from it, and of each some events become
// the adversary's knowledge.
struct HistoryExperiment {
  std::size_t targets = 500;
  std::size_t events = 4;  // known of each
  // Known values and days are off by at most this much, uniformly.
  double value_error = 0;
  double day_error = 0;
  // Known events have no rare items: only those of the more popular half of all events.
  bool only_popular = false;
};

// Successes are right claims. The baseline names a random person. People with fewer events than are
// to be known are no targets.
Report reidentify(const History& release, const Scoreboard& scoreboard,
                  const HistoryExperiment& experiment, std::mt19937_64& generator,
                  const Progress& progress = {});

}  // namespace tacit::attacks
