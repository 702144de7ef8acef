#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "tacit/sql/aggregate_sql.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/testing/town_schema.h"

// Bytes choose among the rules of a grammar of SQL. Whatever query comes out is refused or gets a
// plan in which everything that is released has bounds, noise and a cost.
namespace tacit::sql {
namespace {

class Grammar {
 public:
  explicit Grammar(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::string query() {
    std::string with;
    if (choose(8) == 0) with = fmt::format("WITH w AS ({}) ", select(2));
    std::string out = with + select(3);
    if (choose(10) == 0) out += " UNION ALL " + select(2);
    if (choose(6) == 0) out += " ORDER BY 1";
    if (choose(10) == 0) out += " LIMIT 3";
    return out;
  }

 private:
  std::size_t choose(std::size_t among) {
    if (at_ >= bytes_.size()) return among - 1;
    return bytes_[at_++] % among;
  }

  template <std::size_t n>
  std::string_view pick(const std::string_view (&words)[n]) {  // NOLINT(*-avoid-c-arrays)
    return words[choose(n)];
  }

  std::string select(int depth) {
    std::string list = item(depth);
    for (std::size_t more = choose(4); more > 0 && more < 3; --more) list += ", " + item(depth);
    std::string out =
        fmt::format("SELECT {}{} FROM {}", choose(12) == 0 ? "DISTINCT " : "", list, from(depth));
    if (choose(2) == 0) out += " WHERE " + condition(depth);
    switch (choose(6)) {
      case 0:
        out += " GROUP BY " + std::string(column());
        break;
      case 1:
        out += " GROUP BY person, " + std::string(column());
        break;
      case 2:
        out += " GROUP BY ALL";
        break;
      case 3:
        out += " GROUP BY 1";
        break;
      default:
        break;
    }
    if (choose(10) == 0) out += " HAVING " + condition(depth);
    return out;
  }

  std::string item(int depth) {
    static constexpr std::string_view kAggregates[]{
        "count(*)",         "count({})",
        "sum({})",          "avg({})",
        "stddev({})",       "variance({})",
        "median({})",       "min({})",
        "max({})",          "count(DISTINCT {})",
        "sum(DISTINCT {})", "quantile_cont({}, 0.9)",
        "mode({})",         "rank() OVER (ORDER BY {})"};
    std::string out;
    switch (choose(5)) {
      case 0:
        out = std::string(column());
        break;
      case 1:
        out = scalar(depth);
        break;
      case 2:
        out = "*";
        break;
      default:
        out = fmt::format(fmt::runtime(pick(kAggregates)), scalar(depth));
        if (choose(6) == 0) out += fmt::format(" FILTER (WHERE {})", condition(depth));
        break;
    }
    return choose(3) == 0 && out != "*" ? fmt::format("{} AS {}", out, column()) : out;
  }

  std::string_view column() {
    static constexpr std::string_view kColumns[]{
        "person",   "age",      "place",   "minutes", "price",   "weight", "note",
        "account",  "number",   "amount",  "day",     "nights",  "points", "region",
        "v.person", "w.person", "v.place", "w.place", "value_0", "key_0",  "half_width_0"};
    return pick(kColumns);
  }

  std::string_view literal() {
    static constexpr std::string_view kLiterals[]{"1",
                                                  "0",
                                                  "-3",
                                                  "2.50",
                                                  "1e300",
                                                  "NULL",
                                                  "'a'",
                                                  "TRUE",
                                                  "''",
                                                  "'a\\'",
                                                  "'%x_'",
                                                  "9223372036854775807",
                                                  "DATE '2026-01-01'",
                                                  "'2026-13-01'"};
    return pick(kLiterals);
  }

  std::string scalar(int depth) {
    static constexpr std::string_view kCalls[]{"({} + {})",
                                               "({} - {})",
                                               "({} * {})",
                                               "({} / {})",
                                               "({} // {})",
                                               "({} % {})",
                                               "LEAST({}, {})",
                                               "GREATEST({}, {})",
                                               "coalesce({}, {})",
                                               "nullif({}, {})",
                                               "({} || {})",
                                               "pow({}, {})",
                                               "CASE WHEN {} > 1 THEN {} END",
                                               "LEAST(GREATEST({}, 0), 5)",
                                               "width_bucket({}, 0, 9, 3)",
                                               "CAST({} AS BIGINT)",
                                               "CAST({} AS DECIMAL(9,2))",
                                               "CAST({} AS VARCHAR)",
                                               "sqrt({})",
                                               "upper({})",
                                               "substring({}, 1, 2)",
                                               "round({})",
                                               "abs({})",
                                               "random() + {}",
                                               "count(*) + {}"};
    if (depth <= 0 || choose(3) != 0) {
      return std::string(choose(4) == 0 ? literal() : column());
    }
    return fmt::format(fmt::runtime(pick(kCalls)), scalar(depth - 1), scalar(depth - 2));
  }

  std::string condition(int depth) {
    static constexpr std::string_view kOperators[]{"=",  "<>",   "<",
                                                   ">=", "LIKE", "IS DISTINCT FROM"};
    switch (choose(9)) {
      case 0:
        return fmt::format("({} AND {})", condition(depth - 1), condition(depth - 1));
      case 1:
        return fmt::format("({} OR {})", comparison(depth), comparison(depth));
      case 2:
        return depth > 0 ? fmt::format("{} IN ({})", column(), select(depth - 2)) : "TRUE";
      case 3:
        return depth > 0 ? fmt::format("{}EXISTS (SELECT 1 FROM {} w WHERE w.{} = v.{})",
                                       choose(2) == 0 ? "NOT " : "", table(), key(), key())
                         : "FALSE";
      case 4:
        return fmt::format("{} IN (1, 2, {})", column(), literal());
      case 5:
        return fmt::format("{} IS NULL", column());
      case 6:
        return fmt::format("{} {} {}", column(), pick(kOperators), literal());
      default:
        return comparison(depth);
    }
  }

  std::string comparison(int depth) {
    return fmt::format("{} = {}", scalar(depth - 1), scalar(depth - 1));
  }

  std::string_view table() {
    static constexpr std::string_view kTables[]{"people", "visits",  "accounts", "orders", "items",
                                                "stays",  "answers", "places",   "w"};
    return pick(kTables);
  }
  std::string_view key() {
    static constexpr std::string_view kKeys[]{"person", "account", "number", "day", "place"};
    return pick(kKeys);
  }

  std::string from(int depth) {
    static constexpr std::string_view kJoins[]{"JOIN",      "LEFT JOIN", "RIGHT JOIN",
                                               "FULL JOIN", "SEMI JOIN", "JOIN"};
    const auto side = [&](const char* alias) {
      if (depth > 0 && choose(4) == 0) return fmt::format("({}) {}", select(depth - 1), alias);
      if (depth > 0 && choose(9) == 0) {
        return fmt::format("({} UNION ALL {}) {}", select(depth - 2), select(depth - 2), alias);
      }
      return fmt::format("{} {}", table(), alias);
    };
    switch (choose(5)) {
      case 0:
        return fmt::format("{} {} {} ON v.{} = w.{}", side("v"), pick(kJoins), side("w"), key(),
                           key());
      case 1:
        return fmt::format("{} JOIN {} USING ({})", side("v"), side("w"), key());
      case 2:
        return fmt::format("{}, {}", side("v"), side("w"));
      default:
        return side("v");
    }
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

void require(bool holds) {
  if (!holds) std::abort();
}

void check_measures(const AggregationPlan& plan) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62U;
  require(plan.groups >= 1);
  require(plan.public_keys || plan.selection.has_value());
  for (const Measure& measure : plan.measures) {
    require(measure.noise.has_value());
    require(measure.lower <= 0 && measure.upper >= 0 && measure.lower < measure.upper);
    require(measure.lower > -kMost && measure.upper < kMost);
  }
  for (const QuantileMeasure& quantile : plan.quantiles) {
    require(quantile.mechanism.has_value() && !quantile.shares.empty());
  }
}

// What is done with released values reads nothing but them and public tables.
void check_names(const Json& node, const Schema& schema, std::size_t released) {
  if (!node.is_structured()) return;
  if (node.is_object() && string_of(node, "type") == "BASE_TABLE") {
    const std::string name = string_of(node, "table_name");
    const TableSchema* table = schema.find(name);
    const bool is_released = name.starts_with("released_") && std::stoul(name.substr(9)) < released;
    const bool is_public = table != nullptr && table->unit.kind == Unit::Kind::kPublic;
    require(is_released || is_public || name == "w");
  }
  for (const auto& child : node) check_names(child, schema, released);
}

Engine& embedded() {
  static Engine engine = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
  return engine;
}

// An engine whose tables are there and have no rows: what is written for it must run.
Engine& empty_town(const Schema& schema) {
  static Engine engine = [&] {
    Engine made = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
    for (const TableSchema& table : schema.tables) {
      std::string columns;
      for (const Column& column : table.columns) {
        columns +=
            (columns.empty() ? "" : ", ") + column.name + " " + made.dialect().type(column.type);
      }
      require(made.execute(fmt::format("CREATE TABLE {} ({})", table.name, columns)).has_value());
    }
    return made;
  }();
  return engine;
}

}  // namespace
}  // namespace tacit::sql

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tacit;
  using namespace tacit::sql;
  static const Schema schema = testing::town_schema();
  const std::string text = Grammar({data, size}).query();
  const PlanOptions options{.epsilon = Rational(1),
                            .delta = Rational::parse("1e-6").value(),
                            .bounds = {.groups = 3, .rows_per_group = 5}};
  const auto plan = prepare(text, schema, options, embedded());
  if (!plan) {
    require(!plan.error().what.empty());
    return 0;
  }
  require(plan->aggregations.empty() == (plan->cost == Cost::nothing()));
  for (std::size_t i = 0; i < plan->aggregations.size(); ++i) {
    check_measures(plan->aggregations[i]);
    const auto statements = measure_statements(plan->query.aggregations[i], plan->aggregations[i],
                                               duckdb_dialect(), "key");
    require(!statements.empty());
    for (const MeasureStatement& statement : statements) {
      require(empty_town(schema).query(statement.sql).has_value());
    }
  }
  check_names(plan->query.outer, schema, plan->aggregations.size());
  return 0;
}
