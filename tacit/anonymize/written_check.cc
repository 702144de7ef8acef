#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tacit/anonymize/candidates.h"
#include "tacit/anonymize/classes.h"
#include "tacit/anonymize/judge_internal.h"
#include "tacit/anonymize/written_check_internal.h"

namespace tacit::anonymize {
namespace {

std::unexpected<Error> broken(const std::filesystem::path& file, const std::string& what) {
  return world_failed("what was written does not satisfy the policy: " + what, file.string(),
                      "nothing was left behind; please report this");
}

const std::string& text_of(const Cell& cell) { return std::get<std::string>(cell); }

// The columns that criteria look at: quasi-identifiers, then sensitive ones.
std::vector<std::string> columns_of(const Microdata& data) {
  std::vector<std::string> out;
  for (const ColumnPolicy& column : data.quasi_identifiers) out.push_back(column.name);
  for (std::size_t i = 0; i < data.sensitive_values.size(); ++i) {
    out.push_back(data.sensitive[i].name);
  }
  return out;
}

Table texts_of(const CodedRows& rows, const IntegerColumns& counted) {
  Table out{.columns = std::vector<std::vector<Cell>>(counted.size())};
  for (std::size_t i = 0; i < counted.size(); ++i) {
    out.fields.push_back({fmt::format("c{}", i), kTextType});
    for (const std::int64_t number : counted[i]) {
      if (i + 1 == counted.size()) {
        out.columns[i].emplace_back(int128{number});
      } else {
        out.columns[i].emplace_back(rows.values()[i][static_cast<std::size_t>(number)].text);
      }
    }
  }
  out.fields.back().type = kIntegerType;
  return out;
}

// The groups of a file's rows: the values of columns_of(), then the number of rows.
Result<Table> groups_of(Engine& engine, const SourceFile& file, const Microdata& data) {
  const std::vector<std::string> names = columns_of(data);
  if (const auto held = CodedRows::read_text(file, names, {})) {
    TACIT_ASSIGN_OR_RETURN(const IntegerColumns counted, held->count(engine, file));
    return texts_of(*held, counted);
  }
  std::vector<std::string> columns;
  for (const std::string& name : names) {
    columns.push_back(
        fmt::format("coalesce(CAST({} AS VARCHAR), '')", duckdb_dialect().identifier(name)));
  }
  auto groups = engine.query(fmt::format("SELECT {}, count(*) FROM {} GROUP BY ALL",
                                         fmt::join(columns, ", "), file.reader()));
  if (!groups) return file.unreadable(engine);
  return groups;
}

// The file as records whose values are what it shows, each a leaf that nothing is above.
struct Shown {
  Records records;
  std::vector<Hierarchy> hierarchies;
};

Result<Shown> shown_by(const Table& groups, const Microdata& data) {
  const std::size_t columns = data.quasi_identifiers.size();
  const std::size_t sensitive = data.sensitive_values.size();
  std::vector<std::unordered_map<std::string, std::uint32_t>> numbers(columns);
  std::vector<std::unordered_map<std::string_view, std::uint32_t>> ranks(sensitive);
  for (std::size_t i = 0; i < sensitive; ++i) {
    for (const std::string& text : data.sensitive_values[i]) {
      ranks[i].emplace(text, static_cast<std::uint32_t>(ranks[i].size()));
    }
  }
  RecordsBuilder builder(columns, sensitive);
  std::vector<std::uint32_t> leaves(columns);
  std::vector<std::uint32_t> values(sensitive);
  for (std::size_t row = 0; row < groups.rows(); ++row) {
    for (std::size_t i = 0; i < columns; ++i) {
      const auto next = static_cast<std::uint32_t>(numbers[i].size());
      leaves[i] = numbers[i].emplace(text_of(groups.columns[i][row]), next).first->second;
    }
    for (std::size_t i = 0; i < sensitive; ++i) {
      const auto found = ranks[i].find(text_of(groups.columns[columns + i][row]));
      if (found == ranks[i].end()) {
        return world_failed("a sensitive value is not one of the table's", {},
                            "please report this");
      }
      values[i] = found->second;
    }
    builder.add(leaves, values,
                static_cast<std::uint64_t>(std::get<int128>(groups.columns.back()[row])));
  }
  Shown out{.records = std::move(builder).build()};
  for (std::size_t i = 0; i < columns; ++i) {
    std::vector<std::vector<std::string>> lines(numbers[i].size());
    for (const auto& [text, number] : numbers[i]) lines[number] = {text};
    TACIT_ASSIGN_OR_RETURN(Hierarchy hierarchy,
                           Hierarchy::create(lines, data.quasi_identifiers[i].name));
    out.hierarchies.push_back(std::move(hierarchy));
  }
  return out;
}

bool holds(const Criteria& criteria, const Classes& classes) {
  std::vector<Histogram> room;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const ClassView view = classes.view(i, room);
    for (const auto& each : criteria.classes) {
      if (!each->holds(view)) return false;
    }
  }
  const std::vector<std::uint8_t> all(classes.size(), 1);
  return std::ranges::all_of(criteria.table,
                             [&](const auto& each) { return each->holds(classes, all); });
}

}  // namespace

Result<void> check_written(Engine& engine, const Microdata& data, const Policy& policy,
                           const Choice& choice, const RowFileForm& form,
                           const std::filesystem::path& file) {
  if (choice.risk.rows == 0) return {};
  TACIT_ASSIGN_OR_RETURN(const SourceFile written, SourceFile::open(engine, file, form));
  TACIT_ASSIGN_OR_RETURN(const Table groups, groups_of(engine, written, data));
  TACIT_ASSIGN_OR_RETURN(const Shown shown, shown_by(groups, data));
  if (shown.records.rows != choice.risk.rows || shown.records.size() != choice.risk.classes) {
    return broken(file, fmt::format("{} rows in {} classes, and not {} in {}", shown.records.rows,
                                    shown.records.size(), choice.risk.rows, choice.risk.classes));
  }
  const Grouper grouper(shown.records, shown.hierarchies, !data.sensitive_values.empty());
  const Classes classes = grouper.finest();
  for (const CriterionRule& rule : policy.criteria) {
    Criteria criteria;
    add_criterion(rule, data.records, criteria);
    if (policy.missing == Missing::kAnything) {
      TACIT_ASSIGN_OR_RETURN(criteria.missing,
                             missing_codes(grouper.codes(), shown.hierarchies, columns_of(data)));
      if (!Judge(criteria).judge(classes).fits) return broken(file, name(rule));
    } else if (!holds(criteria, classes)) {
      return broken(file, name(rule));
    }
  }
  return {};
}

}  // namespace tacit::anonymize
