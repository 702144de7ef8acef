#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/accounts_table.h"
#include "cli/command.h"
#include "cli/ledger_text.h"
#include "cli/table.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/workspace_ledger.h"
#include "tacit/mechanisms/quantile/quantile.h"
#include "tacit/mechanisms/statistics/count.h"
#include "tacit/mechanisms/statistics/histogram.h"
#include "tacit/mechanisms/statistics/mean.h"
#include "tacit/mechanisms/statistics/sum.h"
#include "tacit/privacy/pure.h"
#include "tacit/random/secure_stream.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
Makes a workspace with a budget of epsilon 1 for 5,000 generated hospital
visits (one a patient), asks a few private statistics, pays for each from the
ledger, shows the ledger, and asks one question too many.

Run it twice: the visits are the same, the noise is not.

Examples:
  tacit demo
  tacit demo --folder tour      keep the workspace, then look around in it:
  tacit ledger history --workspace tour)";

constexpr const char* kStory =
    R"(A hospital wants to share what 5,000 visits teach, and no patient's part in it.

1. A workspace, with a budget: epsilon 1 in all, 0.9 of it for the analyst ana.
   {}

2. Ana asks. Each question is priced before a row is read, paid for in the
   ledger, and answered with exact noise. ('truth' is the steward's alone; you
   see it because this hospital is made up.)

{}
   ± holds with 95% for the noise; ~ marks an interval computed from released
   values.

3. The ledger has kept count.

{}
4. Ana wants the count once more, at epsilon 0.5.

{}
   Nothing was charged. There is no refund, no reset, and no way around.
)";

constexpr std::array<std::string_view, 4> kWards = {"medicine", "surgery", "children", "births"};

Rational tenths(std::int64_t n) { return Rational(n) / Rational(10); }

// Generated, and the same in every run: only noise is secret here.
struct Visits {
  std::vector<std::int64_t> ages;
  std::vector<std::int64_t> nights;
  std::vector<double> bills;
  std::vector<std::uint64_t> by_ward = std::vector<std::uint64_t>(kWards.size());

  [[nodiscard]] std::uint64_t size() const { return ages.size(); }
};

Visits generate_visits() {
  constexpr int kVisits = 5000;
  std::minstd_rand generator(1);  // NOLINT(cert-msc51-cpp): sample data, not noise
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(generator() % n); };
  Visits visits;
  for (int i = 0; i < kVisits; ++i) {
    const std::int64_t nights = 1 + below(4) * below(6);
    visits.ages.push_back(below(50) + below(50));
    visits.nights.push_back(nights);
    visits.bills.push_back(180.0 + 420.5 * static_cast<double>(nights) +
                           static_cast<double>(below(90'000)) / 100);
    ++visits.by_ward[static_cast<std::size_t>(below(2) + below(3))];
  }
  return visits;
}

// The workspace is an ordinary one: tacit.toml and a ledger.
Result<Workspace> make_workspace(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / Workspace::kFileName;
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    return bad_input("there is a workspace already", file.string(), "name another folder");
  }
  const Workspace declared{
      .folder = folder,
      .ledger = SqliteLedger{},
      .datasets = {{.name = "visits",
                    .budget = {.epsilon = 1},
                    .analysts = {{.name = "ana", .budget = {.epsilon = tenths(9)}}}}}};
  std::filesystem::create_directories(folder, error);
  if (!(std::ofstream(file) << declared.to_toml()).flush()) {
    return world_failed("cannot write the workspace", file.string(), "name another folder");
  }
  TACIT_ASSIGN_OR_RETURN(Workspace workspace, Workspace::read(folder));
  TACIT_RETURN_IF_ERROR(found_ledger(workspace, true, "steward"));
  return workspace;
}

Result<std::filesystem::path> fresh_folder() {
  std::error_code error;
  std::string pattern =
      (std::filesystem::temp_directory_path(error) / "tacit-demo-XXXXXX").string();
  if (error || mkdtemp(pattern.data()) == nullptr) {
    return world_failed("cannot make a folder for the workspace", pattern,
                        "give one with --folder");
  }
  return pattern;
}

// Answers as the tour shows them, and the road they came: pay, then release.
class Tour {
 public:
  Tour(Ledger& ledger, SecureStream& stream)
      : ledger_(ledger),
        stream_(stream),
        table_({{"asked"},
                {"answer", Table::Align::kRight},
                {"95% interval", Table::Align::kRight},
                {"truth", Table::Align::kRight},
                {"epsilon", Table::Align::kRight}}) {}

  SecureStream& stream() { return stream_; }

  // The price is known before any row is read; a permit exists once it is durably paid.
  Result<Permit> pay(const Cost& cost, const std::string& asked) {
    TACIT_ASSIGN_OR_RETURN(epsilon_, pure_epsilon(cost));
    return ledger_.reserve({.account = {.dataset = "visits", .analyst = "ana"},
                            .cost = cost,
                            .who = "ana",
                            .note = asked});
  }

  template <class T>
  void show(std::string asked, T value, const Interval& interval, double truth, int places) {
    const auto number = [places](double x) { return fmt::format("{:.{}f}", x, places); };
    const bool has_interval = interval.kind != IntervalKind::kNone;
    const std::string mark = interval.kind == IntervalKind::kApproximate ? "~" : "";
    table_.add({asked, number(static_cast<double>(value)),
                has_interval ? mark + "± " + number(interval.half_width) : "none", number(truth),
                epsilon_ ? epsilon_->to_string() : ""});
    json_.push_back({{"asked", std::move(asked)},
                     {"answer", value},
                     {"half_width", has_interval ? nlohmann::json(interval.half_width) : nullptr},
                     {"interval", name(interval.kind)},
                     {"epsilon", epsilon_ ? nlohmann::json(epsilon_->approximate()) : nullptr}});
    epsilon_.reset();  // one price for all numbers of one release
  }

  [[nodiscard]] std::string table() const { return table_.to_string(); }
  [[nodiscard]] const nlohmann::json& json() const { return json_; }

 private:
  Ledger& ledger_;
  SecureStream& stream_;
  Table table_;
  nlohmann::json json_ = nlohmann::json::array();
  std::optional<Rational> epsilon_;
};

template <class T>
double total(const std::vector<T>& values) {
  double sum = 0;
  for (const T value : values) sum += static_cast<double>(value);
  return sum;
}

Result<void> ask_count(Tour& tour, const Visits& visits) {
  TACIT_ASSIGN_OR_RETURN(const Count count, Count::create({}, PureTarget{tenths(1)}));
  TACIT_ASSIGN_OR_RETURN(Permit permit, tour.pay(count.cost(), "how many visits"));
  TACIT_ASSIGN_OR_RETURN(const auto answer,
                         count.release(visits.size(), std::move(permit), tour.stream()));
  tour.show("visits", answer.value, answer.interval, static_cast<double>(visits.size()), 0);
  return {};
}

Result<void> ask_mean_age(Tour& tour, const Visits& visits) {
  TACIT_ASSIGN_OR_RETURN(
      const Mean mean,
      Mean::create(
          {.lower = 0, .upper = 110, .whole_numbers = true, .target = PureTarget{tenths(2)}}));
  TACIT_ASSIGN_OR_RETURN(Permit permit, tour.pay(mean.cost(), "mean age"));
  TACIT_ASSIGN_OR_RETURN(const auto answer,
                         mean.release(visits.ages, std::move(permit), tour.stream()));
  const double truth = total(visits.ages) / static_cast<double>(visits.size());
  tour.show("mean age", answer.mean.value, answer.mean.interval, truth, 2);
  return {};
}

Result<void> ask_bills(Tour& tour, const Visits& visits) {
  TACIT_ASSIGN_OR_RETURN(
      const Sum sum, Sum::create({.lower = 0, .upper = 10'000, .target = PureTarget{tenths(2)}}));
  TACIT_ASSIGN_OR_RETURN(Permit permit, tour.pay(sum.cost(), "sum of bills"));
  TACIT_ASSIGN_OR_RETURN(const auto answer,
                         sum.release(visits.bills, std::move(permit), tour.stream()));
  tour.show("sum of bills", answer.value, answer.interval, total(visits.bills), 0);
  return {};
}

Result<void> ask_wards(Tour& tour, const Visits& visits) {
  TACIT_ASSIGN_OR_RETURN(const Histogram histogram,
                         Histogram::create(kWards.size(), {}, PureTarget{tenths(1)}));
  TACIT_ASSIGN_OR_RETURN(Permit permit, tour.pay(histogram.cost(), "visits by ward"));
  TACIT_ASSIGN_OR_RETURN(const auto answer,
                         histogram.release(visits.by_ward, std::move(permit), tour.stream()));
  for (std::size_t i = 0; i < kWards.size(); ++i) {
    tour.show(fmt::format("visits, {}", kWards[i]), answer.value[i], answer.interval,
              static_cast<double>(visits.by_ward[i]), 0);
  }
  return {};
}

Result<void> ask_median_nights(Tour& tour, const Visits& visits) {
  TACIT_ASSIGN_OR_RETURN(const Clamp clamp, Clamp::create(0, 60, Grid()));
  TACIT_ASSIGN_OR_RETURN(const Rational half, Rational::ratio(1, 2));
  TACIT_ASSIGN_OR_RETURN(const Quantile median, Quantile::create({half}, clamp, tenths(2)));
  TACIT_ASSIGN_OR_RETURN(Permit permit, tour.pay(median.cost(), "median nights"));
  TACIT_ASSIGN_OR_RETURN(const auto answer,
                         median.release(visits.nights, std::move(permit), tour.stream()));
  std::vector<std::int64_t> sorted = visits.nights;
  std::ranges::sort(sorted);
  tour.show("median nights", answer.front().value, answer.front().interval,
            static_cast<double>(sorted[sorted.size() / 2]), 0);
  return {};
}

// One question too many: the ledger refuses, and nothing is charged.
Result<Error> ask_too_much(Tour& tour) {
  TACIT_ASSIGN_OR_RETURN(const Count count, Count::create({}, PureTarget{tenths(5)}));
  const Result<Permit> permit = tour.pay(count.cost(), "how many visits, more exactly");
  if (permit) return world_failed("the ledger granted more than the budget", "tacit demo");
  if (permit.error().kind != ErrorKind::kBudget) return std::unexpected(permit.error());
  return permit.error();
}

Result<void> run_demo(const std::string& chosen_folder, Session& session) {
  std::filesystem::path folder = chosen_folder;
  if (folder.empty()) {
    TACIT_ASSIGN_OR_RETURN(folder, fresh_folder());
  }
  TACIT_ASSIGN_OR_RETURN(const Workspace workspace, make_workspace(folder));
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, open_ledger(workspace));
  TACIT_ASSIGN_OR_RETURN(SecureStream stream, SecureStream::create());

  const Visits visits = generate_visits();
  Tour tour(ledger, stream);
  TACIT_RETURN_IF_ERROR(ask_count(tour, visits));
  TACIT_RETURN_IF_ERROR(ask_mean_age(tour, visits));
  TACIT_RETURN_IF_ERROR(ask_bills(tour, visits));
  TACIT_RETURN_IF_ERROR(ask_wards(tour, visits));
  TACIT_RETURN_IF_ERROR(ask_median_nights(tour, visits));
  TACIT_ASSIGN_OR_RETURN(const Error refusal, ask_too_much(tour));
  TACIT_ASSIGN_OR_RETURN(const std::vector<Account> accounts, ledger.accounts());

  if (session.json) {
    session.print(nlohmann::json{
        {"workspace", folder.string()}, {"answers", tour.json()}, {"refused", refusal.message()}});
    return {};
  }
  TACIT_ASSIGN_OR_RETURN(const std::string ledger_table, accounts_table(accounts));
  session.print(fmt::format(kStory, folder.string(), tour.table(), ledger_table,
                            wrapped("Refused: " + refusal.where + ": " + refusal.what + ".", 3)));
  return {};
}

}  // namespace

void add_demo(CLI::App& app, Session& session) {
  auto folder = std::make_shared<std::string>();
  CLI::App* verb = add_verb(app, session, "demo", "A short tour on generated data", kManual);
  verb->add_option("--folder", *folder, "Where to make the workspace (default: a fresh one)");
  session.on(verb, [folder, &session] { return run_demo(*folder, session); });
}

}  // namespace tacit::cli
