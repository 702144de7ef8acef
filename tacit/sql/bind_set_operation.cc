// UNION ALL and its like.

#include <algorithm>
#include <utility>

#include "tacit/sql/binder_internal.h"

namespace tacit::sql {

Result<BoundNode> Binder::bind_set_operation(Json node, const Ctes& ctes) {
  const bool has_sides = node.contains("left") && node["left"].is_object();
  Json children = has_sides ? Json::array({node["left"], node["right"]})
                            : node.value("children", Json::array());
  std::vector<BoundNode> bound;
  for (const Json& child : children) {
    TACIT_ASSIGN_OR_RETURN(BoundNode side, bind_node(child, ctes));
    bound.push_back(std::move(side));
  }
  BoundNode out;
  const bool union_all = string_of(node, "setop_type") == "UNION" && node.value("setop_all", false);
  const bool all_rows =
      std::ranges::all_of(bound, [](const BoundNode& b) { return b.rows != nullptr; });
  const bool all_outer = std::ranges::all_of(bound, &BoundNode::is_outer);
  if (all_rows && !all_outer) {
    if (!union_all) {
      return text_.refuse(children.back(), "only UNION ALL puts private rows together",
                          "write UNION ALL, and COUNT(DISTINCT ...) where repeats matter");
    }
    if (!node.at("modifiers").empty()) {
      return text_.refuse(node, "ORDER BY or LIMIT over private rows", "order the answer instead");
    }
    if (std::ranges::any_of(bound, [](const BoundNode& b) { return has_numbered_scan(*b.rows); })) {
      return text_.refuse(children.back(),
                          "UNION ALL of tables in which each row is a person of its own",
                          "ask for each table separately and add the answers");
    }
    UnionAll rows;
    const Relation& first = *bound.front().rows;
    for (const BoundNode& side : bound) {
      const Relation& other = *side.rows;
      if (other.columns().size() != first.columns().size() || other.unit() != first.unit() ||
          !std::ranges::equal(other.columns(), first.columns(), {}, &RelationColumn::type,
                              &RelationColumn::type)) {
        return text_.refuse(children.back(),
                            "the sides of UNION ALL differ in columns, types or unit",
                            "select the same columns, the unit's among them, in the same order");
      }
      rows.inputs.push_back(side.rows);
    }
    std::vector<RelationColumn> columns = first.columns();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      std::vector<ExpressionPtr> sides;
      for (const BoundNode& side : bound) {
        Scope scope;
        scope.add(*side.rows, "");
        sides.push_back(scope.column(c));
      }
      Facts all = sides.front()->facts();
      for (const ExpressionPtr& side : sides) {
        const Facts& facts = side->facts();
        if (!facts.lower || !all.lower)
          all.lower.reset();
        else
          all.lower = std::min(*all.lower, *facts.lower);
        if (!facts.upper || !all.upper)
          all.upper.reset();
        else
          all.upper = std::max(*all.upper, *facts.upper);
        if (all.values != facts.values) all.values.reset();
        all.nulls = all.nulls || facts.nulls;
      }
      all.public_column.reset();
      columns[c].facts = std::move(all);
    }
    auto unit = first.unit();
    out.rows =
        std::make_shared<const Relation>(std::move(rows), std::move(columns), std::move(unit));
    return out;
  }
  if (!all_outer) {
    return text_.refuse(children.back(), "this puts an answer and private rows into one table",
                        "ask for them separately");
  }
  if (has_sides) {
    node["left"] = std::move(bound[0].outer);
    node["right"] = std::move(bound[1].outer);
  } else {
    for (std::size_t i = 0; i < bound.size(); ++i) node["children"][i] = std::move(bound[i].outer);
  }
  out.outer = std::move(node);
  return out;
}

}  // namespace tacit::sql
