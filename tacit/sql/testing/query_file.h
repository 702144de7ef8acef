#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tacit/data/calendar_internal.h"
#include "tacit/data/schema.h"
#include "tacit/sql/plan.h"

namespace tacit::sql::testing {

// Query tests as text; tests/sql/README.md describes the format. Throws std::runtime_error, as a
// test may, where a file does not keep to it.

// What must come back, as "= KIND TEXT" says.
struct Expectation {
  std::string kind;
  std::string text;
  std::size_t line = 0;  // of the file, from 0
};

struct QueryCase {
  std::string name;
  std::string sql;
  PlanOptions options;
  std::vector<Expectation> expected;
};

struct QueryFile {
  std::filesystem::path path;
  std::vector<std::string> lines;
  Schema schema;
  // Tuples of each table, as they stand behind VALUES.
  std::vector<std::pair<std::string, std::string>> rows;
  std::vector<QueryCase> cases;
};

class QueryFileReader {
 public:
  static QueryFile read(const std::filesystem::path& path) { return QueryFileReader(path).file_; }

 private:
  explicit QueryFileReader(const std::filesystem::path& path) {
    file_.path = path;
    file_.schema.dataset = path.stem().string();
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) file_.lines.push_back(line);
    while (at_ < file_.lines.size()) section();
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(fmt::format("{}:{}: {}", file_.path.string(), at_ + 1, what));
  }

  [[nodiscard]] bool ends_section() const {
    return at_ >= file_.lines.size() || file_.lines[at_].empty();
  }

  void section() {
    const std::string& line = file_.lines[at_];
    if (line.empty() || line.starts_with('#')) {
      ++at_;
      return;
    }
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "neighbours") {
      words >> word;
      file_.schema.neighbours = word == "replace" ? Neighbours::kReplace : Neighbours::kAddRemove;
      ++at_;
    } else if (word == "include") {
      words >> word;
      const QueryFileReader other(file_.path.parent_path() / word);
      file_.schema = other.file_.schema;
      file_.rows = other.file_.rows;
      defaults_ = other.defaults_;
      ++at_;
    } else if (word == "option") {
      option(words, defaults_);
      ++at_;
    } else if (word == "table") {
      table(words);
    } else if (word == "rows") {
      rows(words);
    } else if (word == "case") {
      query_case(line.substr(line.find(' ') + 1));
    } else {
      fail("this section is none that is known");
    }
  }

  void option(std::istream& words, PlanOptions& options) const {
    std::string name;
    std::string value;
    words >> name >> value;
    const auto number = Rational::parse(value);
    if (name == "learn") {
      options.learn.rows = value.contains("rows");
      options.learn.groups = value.contains("groups");
      options.learn.ranges = value.contains("ranges");
    } else if (value == "none" && name == "delta") {
      options.delta.reset();
    } else if (value == "none" && name == "rows") {
      options.bounds.rows_per_group.reset();
    } else if (value == "none" && name == "groups") {
      options.bounds.groups.reset();
    } else if (!number) {
      fail("an option needs a number");
    } else if (name == "epsilon") {
      options.epsilon = *number;
    } else if (name == "delta") {
      options.delta = *number;
    } else if (name == "rows") {
      options.bounds.rows_per_group = number->floor().get_ui();
    } else if (name == "groups") {
      options.bounds.groups = number->floor().get_ui();
    } else {
      fail("no such option");
    }
  }

  // table NAME unit row | unit COLUMN... | path COLUMN PARENT KEY | public
  void table(std::istream& words) {
    TableSchema table;
    std::string word;
    words >> table.name >> word;
    table.source = table.name;
    if (word == "unit") {
      table.unit.kind = Unit::Kind::kColumns;
      while (words >> word) table.unit.columns.push_back(word);
      if (table.unit.columns == std::vector<std::string>{"row"}) {
        table.unit = {.kind = Unit::Kind::kRow};
      }
    } else if (word == "path") {
      table.unit = {.kind = Unit::Kind::kPath, .columns = {""}, .parent_keys = {""}};
      words >> table.unit.columns[0] >> table.unit.parent >> table.unit.parent_keys[0];
    } else if (word != "public") {
      fail("a table has a unit, a path or is public");
    }
    for (++at_; !ends_section(); ++at_) table.columns.push_back(column(file_.lines[at_]));
    file_.schema.tables.push_back(std::move(table));
  }

  [[nodiscard]] static Rational bound(const std::string& text, const Type& type) {
    if (type.kind != TypeKind::kDate) return Rational::parse(text).value();
    return Rational(static_cast<std::int64_t>(parse_date(text).value()));
  }

  // NAME TYPE [LOWER..UPPER | of VALUE ...] [null]
  [[nodiscard]] Column column(const std::string& line) const {
    std::istringstream words(line);
    Column column;
    std::string type;
    std::string facts;
    words >> column.name >> type >> facts;
    const auto parsed = parse_type(type);
    if (!parsed) fail("no such type");
    column.type = *parsed;
    if (const std::size_t dots = facts.find(".."); dots != std::string::npos) {
      column.lower = bound(facts.substr(0, dots), column.type);
      column.upper = bound(facts.substr(dots + 2), column.type);
      for (std::string word; words >> word;) column.nulls = column.nulls || word == "null";
    } else if (facts == "null") {
      column.nulls = true;
    } else if (facts == "of") {
      for (std::string value; words >> value;) {
        if (value == "null") {
          column.nulls = true;
          continue;
        }
        column.values.push_back(
            column.type.kind == TypeKind::kText ? Cell(value) : Cell(int128{std::stoll(value)}));
      }
    }
    return column;
  }

  void rows(std::istream& words) {
    std::string name;
    words >> name;
    std::string tuples;
    for (++at_; !ends_section(); ++at_) tuples += file_.lines[at_] + "\n";
    file_.rows.emplace_back(name, std::move(tuples));
  }

  void query_case(std::string name) {
    QueryCase out{.name = std::move(name), .options = defaults_};
    for (++at_; !ends_section(); ++at_) {
      const std::string& line = file_.lines[at_];
      if (line.starts_with("= option ")) {
        std::istringstream words(line.substr(9));
        option(words, out.options);
      } else if (line.starts_with("= ")) {
        const std::size_t end = line.find(' ', 2);
        out.expected.push_back({line.substr(2, end == std::string::npos ? end : end - 2),
                                end == std::string::npos ? std::string() : line.substr(end + 1),
                                at_});
      } else if (out.expected.empty()) {
        out.sql += (out.sql.empty() ? "" : "\n") + line;
      } else {
        out.expected.back().text += "\n" + line;
      }
    }
    if (out.expected.empty()) fail("a case must say what comes back");
    file_.cases.push_back(std::move(out));
  }

  QueryFile file_;
  PlanOptions defaults_;
  std::size_t at_ = 0;
};

}  // namespace tacit::sql::testing
