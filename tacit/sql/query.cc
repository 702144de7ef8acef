#include "tacit/sql/query.h"

#include <algorithm>
#include <utility>

#include "tacit/sql/binder_internal.h"
#include "tacit/sql/region.h"
#include "tacit/sql/syntax_parts_internal.h"

// The calls build the syntax tree that the text of the same question has, so that both are bound by
// one binder.
namespace tacit::sql {
namespace {

Term comparison(const char* type, const Term& a, const Term& b) {
  return Term(Json{{"class", "COMPARISON"},
                   {"type", type},
                   {"alias", ""},
                   {"left", a.node()},
                   {"right", b.node()}});
}

Term conjunction(const char* type, const Term& a, const Term& b) {
  return Term(Json{{"class", "CONJUNCTION"},
                   {"type", type},
                   {"alias", ""},
                   {"children", Json::array({a.node(), b.node()})}});
}

Term arithmetic(const char* sign, const Term& a, const Term& b) {
  return Term(function_call(sign, Json::array({a.node(), b.node()})));
}

// All of them; no condition where there are none.
Json all_of(const std::vector<Json>& conditions) {
  if (conditions.empty()) return nullptr;
  if (conditions.size() == 1) return conditions.front();
  return {{"class", "CONJUNCTION"},
          {"type", "CONJUNCTION_AND"},
          {"alias", ""},
          {"children", conditions}};
}

}  // namespace

Term::Term(int value) : Term(std::int64_t{value}) {}
Term::Term(std::int64_t value) : node_(constant("BIGINT", value)) {}
Term::Term(double value) : node_(constant("DOUBLE", value)) {}
Term::Term(const char* text) : node_(constant("VARCHAR", text)) {}
Term::Term(const std::string& text) : node_(constant("VARCHAR", text)) {}

Term column(const std::string& name) {
  Json reference = column_reference(name);
  if (const std::size_t dot = name.find('.'); dot != std::string::npos) {
    reference["column_names"] = Json::array({name.substr(0, dot), name.substr(dot + 1)});
  }
  return Term(std::move(reference));
}

Term call(const std::string& name, const std::vector<Term>& arguments) {
  Json children = Json::array();
  for (const Term& argument : arguments) children.push_back(argument.node());
  return Term(function_call(name, std::move(children)));
}

Term operator+(const Term& a, const Term& b) { return arithmetic("+", a, b); }
Term operator-(const Term& a, const Term& b) { return arithmetic("-", a, b); }
Term operator*(const Term& a, const Term& b) { return arithmetic("*", a, b); }
Term operator/(const Term& a, const Term& b) { return arithmetic("/", a, b); }
Term operator==(const Term& a, const Term& b) { return comparison("COMPARE_EQUAL", a, b); }
Term operator!=(const Term& a, const Term& b) { return comparison("COMPARE_NOTEQUAL", a, b); }
Term operator<(const Term& a, const Term& b) { return comparison("COMPARE_LESSTHAN", a, b); }
Term operator<=(const Term& a, const Term& b) {
  return comparison("COMPARE_LESSTHANOREQUALTO", a, b);
}
Term operator>(const Term& a, const Term& b) { return comparison("COMPARE_GREATERTHAN", a, b); }
Term operator>=(const Term& a, const Term& b) {
  return comparison("COMPARE_GREATERTHANOREQUALTO", a, b);
}
Term operator&&(const Term& a, const Term& b) { return conjunction("CONJUNCTION_AND", a, b); }
Term operator||(const Term& a, const Term& b) { return conjunction("CONJUNCTION_OR", a, b); }
Term operator!(const Term& a) {
  return Term(Json{{"class", "OPERATOR"},
                   {"type", "OPERATOR_NOT"},
                   {"alias", ""},
                   {"children", Json::array({a.node()})}});
}

Question Question::with(Json item, const std::string& name) const {
  item["alias"] = name;
  Question out = *this;
  out.select_["select_list"].push_back(std::move(item));
  return out;
}

Question Question::count(const std::string& name) const {
  return with(function_call("count_star", Json::array()), name);
}
Question Question::count_distinct(const Term& argument, const std::string& name) const {
  Json count = function_call("count", Json::array({argument.node()}));
  count["distinct"] = true;
  return with(std::move(count), name);
}
Question Question::sum(const Term& argument, const std::string& name) const {
  return with(function_call("sum", Json::array({argument.node()})), name);
}
Question Question::average(const Term& argument, const std::string& name) const {
  return with(function_call("avg", Json::array({argument.node()})), name);
}
Question Question::median(const Term& argument, const std::string& name) const {
  return with(function_call("median", Json::array({argument.node()})), name);
}

Result<BoundQuery> Question::bound(const Schema& schema) const {
  if (select_.at("select_list").empty()) {
    return bad_input("the question asks for nothing", "query", "add count() or another aggregate");
  }
  const QueryText text{std::string()};
  return Binder(schema, text).bind({{"node", select_}, {"named_param_map", Json::array()}});
}

Rows query(const std::string& table) {
  Rows out;
  out.from_ = table_reference(table);
  return out;
}

Rows Rows::where(const Term& condition) const {
  Rows out = *this;
  out.conditions_.push_back(condition.node());
  return out;
}

Rows Rows::join(const Rows& other, const Term& on) const {
  Rows out = *this;
  out.from_ = {{"type", "JOIN"},
               {"alias", ""},
               {"sample", nullptr},
               {"left", from_},
               {"right", other.from_},
               {"condition", on.node()},
               {"join_type", "INNER"},
               {"ref_type", "REGULAR"},
               {"using_columns", Json::array()},
               {"delim_flipped", false},
               {"duplicate_eliminated_columns", Json::array()}};
  out.conditions_.insert(out.conditions_.end(), other.conditions_.begin(), other.conditions_.end());
  return out;
}

Question Rows::group_by(const std::vector<Term>& keys) const {
  Json select = select_node(from_, all_of(conditions_));
  Json set = Json::array();
  for (const Term& key : keys) {
    set.push_back(set.size());
    select["group_expressions"].push_back(key.node());
    select["select_list"].push_back(key.node());
  }
  if (!keys.empty()) select["group_sets"].push_back(std::move(set));
  return Question(std::move(select));
}

Question Rows::count(const std::string& name) const { return group_by({}).count(name); }
Question Rows::sum(const Term& argument, const std::string& name) const {
  return group_by({}).sum(argument, name);
}
Question Rows::average(const Term& argument, const std::string& name) const {
  return group_by({}).average(argument, name);
}

Result<std::vector<Rows>> Rows::partition(const Term& key, const std::vector<Term>& values,
                                          const Schema& schema) const {
  std::vector<Rows> parts;
  std::vector<Region> regions;
  for (const Term& value : values) {
    const Rows part = where(key == value);
    TACIT_ASSIGN_OR_RETURN(const BoundQuery asked, part.count().bound(schema));
    if (asked.aggregations.empty()) {
      return bad_input("these rows are public", "partition",
                       "ask them in plain SQL: it costs nothing");
    }
    const Region region = Region::of(*asked.aggregations.front().input);
    const bool apart =
        std::ranges::all_of(regions, [&](const Region& other) { return region.apart_from(other); });
    if (!apart) {
      return bad_input("a person could be in two of the parts", "partition",
                       "partition rows of which each person has one at most, by different values");
    }
    parts.push_back(part);
    regions.push_back(region);
  }
  return parts;
}

}  // namespace tacit::sql
