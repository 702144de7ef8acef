// Whose a joined row is.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tacit/sql/binder_internal.h"

namespace tacit::sql {
namespace {

// Columns that conditions force to be equal.
class EqualColumns {
 public:
  EqualColumns(std::size_t columns, const std::vector<ExpressionPtr>& conditions)
      : parent_(columns) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    for (const ExpressionPtr& condition : conditions) note(*condition);
  }

  bool operator()(std::size_t a, std::size_t b) const { return root(a) == root(b); }

 private:
  void note(const Expression& condition) {
    const auto* call = std::get_if<Call>(&condition.node());
    if (call == nullptr || call->function != Function::kEqual) return;
    const auto left = as_column(*call->arguments[0]);
    const auto right = as_column(*call->arguments[1]);
    if (left && right) parent_[root(*left)] = root(*right);
  }
  [[nodiscard]] std::size_t root(std::size_t column) const {
    while (parent_[column] != column) column = parent_[column];
    return column;
  }

  std::vector<std::size_t> parent_;
};

std::size_t index_of(const TableSchema& table, std::string_view column) {
  const Column* found = table.find(column);
  return static_cast<std::size_t>(found - table.columns.data());
}

// The row of `child` lies beside the row of `parent` that its keys name.
bool walks_path(const Block::Input& child, const Block::Input& parent, const EqualColumns& equal) {
  const Unit& unit = child.table->unit;
  if (parent.table == nullptr || !same_name(parent.table->name, unit.parent)) return false;
  for (std::size_t k = 0; k < unit.columns.size(); ++k) {
    if (!equal(child.offset + index_of(*child.table, unit.columns[k]),
               parent.offset + index_of(*parent.table, unit.parent_keys[k]))) {
      return false;
    }
  }
  return true;
}

bool walks_to_any(const Block::Input& child, const std::vector<Block::Input>& parents,
                  const EqualColumns& equal) {
  return std::ranges::any_of(parents, [&](const Block::Input& parent) {
    return parent.offset != child.offset && walks_path(child, parent, equal);
  });
}

ExpressionPtr equality(const Scope& scope, std::size_t a, std::size_t b) {
  return make_call(Function::kEqual, {scope.column(a), scope.column(b)}, kBooleanType);
}

// Joins the parents that paths need and the block does not have.
void walk_paths(Block& block, const Schema& schema) {
  for (std::size_t i = 0; i < block.inputs.size(); ++i) {
    const Block::Input child = block.inputs[i];
    const EqualColumns equal(block.scope.columns.size(), block.conditions);
    if (!child.pending() || walks_to_any(child, block.inputs, equal)) continue;
    const Unit& unit = child.table->unit;
    const TableSchema& parent = *schema.find(unit.parent);
    const std::size_t offset = block.scope.columns.size();
    const std::size_t names = block.scope.names.size();
    block.add(scan(parent), "", &parent);
    block.scope.names.resize(names);  // the query does not see it
    for (std::size_t k = 0; k < unit.columns.size(); ++k) {
      block.conditions.push_back(equality(block.scope,
                                          child.offset + index_of(*child.table, unit.columns[k]),
                                          offset + index_of(parent, unit.parent_keys[k])));
    }
  }
}

std::string called(const Block::Input& input) {
  return input.table != nullptr ? input.table->name : "the subquery";
}

std::vector<std::size_t> shifted(const std::vector<std::size_t>& columns, std::size_t offset) {
  std::vector<std::size_t> out = columns;
  for (std::size_t& column : out) column += offset;
  return out;
}

bool all_equal(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b,
               const EqualColumns& equal) {
  return std::ranges::equal(a, b, equal);
}

std::unexpected<Error> two_units(const std::string& left, const std::string& right,
                                 const Json& place, const QueryText& text) {
  return text.refuse(
      place,
      fmt::format("a row of this join could belong to two people: one of {} and one of {}", left,
                  right),
      "join them on the column that names the privacy unit, or along the declared path of keys");
}

Result<std::vector<std::size_t>> unit_of(const Block& block, const Json& place,
                                         const QueryText& text) {
  const EqualColumns equal(block.scope.columns.size(), block.conditions);
  std::vector<std::size_t> unit;
  const Block::Input* owner = nullptr;
  for (const Block::Input& input : block.inputs) {
    if (!input.relation->is_private()) continue;
    const auto own = shifted(input.relation->unit(), input.offset);
    if (owner == nullptr) {
      unit = own;
      owner = &input;
    } else if (!all_equal(unit, own, equal)) {
      return two_units(called(*owner), called(input), place, text);
    }
  }
  return unit;
}

std::vector<RelationColumn> joined_columns(const Relation& left, const Relation& right) {
  std::vector<RelationColumn> out = left.columns();
  out.insert(out.end(), right.columns().begin(), right.columns().end());
  return out;
}

RelationPtr plain_product(const Block& block, std::vector<std::size_t> unit) {
  Product product{.conditions = block.conditions};
  for (const Block::Input& input : block.inputs) product.inputs.push_back(input.relation);
  return std::make_shared<const Relation>(std::move(product), block.scope.columns, std::move(unit));
}

// A condition over what is seen of left and right, after the left grew to `width` columns.
ExpressionPtr moved_apart(const ExpressionPtr& condition, const Scope& left, const Scope& right,
                          std::size_t width) {
  std::vector<ExpressionPtr> places;
  for (std::size_t c = 0; c < left.columns.size(); ++c) places.push_back(left.column(c));
  for (std::size_t c = 0; c < right.columns.size(); ++c) {
    const RelationColumn& column = right.columns[c];
    places.push_back(
        std::make_shared<const Expression>(column.type, column.facts, ColumnReference{width + c}));
  }
  return substitute(condition, places);
}

// Cuts a join back to the columns that the query sees, in their order; units are carried along.
RelationPtr only_seen(RelationPtr joined, std::size_t left_seen, std::size_t left_width,
                      std::size_t right_seen) {
  if (joined->columns().size() == left_seen + right_seen) return joined;
  std::vector<ExpressionPtr> columns;
  std::vector<std::string> names;
  const auto keep = [&](std::size_t first, std::size_t count) {
    for (std::size_t c = first; c < first + count; ++c) {
      const RelationColumn& column = joined->columns()[c];
      columns.push_back(
          std::make_shared<const Expression>(column.type, column.facts, ColumnReference{c}));
      names.push_back(column.name);
    }
  };
  keep(0, left_seen);
  keep(left_width, right_seen);
  return project(std::move(joined), std::move(columns), std::move(names));
}

// The right side belongs to the unit of the row of the left that it lies beside, by the path alone.
bool follows_left(const Block& left, const Block& right, std::size_t left_width,
                  const EqualColumns& equal) {
  if (right.inputs.size() != 1 || !right.inputs.front().pending()) return false;
  Block::Input child = right.inputs.front();
  child.offset += left_width;
  return walks_to_any(child, left.inputs, equal);
}

// Refuses a right side that could belong to somebody else than the left.
// Rows of the right are nobody's, or of the unit that the row of the left beside them belongs to.
bool is_same_unit(const Relation& left, const Relation& right, const EqualColumns& equal) {
  if (!right.is_private()) return true;
  const auto right_unit = shifted(right.unit(), left.columns().size());
  return left.is_private() && all_equal(left.unit(), right_unit, equal);
}

}  // namespace

void Block::add(RelationPtr relation, const std::string& name, const TableSchema* table) {
  const std::size_t offset = scope.columns.size();
  scope.add(*relation, name);
  inputs.push_back({std::move(relation), offset, table});
}

void Block::add(const Block& other) {
  const std::size_t offset = scope.columns.size();
  scope.add(other.scope);
  std::vector<ExpressionPtr> moved;
  for (std::size_t c = 0; c < other.scope.columns.size(); ++c) {
    moved.push_back(scope.column(offset + c));
  }
  for (Input input : other.inputs) {
    input.offset += offset;
    inputs.push_back(std::move(input));
  }
  for (const ExpressionPtr& condition : other.conditions) {
    conditions.push_back(substitute(condition, moved));
  }
}

Result<RelationPtr> settle(const Block& original, const Schema& schema, const Json& place,
                           const QueryText& text) {
  Block block = original;
  walk_paths(block, schema);
  TACIT_ASSIGN_OR_RETURN(auto unit, unit_of(block, place, text));
  return plain_product(block, std::move(unit));
}

Result<RelationPtr> settle_left_join(const Block& left_block, const Block& right_block,
                                     const ExpressionPtr& condition, const Schema& schema,
                                     const Json& place, const QueryText& text) {
  const std::size_t left_seen = left_block.scope.columns.size();
  const std::size_t right_seen = right_block.scope.columns.size();
  TACIT_ASSIGN_OR_RETURN(const RelationPtr left, settle(left_block, schema, place, text));
  const std::size_t width = left->columns().size();
  const ExpressionPtr moved = moved_apart(condition, left_block.scope, right_block.scope, width);
  RelationPtr right = plain_product(right_block, {});
  const EqualColumns equal(width + right_seen, conjuncts(moved));
  if (!follows_left(left_block, right_block, width, equal)) {
    TACIT_ASSIGN_OR_RETURN(right, settle(right_block, schema, place, text));
    if (right->is_private() && !left->is_private()) {
      return text.refuse(place, "this outer join keeps rows that belong to nobody",
                         "use an inner join, or put the private table on the side that is kept");
    }
    const EqualColumns wide(width + right->columns().size(), conjuncts(moved));
    if (!is_same_unit(*left, *right, wide)) {
      return two_units("the left side", "the right side", place, text);
    }
  }
  auto columns = joined_columns(*left, *right);
  for (std::size_t c = width; c < columns.size(); ++c) {
    columns[c].facts.public_column.reset();
    columns[c].facts.nulls = true;  // where nothing meets the condition
  }
  auto joined = std::make_shared<const Relation>(LeftJoin{left, right, moved}, std::move(columns),
                                                 left->unit());
  return only_seen(std::move(joined), left_seen, width, right_seen);
}

Result<RelationPtr> settle_semi_join(const RelationPtr& left, const Block& left_block,
                                     const Block& right, std::vector<ExpressionPtr> conditions,
                                     bool anti, const Schema& schema, const Json& place,
                                     const QueryText& text) {
  const std::size_t width = left->columns().size();
  const EqualColumns equal(width + right.scope.columns.size(), conditions);
  RelationPtr rows;
  if (left->is_private() && follows_left(left_block, right, width, equal)) {
    rows = plain_product(right, {});
  } else {
    TACIT_ASSIGN_OR_RETURN(rows, settle(right, schema, place, text));
    const EqualColumns wide(width + rows->columns().size(), conditions);
    if (!is_same_unit(*left, *rows, wide)) {
      return text.refuse(place, "this subquery looks at rows of other people",
                         "compare the column that names the privacy unit inside and outside of it: "
                         "IN and EXISTS see only rows of the same unit");
    }
  }
  ExpressionPtr condition = conditions.size() == 1
                                ? conditions.front()
                                : make_call(Function::kAnd, conditions, kBooleanType);
  return std::make_shared<const Relation>(SemiJoin{left, rows, condition, anti}, left->columns(),
                                          left->unit());
}

std::optional<std::vector<std::size_t>> unit_among(const Relation& relation,
                                                   const std::vector<ExpressionPtr>& keys) {
  if (!relation.is_private()) return std::nullopt;
  const auto* product = std::get_if<Product>(&relation.node());
  const EqualColumns equal(relation.columns().size(),
                           product == nullptr ? std::vector<ExpressionPtr>{} : product->conditions);
  std::vector<std::size_t> places;
  for (const std::size_t column : relation.unit()) {
    const auto found = std::ranges::find_if(keys, [&](const ExpressionPtr& key) {
      const auto named = as_column(*key);
      return named && equal(*named, column);
    });
    if (found == keys.end()) return std::nullopt;
    places.push_back(static_cast<std::size_t>(found - keys.begin()));
  }
  return places;
}

std::vector<ExpressionPtr> conjuncts(const ExpressionPtr& condition) {
  if (!condition) return {};
  const auto* call = std::get_if<Call>(&condition->node());
  if (call == nullptr || call->function != Function::kAnd) return {condition};
  std::vector<ExpressionPtr> out;
  for (const ExpressionPtr& argument : call->arguments) {
    for (ExpressionPtr& part : conjuncts(argument)) out.push_back(std::move(part));
  }
  return out;
}

RelationPtr scan(const TableSchema& table) {
  std::vector<RelationColumn> columns;
  const bool is_public = table.unit.kind == Unit::Kind::kPublic;
  const auto occurrence = std::make_shared<const char>();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    Facts facts{.lower = column.lower, .upper = column.upper};
    if (!column.values.empty()) facts.values = column.values;
    if (!facts.values && column.type.kind == TypeKind::kBoolean) {
      facts.values = std::vector<Cell>{Cell(false), Cell(true)};
    }
    facts.nulls = column.nulls;
    if (is_public) facts.public_column = Facts::PublicColumn{&table, i, occurrence};
    columns.push_back({column.name, column.type, std::move(facts)});
  }
  std::vector<std::size_t> unit;
  const bool numbered = table.unit.kind == Unit::Kind::kRow;
  if (numbered) {
    unit = {columns.size()};
    columns.push_back({"", kIntegerType, {}});
  } else if (table.unit.kind == Unit::Kind::kColumns) {
    for (const std::string& name : table.unit.columns) unit.push_back(index_of(table, name));
  }
  return std::make_shared<const Relation>(Scan{&table, numbered}, std::move(columns),
                                          std::move(unit));
}

bool has_numbered_scan(const Relation& relation) {
  const auto inside = [](const RelationPtr& input) { return has_numbered_scan(*input); };
  if (const auto* scan = std::get_if<Scan>(&relation.node())) return scan->numbered;
  if (const auto* product = std::get_if<Product>(&relation.node())) {
    return std::ranges::any_of(product->inputs, inside);
  }
  if (const auto* rows = std::get_if<UnionAll>(&relation.node())) {
    return std::ranges::any_of(rows->inputs, inside);
  }
  if (const auto* project = std::get_if<Project>(&relation.node())) return inside(project->input);
  if (const auto* join = std::get_if<LeftJoin>(&relation.node())) {
    return inside(join->left) || inside(join->right);
  }
  if (const auto* semi = std::get_if<SemiJoin>(&relation.node())) return inside(semi->left);
  return inside(std::get<UnitGroup>(relation.node()).input);
}

RelationPtr project(RelationPtr input, std::vector<ExpressionPtr> expressions,
                    std::vector<std::string> names) {
  std::vector<RelationColumn> columns;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    columns.push_back({std::move(names[i]), expressions[i]->type(), expressions[i]->facts()});
  }
  std::vector<std::size_t> unit;
  for (const std::size_t source : input->unit()) {
    const auto kept = std::ranges::find_if(expressions, [&](const ExpressionPtr& expression) {
      return as_column(*expression) == source;
    });
    unit.push_back(static_cast<std::size_t>(kept - expressions.begin()));
    if (kept != expressions.end()) continue;
    const RelationColumn& carried = input->columns()[source];
    expressions.push_back(
        std::make_shared<const Expression>(carried.type, carried.facts, ColumnReference{source}));
    columns.push_back({"", carried.type, carried.facts});
  }
  return std::make_shared<const Relation>(Project{std::move(input), std::move(expressions)},
                                          std::move(columns), std::move(unit));
}

}  // namespace tacit::sql
