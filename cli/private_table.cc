#include "cli/private_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/ledger_text.h"
#include "cli/progress_bar.h"
#include "cli/query_watch.h"
#include "cli/risk_text.h"
#include "cli/table.h"
#include "tacit/anonymize/safepub/safepub.h"
#include "tacit/random/secure_stream.h"

namespace tacit::cli {
namespace {

using anonymize::CountedRows;
using anonymize::PrivateTable;
using anonymize::SafePubPlan;

// A promise for rows is less than one for people, and must not be charged as one.
Result<void> check_unit(const DeclaredDataset& dataset, const anonymize::DifferentialRule& rule) {
  if (rule.unit) return {};
  using Kind = DeclaredUnit::Kind;
  for (const DeclaredTable& table : dataset.data.tables) {
    if (table.unit.kind != Kind::kColumns && table.unit.kind != Kind::kPath) continue;
    return bad_input(fmt::format("the dataset '{}' protects what its table '{}' names as units, "
                                 "and this policy rows",
                                 dataset.name, table.name),
                     rule.place, "write unit = {column = \"...\"} with the column that names them");
  }
  return {};
}

std::string unit_text(const SafePubPlan& plan) {
  const auto& unit = plan.rule().unit;
  return unit ? fmt::format("all rows of one '{}'", printable(*unit)) : "one row";
}

std::string levels_table(const SafePubPlan& plan, const PrivateTable& table) {
  Table out({{"column", Table::Align::kLeft},
             {"level", Table::Align::kRight},
             {"of", Table::Align::kRight}});
  for (std::size_t i = 0; i < plan.columns().size(); ++i) {
    const SafePubPlan::Column& column = plan.columns()[i];
    out.add({abbreviated(printable(column.name), 40), std::to_string(table.levels[i]),
             std::to_string(column.levels.top)});
  }
  return out.to_string();
}

// What the certificate says beside the plan.
struct Paid {
  std::string dataset;
  std::string entry;  // "7:DIGEST"
  Neighbours neighbours = Neighbours::kAddRemove;
  std::vector<Entry> none_proved;
};

std::string text_of(const SafePubPlan& plan, const PrivateTable& table, const Paid& paid,
                    const std::string& output) {
  const auto& rule = plan.rule();
  std::string words = fmt::format(
      "Differentially private, with epsilon {} and delta {}: for {} more or less. Rows were "
      "sampled with probability {}, and left out where fewer than {} in the sample were alike in "
      "all columns.",
      rule.epsilon.to_string(), rule.delta.to_string(), unit_text(plan),
      plan.thinning().rate.to_string(), plan.thinning().least);
  if (rule.search.sign() > 0) {
    words += fmt::format(" An epsilon of {} chose the levels.", rule.search.to_string());
  }
  std::string charged = fmt::format("Charged to {} as entry {}.", printable(paid.dataset),
                                    paid.entry.substr(0, paid.entry.find(':')));
  if (paid.neighbours == Neighbours::kReplace) {
    charged +=
        " The account is kept for replaced units: one was charged as taken away, one as "
        "added.";
  }
  if (!paid.none_proved.empty()) {
    charged += fmt::format(" {} earlier releases of {} have no proved guarantee.",
                           paid.none_proved.size(), printable(paid.dataset));
  }
  return fmt::format(
      "{}\n{}\n{}{}",
      wrapped(fmt::format("{}: {} rows in {} classes.", printable(output),
                          grouped_digits(table.rows()), grouped_digits(table.classes.size())),
              0),
      levels_table(plan, table), wrapped(words, 0), wrapped(charged, 0));
}

nlohmann::json json_of(const SafePubPlan& plan, const PrivateTable& table, const Paid& paid,
                       const std::string& output) {
  const auto& rule = plan.rule();
  nlohmann::json levels = nlohmann::json::array();
  for (std::size_t i = 0; i < plan.columns().size(); ++i) {
    levels.push_back({{"column", plan.columns()[i].name},
                      {"level", table.levels[i]},
                      {"levels", plan.columns()[i].hierarchy.levels()}});
  }
  nlohmann::json unproved = nlohmann::json::array();
  for (const Entry& each : paid.none_proved) unproved.push_back(each.sequence);
  return {{"output", output},
          {"rows", table.rows()},
          {"classes", table.classes.size()},
          {"levels", levels},
          {"guarantee", "differential privacy"},
          {"epsilon", rule.epsilon.approximate()},
          {"delta", rule.delta.approximate()},
          {"neighbours", name(Neighbours::kAddRemove)},
          {"unit", rule.unit ? nlohmann::json{{"column", *rule.unit}} : nlohmann::json("row")},
          {"search_epsilon", rule.search.approximate()},
          {"sampling", plan.thinning().rate.approximate()},
          {"k", plan.thinning().least},
          {"cost", nlohmann::json::parse(plan.cost().to_json())},
          {"dataset", paid.dataset},
          {"entry", paid.entry},
          {"none_proved", unproved}};
}

// The rows are read, and what leaves is made, after the charge.
Result<PrivateTable> released(Engine& engine, const anonymize::SourceFile& source,
                              const SafePubPlan& plan, Permit&& permit) {
  const auto counted = [&] {
    const QueryWatch watch(engine, "the engine counts");
    return CountedRows::read(engine, source, plan);
  }();
  if (!counted) return std::unexpected(counted.error());
  TACIT_ASSIGN_OR_RETURN(SecureStream stream, SecureStream::create());
  return release(plan, *counted, std::move(permit), stream, progress_bar("scoring"));
}

}  // namespace

Result<void> publish_privately(const std::string& file, const std::string& output,
                               const std::string& who, const anonymize::Policy& policy,
                               ReleaseEntry& entry, Session& session) {
  TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::duckdb_in_memory(Engine::Files::kAllowed));
  TACIT_ASSIGN_OR_RETURN(const auto source, anonymize::SourceFile::open(engine, file));
  TACIT_ASSIGN_OR_RETURN(const SafePubPlan plan,
                         SafePubPlan::create(policy, source, entry.dataset.neighbours));
  TACIT_RETURN_IF_ERROR(check_unit(entry.dataset, plan.rule()));
  Paid paid{.dataset = entry.dataset.name, .neighbours = entry.dataset.neighbours};
  TACIT_ASSIGN_OR_RETURN(paid.none_proved, entry.ledger->none_proved(entry.dataset.name));
  TACIT_ASSIGN_OR_RETURN(
      Permit permit, entry.ledger->reserve(
                         {.account = {.dataset = entry.dataset.name},
                          .cost = plan.cost(),
                          .who = who,
                          .note = fmt::format("tacit anonymize {} -o {}",
                                              std::filesystem::path(file).filename().string(),
                                              std::filesystem::path(output).filename().string())}));
  paid.entry = permit.entry();
  TACIT_ASSIGN_OR_RETURN(const PrivateTable table,
                         released(engine, source, plan, std::move(permit)));
  const QueryWatch watch(engine, "the engine writes");
  TACIT_RETURN_IF_ERROR(write_table(engine, source, plan, table, output));
  if (session.json) {
    session.print(json_of(plan, table, paid, output));
  } else {
    session.print(text_of(plan, table, paid, output));
  }
  return {};
}

}  // namespace tacit::cli
