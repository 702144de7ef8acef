#include "cli/plan_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/ledger_text.h"
#include "cli/table.h"

namespace tacit::cli {
namespace {

constexpr std::size_t kIndent = 10;

// "label     text", the text wrapped beside it.
std::string labelled(const std::string& label, const std::string& text) {
  std::string lines = wrapped(text, kIndent);
  if (lines.empty()) return {};
  lines.replace(0, label.size(), label);
  return lines;
}

std::string number_text(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                              : fmt::format("{:.4g}", value);
}

std::string counted(std::uint64_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// The first words of what a number is, short enough for a column.
std::string brief(const std::string& what) {
  if (what.contains("squared")) return "squares";
  return what.contains("offsets") ? "offsets" : what;
}

// Whether a bound will be learnt, so that the number in the plan only stands in for it.
bool will_be_learnt(const sql::ReleaseFacts& release, sql::LearnedFacts::Kind kind) {
  return std::ranges::any_of(release.learned, [&](const sql::LearnedFacts& each) {
    return each.kind == kind && !each.settled;
  });
}

std::string bounds_text(const sql::ReleaseFacts& release) {
  using Kind = sql::LearnedFacts::Kind;
  if (release.row_is_unit) return "a unit has one row: nothing to bound";
  std::string rows;
  if (release.rows > 0) {
    rows = will_be_learnt(release, Kind::kRows)
               ? "as many rows of a unit in a group as are learnt"
               : fmt::format("at most {} of a unit in a group", counted(release.rows, "row"));
  }
  std::string groups;
  if (!release.keys.empty()) {
    groups = will_be_learnt(release, Kind::kGroups)
                 ? "as many groups of a unit as are learnt"
                 : fmt::format("at most {} of a unit", counted(release.groups, "group"));
    if (release.cut_groups) groups += ", chosen by a keyed hash where it has more";
  }
  return rows + (rows.empty() || groups.empty() ? "" : "; ") + groups;
}

std::string range_text(const sql::ValueRange& range) {
  return fmt::format("{} to {}", number_text(range.lower.approximate()),
                     number_text(range.upper.approximate()));
}

// What is learnt first, and where it is sought.
std::string learned_text(const sql::ReleaseFacts& release) {
  std::vector<std::string> parts;
  for (const sql::LearnedFacts& each : release.learned) {
    parts.push_back(fmt::format("{} (within {:.4g} to {:.4g})", each.what,
                                each.within.lower.approximate(), each.within.upper.approximate()));
  }
  return fmt::format(
      "first, privately, for a part of the cost each: {}. The statements below are written for the "
      "smallest bounds; noise grows with what is learnt",
      fmt::join(parts, ", "));
}

// How wide the noise is for some of the bounds that may be learnt.
std::string examples_table(const sql::ReleaseFacts& release) {
  std::vector<Table::Column> columns{{"± expected, if learnt"}};
  for (const sql::ColumnFacts& column : release.columns) {
    columns.push_back({abbreviated(printable(column.asked), 20), Table::Align::kRight});
  }
  Table table(std::move(columns));
  for (const sql::ExampleFacts& example : release.examples) {
    std::vector<std::string> cells{example.bounds};
    for (const auto& half_width : example.half_widths) {
      cells.push_back(half_width ? number_text(*half_width) : "by data");
    }
    table.add(std::move(cells));
  }
  return table.to_string();
}

std::string keys_text(const sql::ReleaseFacts& release) {
  std::vector<std::string> parts;
  for (const sql::KeyFacts& key : release.keys) {
    parts.push_back(fmt::format("{} ({})", key.name, key.domain));
  }
  std::string keys = fmt::format("{}", fmt::join(parts, ", "));
  if (!release.selection) return keys;
  return fmt::format("{}; those of many units are shown: {}", keys, *release.selection);
}

std::string columns_table(const sql::ReleaseFacts& release) {
  Table table({{"asked"},
               {"from"},
               {"one unit adds", Table::Align::kRight},
               {"noise"},
               {"± expected", Table::Align::kRight}});
  const bool learns = !release.examples.empty();
  for (const sql::ColumnFacts& column : release.columns) {
    const std::string asked = abbreviated(printable(column.asked), 20);
    if (column.made_of.empty()) {
      table.add({asked, "a choice", "", column.mechanism, "by data"});
      continue;
    }
    for (std::size_t i = 0; i < column.made_of.size(); ++i) {
      const sql::NoiseFacts& noise = release.noise[column.made_of[i]];
      const bool direct = column.half_width.has_value();
      table.add({i == 0 ? asked : "", brief(noise.what),
                 learns ? "as learnt"
                        : fmt::format("{} to {}", number_text(noise.lower.approximate()),
                                      number_text(noise.upper.approximate())),
                 noise.law == "discrete Gaussian" ? "Gaussian" : "Laplace",
                 direct   ? number_text(noise.half_width)
                 : i == 0 ? (column.made_of.size() == 1 ? "see below" : "by data")
                          : ""});
    }
  }
  return table.to_string();
}

std::string release_text(const sql::ReleaseFacts& release) {
  std::string text = labelled("rows", fmt::format("{}", fmt::join(release.tables, ", ")));
  text += labelled("unit", release.unit);
  text += labelled("groups", keys_text(release));
  text += labelled("bounds", bounds_text(release));
  if (!release.learned.empty()) text += labelled("learnt", learned_text(release));
  text += "\n" + columns_table(release) + "\n";
  if (!release.examples.empty()) text += examples_table(release) + "\n";
  return text;
}

std::string guarantee_text(const sql::PlanFacts& facts) {
  const std::string delta =
      facts.delta.sign() == 0 ? "" : fmt::format(", delta {:g}", facts.delta.approximate());
  return fmt::format("epsilon {:g}{}, for one unit {}", facts.epsilon.approximate(), delta,
                     facts.neighbours == Neighbours::kAddRemove
                         ? "added or removed with all its rows"
                         : "whose rows are replaced by others");
}

}  // namespace

Result<PlanPrice> price_of(const Cost& cost, const Account& account) {
  PlanPrice out;
  TACIT_ASSIGN_OR_RETURN(out.charge, account.budget.price(cost));
  TACIT_ASSIGN_OR_RETURN(const Spend before, account.remaining());
  out.fits = out.charge.fits(before);
  out.left = before.less(out.charge);
  return out;
}

std::string left_spend_text(const Spend& left, const Budget& budget) {
  if (budget.is_pure()) return "epsilon " + left_text(left.divergences.front());
  std::string text;
  for (std::size_t i = 0; i < budget.orders().size(); ++i) {
    text +=
        fmt::format("Rényi order {:.5g}: {}, ", budget.orders()[i], left_text(left.divergences[i]));
  }
  return text + "delta " + left_text(left.delta);
}

std::string learned_note(const sql::PlanFacts& facts) {
  std::string text;
  for (const sql::ReleaseFacts& release : facts.releases) {
    for (const sql::LearnedFacts& each : release.learned) {
      const std::string found = !each.found
                                    ? "none found, too few units have values for this epsilon"
                                : each.kind == sql::LearnedFacts::Kind::kRange
                                    ? range_text(*each.found)
                                    : number_text(each.found->upper.approximate());
      text += wrapped(fmt::format("Learnt first: {}: {}.", each.what, found), 0);
    }
  }
  return text;
}

nlohmann::json learned_json(const sql::PlanFacts& facts) {
  const nlohmann::json described = sql::to_json(facts);
  nlohmann::json out = nlohmann::json::array();
  for (const nlohmann::json& release : described.at("releases")) {
    for (const nlohmann::json& each : release.at("learned")) out.push_back(each);
  }
  return out;
}

std::string releases_text(const sql::PlanFacts& facts) {
  std::string text;
  for (std::size_t i = 0; i < facts.releases.size(); ++i) {
    if (facts.releases.size() > 1) {
      text += fmt::format("Released table {} of {}\n", i + 1, facts.releases.size());
    }
    text += release_text(facts.releases[i]);
  }
  return text;
}

std::string engine_text(const sql::PlanFacts& facts) {
  std::string text;
  for (const sql::ReleaseFacts& release : facts.releases) {
    for (const std::string& statement : release.statements) {
      text += labelled("engine", statement);
    }
  }
  return text + "\n";
}

std::string price_text(const sql::PlanFacts& facts, const Cost& cost, const PlanPrice& price,
                       const Account& account) {
  std::string text = labelled("guarantee", guarantee_text(facts));
  text += labelled("cost", cost.to_text());
  text += labelled("charge", fmt::format("{}: {}", account.id.to_string(),
                                         spend_text(price.charge, account.budget)));
  text += labelled("left", price.fits ? left_spend_text(price.left, account.budget)
                                      : "the budget does not allow it: it would be refused");
  return text + "No row was read and nothing was charged.\n";
}

std::string plan_text(const sql::PlanFacts& facts, const Cost& cost, const PlanPrice& price,
                      const Account& account) {
  if (facts.releases.empty()) return "Public tables alone: it would cost nothing.\n";
  return releases_text(facts) + engine_text(facts) + price_text(facts, cost, price, account);
}

nlohmann::json plan_json(const sql::PlanFacts& facts, const Cost& cost, const PlanPrice& price,
                         const Account& account) {
  nlohmann::json out = sql::to_json(facts);
  out["cost"] = nlohmann::json::parse(cost.to_json());
  out["account"] = account.id.to_string();
  out["charge"] = to_json(price.charge, account.budget);
  out["fits"] = price.fits;
  out["left"] = to_json(price.left, account.budget);
  return out;
}

Result<void> show_plan(const sql::PlanFacts& facts, const Cost& cost, const Account& account,
                       PlanDetail detail, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const PlanPrice price, price_of(cost, account));
  if (session.json) {
    session.print(plan_json(facts, cost, price, account));
  } else {
    session.print(detail == PlanDetail::kAll ? plan_text(facts, cost, price, account)
                                             : price_text(facts, cost, price, account));
  }
  return {};
}

}  // namespace tacit::cli
