#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tacit/sql/relation.h"

namespace tacit::sql {

struct UnitConstraint;

// What the conditions of a relation say of the units that have rows in it, so that two releases of
// units that cannot be the same compose in parallel. proof.md, claim 7.
class Region {
 public:
  static Region of(const Relation& relation);

  // True only where no unit of any database has rows in both relations.
  [[nodiscard]] bool apart_from(const Region& other) const;
  // The two are apart by the names of units, which do not change while a batch runs; the unit's
  // only row might.
  [[nodiscard]] bool apart_by_name(const Region& other) const;

 private:
  // Of the columns of what each unit has one row of at most.
  struct View {
    std::string anchor;  // names it; empty: there is none
    std::shared_ptr<const std::vector<UnitConstraint>> constraints;

    [[nodiscard]] bool apart_from(const View& other) const;
  };
  static View view(std::string anchor, const std::vector<ExpressionPtr>& conditions);

  View by_name_;
  View by_row_;
};

}  // namespace tacit::sql
