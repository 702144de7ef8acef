#include "tacit/sql/lateral_names_internal.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "tacit/sql/binder_internal.h"

namespace tacit::sql {
namespace {

// Expressions are counted in floating point: sixty names that double reach 2^60, and more are
// legal.
class Count {
 public:
  const Json* overlong(const Json& query) {
    of_node(query, {});
    return overlong_;
  }

 private:
  // What each name in sight stands for.
  using Sizes = std::map<std::string, double>;

  double of_node(const Json& node, const Sizes& names) {
    if (!node.is_structured()) return 0;
    if (string_of(node, "type") == "SELECT_NODE") return of_select(node, names);
    if (string_of(node, "class") == "COLUMN_REF") return of_column(node, names);
    double sum = node.contains("class") ? 1 : 0;
    for (const Json& child : node) sum += of_node(child, names);
    return sum;
  }

  static double of_column(const Json& node, const Sizes& names) {
    const Json& path = node.at("column_names");
    if (path.size() != 1) return 1;
    const auto found = names.find(lower_name(path.front().get<std::string>()));
    return found == names.end() ? 1 : found->second;
  }

  double of_select(const Json& node, Sizes names) {
    constexpr std::array<std::string_view, 3> kBefore{"cte_map", "from_table", "select_list"};
    double sum = 0;
    const auto add = [&](const Json& part) {
      const double size = of_node(part, names);
      sum += size;
      if (sum > kMostExpressions && overlong_ == nullptr) overlong_ = &part;
      return size;
    };
    add(node.at("cte_map"));
    add(node.at("from_table"));
    for (const Json& item : node.at("select_list")) {
      const double size = add(item);
      double& known = names[lower_name(string_of(item, "alias"))];
      known = std::max(known, size);
    }
    for (const auto& [key, part] : node.items()) {
      if (std::ranges::find(kBefore, key) == kBefore.end()) add(part);
    }
    return sum;
  }

  const Json* overlong_ = nullptr;
};

}  // namespace

const Json* overlong_part(const Json& query) { return Count().overlong(query); }

}  // namespace tacit::sql
