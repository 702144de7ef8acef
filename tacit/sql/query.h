#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/data/schema.h"
#include "tacit/sql/bound.h"

namespace tacit::sql {

// Questions in C++, in the manner of PINQ (McSherry 2009): the same bound query as SQL text makes,
// built by calls.
//
//   const auto busy = query("orders").where(column("price") > 100);
//   TACIT_ASSIGN_OR_RETURN(auto asked, busy.group_by({column("status")}).count().bound(schema));
//
// Everything here is a value. Names and types are checked by bound().

// A scalar expression over columns, before it is known which rows it is about.
class Term {
 public:
  explicit Term(Json node) : node_(std::move(node)) {}
  // NOLINTBEGIN(google-explicit-constructor): a number or a text is a term.
  Term(int value);
  Term(std::int64_t value);
  Term(double value);
  Term(const char* text);
  Term(const std::string& text);
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] const Json& node() const { return node_; }

 private:
  Json node_;
};

// "price" or "orders.price".
Term column(const std::string& name);
// A function of the list, by its SQL name: call("least", {column("n"), 20}).
Term call(const std::string& function, const std::vector<Term>& arguments);

Term operator+(const Term& a, const Term& b);
Term operator-(const Term& a, const Term& b);
Term operator*(const Term& a, const Term& b);
Term operator/(const Term& a, const Term& b);
Term operator==(const Term& a, const Term& b);
Term operator!=(const Term& a, const Term& b);
Term operator<(const Term& a, const Term& b);
Term operator<=(const Term& a, const Term& b);
Term operator>(const Term& a, const Term& b);
Term operator>=(const Term& a, const Term& b);
Term operator&&(const Term& a, const Term& b);
Term operator||(const Term& a, const Term& b);
Term operator!(const Term& a);

// Aggregates over rows, for each combination of keys.
class Question {
 public:
  [[nodiscard]] Question count(const std::string& name = "count") const;
  // Different values of a column; of the unit's, the number of units.
  [[nodiscard]] Question count_distinct(const Term& argument,
                                        const std::string& name = "distinct") const;
  [[nodiscard]] Question sum(const Term& argument, const std::string& name = "sum") const;
  [[nodiscard]] Question average(const Term& argument, const std::string& name = "average") const;
  [[nodiscard]] Question median(const Term& argument, const std::string& name = "median") const;

  // What is asked, ready for plan(). `schema` must outlive it.
  [[nodiscard]] Result<BoundQuery> bound(const Schema& schema) const;

 private:
  friend class Rows;

  explicit Question(Json select) : select_(std::move(select)) {}
  [[nodiscard]] Question with(Json item, const std::string& name) const;

  Json select_;
};

// Rows of a table: filtered, joined, grouped.
class Rows {
 public:
  [[nodiscard]] Rows where(const Term& condition) const;
  // Inner join. The rows of both sides must belong to the same unit, or one side be public.
  [[nodiscard]] Rows join(const Rows& other, const Term& on) const;
  [[nodiscard]] Question group_by(const std::vector<Term>& keys) const;

  // Without groups.
  [[nodiscard]] Question count(const std::string& name = "count") const;
  [[nodiscard]] Question sum(const Term& argument, const std::string& name = "sum") const;
  [[nodiscard]] Question average(const Term& argument, const std::string& name = "average") const;

  // The rows in which `key` has each of the values: parts that share no unit, so that what is asked
  // of all of them costs as much as the dearest (Cost::parallel). Refused where a unit could be in
  // two parts: it has several rows, or a value stands there twice (region.h).
  [[nodiscard]] Result<std::vector<Rows>> partition(const Term& key,
                                                    const std::vector<Term>& values,
                                                    const Schema& schema) const;

 private:
  friend Rows query(const std::string& table);

  Json from_;
  std::vector<Json> conditions_;
};

// The rows of a declared table.
Rows query(const std::string& table);

}  // namespace tacit::sql
