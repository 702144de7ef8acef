#include "tacit/anonymize/publication.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tacit/anonymize/row_writing.h"
#include "tacit/anonymize/text_publication_internal.h"

namespace tacit::anonymize {
namespace {

using published::OfClass;
using published::Plain;
using published::Pseudonym;
using published::Recoded;
using published::Unchanged;

constexpr const char* kLabelType = "published_label";

std::string text(std::string_view value) {
  return duckdb_dialect().literal(std::string(value), kTextType);
}

// A column that shows one thing in every row.
bool is_constant(const Recoded& column) {
  return std::ranges::all_of(
      column.labels, [&](const std::string& label) { return label == column.labels.front(); });
}

// The tables that the engine needs to turn values into labels, and the statement that does it.
class Rewriting {
 public:
  Rewriting(const CodedRows& rows, const Publication& publication)
      : rows_(rows), publication_(publication) {
    for (std::size_t i = 0; i < publication.columns.size(); ++i) {
      const auto* const recoded = std::get_if<Recoded>(&publication.columns[i].from);
      if (recoded != nullptr && !is_constant(*recoded)) mapped_.push_back(i);
    }
  }

  // (c, v, label): what the value v becomes in column c.
  [[nodiscard]] Table labels() const {
    Table out{.fields = {{"c", kIntegerType}, {"v", kTextType}, {"label", kTextType}},
              .columns = std::vector<std::vector<Cell>>(3)};
    for (const std::size_t i : mapped_) {
      const auto& recoded = std::get<Recoded>(publication_.columns[i].from);
      const auto& values = rows_.values()[recoded.coded];
      for (std::size_t j = 0; j < values.size(); ++j) {
        out.columns[0].emplace_back(static_cast<int128>(i));
        out.columns[1].emplace_back(values[j].text);
        out.columns[2].emplace_back(recoded.labels[j]);
      }
    }
    return out;
  }

  [[nodiscard]] Table classes() const {
    Table out;
    for (std::size_t i = 0; i < publication_.classes.labels.size(); ++i) {
      out.fields.push_back({fmt::format("k{}", i), kTextType});
      out.columns.emplace_back(publication_.classes.labels[i].begin(),
                               publication_.classes.labels[i].end());
    }
    return out;
  }

  // The columns are cast after the rows are ordered, so that codes are moved and not texts.
  [[nodiscard]] std::string select(const std::string& secret) const {
    std::vector<std::string> shown;
    std::vector<std::string> made;
    for (std::size_t i = 0; i < publication_.columns.size(); ++i) {
      const PublishedColumn& column = publication_.columns[i];
      shown.push_back(fmt::format("{} AS {}", shown_as(column, fmt::format("o{}", i)),
                                  duckdb_dialect().identifier(column.name)));
      made.push_back(fmt::format("{} AS o{}", made_from(i), i));
    }
    const std::array row{std::string("CAST(r AS VARCHAR)")};
    return fmt::format("SELECT {} FROM (SELECT {} FROM {} {}{} ORDER BY {})",
                       fmt::join(shown, ", "), fmt::join(made, ", "), publication_.rows, joins(),
                       chosen(), duckdb_dialect().keyed_hash(row, secret));
  }

  [[nodiscard]] bool has_labels() const { return !mapped_.empty(); }

 private:
  [[nodiscard]] bool is_mapped(std::size_t i) const {
    return std::ranges::find(mapped_, i) != mapped_.end();
  }

  [[nodiscard]] std::string made_from(std::size_t i) const {
    const auto& from = publication_.columns[i].from;
    if (is_mapped(i)) return fmt::format("m{}.label", i);
    if (const auto* const recoded = std::get_if<Recoded>(&from)) {
      return text(recoded->labels.front());
    }
    if (const auto* const same = std::get_if<Unchanged>(&from)) {
      return fmt::format("q{}", same->coded);
    }
    if (const auto* const shown = std::get_if<OfClass>(&from)) {
      return fmt::format("c{}", shown->column);
    }
    if (const auto* const plain = std::get_if<Plain>(&from))
      return fmt::format("x{}", plain->plain);
    return fmt::format("x{}", std::get<Pseudonym>(from).plain);
  }

  // A label or value that is empty was NULL.
  [[nodiscard]] std::string shown_as(const PublishedColumn& column, const std::string& made) const {
    if (std::holds_alternative<Plain>(column.from)) return made;
    if (std::holds_alternative<Pseudonym>(column.from)) {
      // Without a key there is no pseudonym, and nobody's name.
      return publication_.key ? publication_.key->pseudonym(made, column.name) : "NULL";
    }
    const std::string label = fmt::format("nullif(CAST({} AS VARCHAR), '')", made);
    const auto* const same = std::get_if<Unchanged>(&column.from);
    const auto* const shown = std::get_if<OfClass>(&column.from);
    const std::string type = same != nullptr    ? same->type
                             : shown != nullptr ? shown->type
                                                : std::string();
    return type.empty() ? label : fmt::format("CAST({} AS {})", label, type);
  }

  [[nodiscard]] std::string joins() const {
    std::string out;
    for (const std::size_t i : mapped_) {
      out += fmt::format(
          "JOIN (SELECT CAST(v AS {0}) AS v, CAST(label AS {1}) AS label FROM labels WHERE c = {2})"
          " AS m{2} ON q{3} = m{2}.v ",
          CodedRows::kValueType, kLabelType, i,
          std::get<Recoded>(publication_.columns[i].from).coded);
    }
    return out;
  }

  // Columns that show one thing tell no classes apart.
  [[nodiscard]] std::string chosen() const {
    const ChosenClasses& classes = publication_.classes;
    if (classes.labels.empty() || classes.labels.front().empty()) {
      return classes.which == ChosenClasses::Which::kKept ? "WHERE false" : "";
    }
    std::vector<std::string> keys;
    std::vector<std::string> same;
    std::size_t place = 0;
    for (std::size_t i = 0; i < publication_.columns.size(); ++i) {
      const auto& from = publication_.columns[i].from;
      const bool is_unchanged = std::holds_alternative<Unchanged>(from);
      if (!is_unchanged && !std::holds_alternative<Recoded>(from)) continue;
      if (is_unchanged || is_mapped(i)) {
        keys.push_back(fmt::format("CAST(k{0} AS {1}) AS k{0}", place,
                                   is_unchanged ? CodedRows::kValueType : kLabelType));
        same.push_back(fmt::format("{} = k{}", made_from(i), place));
      }
      ++place;
    }
    if (same.empty()) same.emplace_back("true");
    if (keys.empty()) keys.emplace_back("k0");
    return fmt::format("{} JOIN (SELECT {} FROM classes) ON {}",
                       classes.which == ChosenClasses::Which::kKept ? "SEMI" : "ANTI",
                       fmt::join(keys, ", "), fmt::join(same, " AND "));
  }

  const CodedRows& rows_;
  const Publication& publication_;
  std::vector<std::size_t> mapped_;  // columns whose values are looked up
};

}  // namespace

Result<void> write_rows(Engine& engine, const CodedRows& rows, const Publication& publication,
                        const std::filesystem::path& file) {
  if (is_written_here(rows, publication)) return write_text(rows, publication, file);
  TACIT_RETURN_IF_ERROR(rows.put_into(engine));
  const Rewriting rewriting(rows, publication);
  // Of a publication before this one.
  for (const char* const left : {"TABLE IF EXISTS labels", "TABLE IF EXISTS classes"}) {
    TACIT_RETURN_IF_ERROR(engine.execute(fmt::format("DROP {}", left)));
  }
  TACIT_RETURN_IF_ERROR(engine.execute(fmt::format("DROP TYPE IF EXISTS {}", kLabelType)));
  if (rewriting.has_labels()) {
    TACIT_RETURN_IF_ERROR(engine.load("labels", rewriting.labels()));
    TACIT_RETURN_IF_ERROR(engine.execute(
        fmt::format("CREATE TYPE {} AS ENUM (SELECT DISTINCT label FROM labels)", kLabelType)));
  }
  if (!publication.classes.labels.empty() && !publication.classes.labels.front().empty()) {
    TACIT_RETURN_IF_ERROR(engine.load("classes", rewriting.classes()));
  }
  TACIT_ASSIGN_OR_RETURN(const std::string secret, fresh_secret());
  const auto written = engine.execute(fmt::format("COPY ({}) TO {} ({}, USE_TMP_FILE false)",
                                                  rewriting.select(secret), text(file.string()),
                                                  copy_options(publication.form)));
  if (written) return {};
  return world_failed(fmt::format("the output cannot be written: {}", engine.steward_detail()),
                      file.string(), "is there room on the disk?");
}

}  // namespace tacit::anonymize
