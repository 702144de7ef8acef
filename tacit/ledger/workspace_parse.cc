#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "tacit/base/toml_reader_internal.h"
#include "tacit/ledger/account.h"
#include "tacit/ledger/postgres/postgres_store.h"
#include "tacit/ledger/workspace.h"
#include "tacit/ledger/workspace_ledger.h"
#include "tacit/ledger/workspace_tables_internal.h"

namespace tacit {
namespace {

constexpr std::int64_t kVersion = 1;

// Reads the sections of one file.
class Reader : public TomlReader {
 public:
  using TomlReader::TomlReader;

  [[nodiscard]] Result<Workspace> workspace(const toml::table& root) const {
    TACIT_RETURN_IF_ERROR(only_keys(root, "the file", {"version", "ledger", "datasets"}));
    TACIT_RETURN_IF_ERROR(check_version(root));
    Workspace result;
    TACIT_ASSIGN_OR_RETURN(result.ledger, ledger(root));
    TACIT_ASSIGN_OR_RETURN(const toml::table* const datasets, table(root, "datasets"));
    if (datasets == nullptr) return result;
    for (const auto& [key, node] : *datasets) {
      TACIT_ASSIGN_OR_RETURN(DeclaredDataset declared, dataset(key, node));
      result.datasets.push_back(std::move(declared));
    }
    return result;
  }

 private:
  [[nodiscard]] Result<void> check_version(const toml::table& root) const {
    const toml::node* const node = root.get("version");
    if (node == nullptr) return {};
    const auto version = node->value_exact<std::int64_t>();
    if (!version || *version < 1) {
      return refuse(*node, "'version' must be a whole number above 0",
                    fmt::format("write version = {}", kVersion));
    }
    if (*version > kVersion) {
      return refuse(
          *node,
          fmt::format("this workspace is of version {}; this Tacit reads {}", *version, kVersion),
          "use a newer Tacit");
    }
    return {};
  }

  [[nodiscard]] Result<LedgerPlace> ledger(const toml::table& root) const {
    TACIT_ASSIGN_OR_RETURN(const toml::table* const section, table(root, "ledger"));
    if (section == nullptr) return SqliteLedger{};
    TACIT_RETURN_IF_ERROR(only_keys(*section, "[ledger]", {"store", "schema"}));
    LedgerPlace result;
    if (const toml::node* const store = section->get("store")) {
      TACIT_ASSIGN_OR_RETURN(const std::string value, text(*store, "store", "ledger.sqlite"));
      auto parsed = parse_ledger_place(value);
      if (!parsed) return refuse(*store, parsed.error().what, parsed.error().remedy);
      result = *std::move(parsed);
    }
    if (const toml::node* const schema = section->get("schema")) {
      auto* const server = std::get_if<PostgresLedger>(&result);
      if (server == nullptr) {
        return refuse(*schema, "only a ledger on a PostgreSQL server has a schema",
                      "take it out, or set store to a postgresql:// URI");
      }
      TACIT_ASSIGN_OR_RETURN(server->schema, text(*schema, "schema", "tacit"));
      const auto checked = check_schema_name(server->schema);
      if (!checked) return refuse(*schema, checked.error().what, checked.error().remedy);
    }
    return result;
  }

  [[nodiscard]] Result<DeclaredDataset> dataset(const toml::key& key,
                                                const toml::node& node) const {
    TACIT_RETURN_IF_ERROR(check_declared_name(*this, key.source(), key.str(), "a dataset"));
    const std::string section = fmt::format("[datasets.{}]", key.str());
    const toml::table* const from = node.as_table();
    if (from == nullptr) {
      return refuse(node, fmt::format("the dataset '{}' must be a table", key.str()),
                    fmt::format("write it as a section, {}", section));
    }
    TACIT_RETURN_IF_ERROR(
        only_keys(*from, section,
                  {"neighbours", "epsilon", "delta", "orders", "caps", "delta_reserve", "engine",
                   "max_groups", "max_rows", "tables", "parts", "analysts"}));
    DeclaredDataset result{.name = std::string(key.str())};
    TACIT_ASSIGN_OR_RETURN(result.neighbours, neighbours(*from, section));
    TACIT_ASSIGN_OR_RETURN(result.budget, budget(*from, section));
    TACIT_RETURN_IF_ERROR(check_budget(*from, result.budget));
    TACIT_ASSIGN_OR_RETURN(result.data, read_data(*this, *from, key.str()));
    TACIT_ASSIGN_OR_RETURN(result.parts, parts(*from, key.str()));
    TACIT_ASSIGN_OR_RETURN(result.analysts, analysts(*from, result));
    return result;
  }

  // The relation decides what every epsilon of the dataset means, so there is no default.
  [[nodiscard]] Result<Neighbours> neighbours(const toml::table& from,
                                              const std::string& section) const {
    constexpr std::string_view kRemedy =
        "write neighbours = \"add_remove\" (the number of units is private) or \"replace\" (it is "
        "public)";
    const toml::node* const node = from.get("neighbours");
    if (node == nullptr) {
      return bad_input(fmt::format("{} does not say its neighbours", section), place(from.source()),
                       std::string(kRemedy));
    }
    const auto value = node->value_exact<std::string>();
    for (const Neighbours each : {Neighbours::kAddRemove, Neighbours::kReplace}) {
      if (value == name(each)) return each;
    }
    return refuse(*node, "'neighbours' must be \"add_remove\" or \"replace\"",
                  std::string(kRemedy));
  }

  [[nodiscard]] Result<DeclaredBudget> budget(const toml::table& from,
                                              const std::string& section) const {
    const toml::node* const epsilon = from.get("epsilon");
    if (epsilon == nullptr) {
      return bad_input(fmt::format("{} has no epsilon", section), place(from.source()),
                       "write the most it may ever spend, such as epsilon = 1.0");
    }
    DeclaredBudget result;
    TACIT_ASSIGN_OR_RETURN(result.epsilon, number(*epsilon, "epsilon"));
    if (result.epsilon.sign() <= 0) {
      return refuse(*epsilon, "'epsilon' must be above 0",
                    "a strong guarantee has epsilon below 1");
    }
    if (const toml::node* const delta = from.get("delta")) {
      TACIT_ASSIGN_OR_RETURN(result.delta, number(*delta, "delta"));
      if (result.delta->sign() <= 0 || *result.delta >= Rational(1)) {
        return refuse(*delta, "'delta' must be above 0 and below 1",
                      "take less than one over the number of units, such as 1e-6; for pure epsilon "
                      "leave it out");
      }
    }
    if (const toml::node* const orders = from.get("orders")) {
      TACIT_ASSIGN_OR_RETURN(const auto values, numbers(*orders, "orders"));
      for (const Rational& order : values) result.orders.push_back(order.approximate());
    }
    if (const toml::node* const caps = from.get("caps")) {
      TACIT_ASSIGN_OR_RETURN(result.caps, numbers(*caps, "caps"));
    }
    if (const toml::node* const reserve = from.get("delta_reserve")) {
      TACIT_ASSIGN_OR_RETURN(result.delta_reserve, number(*reserve, "delta_reserve"));
    }
    return result;
  }

  [[nodiscard]] Result<std::vector<Rational>> numbers(const toml::node& node,
                                                      std::string_view key) const {
    const toml::array* const array = node.as_array();
    if (array == nullptr || array->empty()) {
      return refuse(node, fmt::format("'{}' must be a list of numbers", key),
                    fmt::format("for example: {} = [8, 64]", key));
    }
    std::vector<Rational> result;
    for (const toml::node& element : *array) {
      TACIT_ASSIGN_OR_RETURN(Rational value, number(element, key));
      result.push_back(std::move(value));
    }
    return result;
  }

  // A curve is refused here, with its line, rather than when the account is opened.
  [[nodiscard]] Result<void> check_budget(const toml::table& from,
                                          const DeclaredBudget& budget) const {
    const toml::node* first = nullptr;
    for (const std::string_view key : {"orders", "caps", "delta_reserve"}) {
      if (first == nullptr) first = from.get(key);
    }
    if (first == nullptr && budget.orders.empty()) return {};
    if (first == nullptr) first = &from;  // an analyst's, with the dataset's orders
    if (!budget.delta) {
      return refuse(*first, "a pure-epsilon account tracks no Rényi orders and has no reserve",
                    "give it a delta, or take this out");
    }
    if (from.get("caps") != nullptr && from.get("orders") == nullptr) {
      return refuse(*first, "'caps' needs 'orders': one cap for each", "");
    }
    const auto checked = to_budget(budget);
    if (!checked) return refuse(*first, checked.error().what, checked.error().remedy);
    return {};
  }

  [[nodiscard]] Result<DeclaredParts> parts(const toml::table& from,
                                            std::string_view dataset_name) const {
    TACIT_ASSIGN_OR_RETURN(const toml::table* const section, table(from, "parts"));
    if (section == nullptr) return DeclaredParts{};
    const std::string title = fmt::format("[datasets.{}.parts]", dataset_name);
    TACIT_RETURN_IF_ERROR(only_keys(*section, title, {"by", "names"}));
    const toml::node* const by = section->get("by");
    const toml::node* const names = section->get("names");
    if (by == nullptr || names == nullptr) {
      return refuse(*section, fmt::format("{} must say both 'by' and 'names'", title),
                    "'by' is the public fact about a unit that decides its part");
    }
    DeclaredParts result;
    TACIT_ASSIGN_OR_RETURN(result.by, text(*by, "by", "country of residence"));
    TACIT_ASSIGN_OR_RETURN(result.names, part_names(*names));
    return result;
  }

  [[nodiscard]] Result<std::vector<std::string>> part_names(const toml::node& node) const {
    const toml::array* const array = node.as_array();
    if (array == nullptr || array->empty()) {
      return refuse(node, "'names' must be a list of names", "for example: names = [\"a\", \"b\"]");
    }
    std::vector<std::string> result;
    for (const toml::node& element : *array) {
      const auto value = element.value_exact<std::string>();
      if (!value) return refuse(element, "a part's name must be a text in quotes", "");
      TACIT_RETURN_IF_ERROR(check_declared_name(*this, element.source(), *value, "a part"));
      result.push_back(*value);
    }
    std::vector<std::string> sorted = result;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
      return refuse(node, fmt::format("the part '{}' is named twice", *twice),
                    "name each part once");
    }
    return result;
  }

  [[nodiscard]] Result<std::vector<DeclaredAnalyst>> analysts(
      const toml::table& from, const DeclaredDataset& dataset) const {
    TACIT_ASSIGN_OR_RETURN(const toml::table* const section, table(from, "analysts"));
    std::vector<DeclaredAnalyst> result;
    if (section == nullptr) return result;
    for (const auto& [key, node] : *section) {
      TACIT_RETURN_IF_ERROR(check_declared_name(*this, key.source(), key.str(), "an analyst"));
      const std::string title = fmt::format("[datasets.{}.analysts.{}]", dataset.name, key.str());
      const toml::table* const entry = node.as_table();
      if (entry == nullptr) {
        return refuse(node, fmt::format("the analyst '{}' must be a table", key.str()),
                      fmt::format("for example: {} = {{epsilon = 0.5}}", key.str()));
      }
      TACIT_RETURN_IF_ERROR(
          only_keys(*entry, title, {"epsilon", "delta", "orders", "caps", "delta_reserve"}));
      DeclaredAnalyst analyst{.name = std::string(key.str())};
      TACIT_ASSIGN_OR_RETURN(analyst.budget, budget(*entry, title));
      TACIT_RETURN_IF_ERROR(fit_inside(*entry, analyst.budget, dataset.budget));
      TACIT_RETURN_IF_ERROR(check_budget(*entry, analyst.budget));
      result.push_back(std::move(analyst));
    }
    return result;
  }

  // An analyst is kept in the dataset's currency and starts inside its cap.
  [[nodiscard]] Result<void> fit_inside(const toml::table& entry, DeclaredBudget& analyst,
                                        const DeclaredBudget& dataset) const {
    if (analyst.delta && !dataset.delta) {
      return refuse(*entry.get("delta"), "an analyst of a pure-epsilon dataset has no delta",
                    "give the dataset a delta, or leave this one out");
    }
    if (!analyst.delta) analyst.delta = dataset.delta;
    if (analyst.orders.empty()) analyst.orders = dataset.orders;
    if (analyst.epsilon > dataset.epsilon || analyst.delta > dataset.delta) {
      return refuse(entry, "an analyst's budget is larger than the dataset's",
                    "a cap above the dataset's can never be reached; lower it");
    }
    return {};
  }
};

}  // namespace

Result<Workspace> Workspace::parse(std::string_view text, const std::filesystem::path& file) {
  if (text.size() > kLargestFile) {
    return bad_input(fmt::format("a workspace file of more than {} bytes", kLargestFile),
                     file.string(), "is this a tacit.toml?");
  }
  const Reader reader(file.string());
  try {
    TACIT_ASSIGN_OR_RETURN(Workspace result, reader.workspace(toml::parse(text)));
    result.folder = file.parent_path();
    return result;
  } catch (const toml::parse_error& error) {
    return bad_input(fmt::format("not valid TOML: {}", shown(error.description())),
                     reader.place(error.source()), "docs/workspace.md shows the form of the file");
  }
}

}  // namespace tacit
