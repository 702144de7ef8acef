#include "tacit/sql/syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tacit::sql {
namespace {

constexpr std::size_t kLongestText = std::size_t{1} << 18U;
constexpr std::size_t kLongestExcerpt = 32;

std::string sql_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += '\'';
  }
  return out + "'";
}

// The word or call that begins at `offset`, cut where it grows long.
std::string excerpt(std::string_view text, std::size_t offset) {
  const std::string_view rest = text.substr(offset, kLongestExcerpt);
  const std::size_t end = rest.find_first_of("\n;");
  std::string out(rest.substr(0, end));
  while (!out.empty() && (out.back() == ' ' || (static_cast<unsigned char>(out.back()) & 0x80U))) {
    out.pop_back();
  }
  return out;
}

// Where the node begins, which is where the first of its parts does if it does not say; `end` where
// none says.
std::uint64_t offset_of(const Json& node, std::uint64_t end) {
  if (!node.is_structured()) return end;
  if (node.is_object()) {
    const auto found = node.find("query_location");
    if (found != node.end() && found->is_number_unsigned() && found->get<std::uint64_t>() < end) {
      return found->get<std::uint64_t>();
    }
  }
  std::uint64_t first = end;
  for (const Json& child : node) first = std::min(first, offset_of(child, end));
  return first;
}

Result<std::string> single_text(Engine& parser, const std::string& sql) {
  TACIT_ASSIGN_OR_RETURN(const Table answer, parser.query(sql));
  if (answer.columns.size() != 1 || answer.rows() != 1) {
    return world_failed("the SQL parser gave no answer", "embedded DuckDB");
  }
  const auto* text = std::get_if<std::string>(&answer.columns.front().front());
  if (text == nullptr) return world_failed("the SQL parser gave no text", "embedded DuckDB");
  return *text;
}

}  // namespace

std::string QueryText::place(const Json& node) const {
  const std::uint64_t offset = offset_of(node, text_.size());
  if (offset >= text_.size()) return "the query";
  const std::string_view before = std::string_view(text_).substr(0, offset);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("line {}, column {}, at `{}`", line, offset - line_begin + 1,
                     excerpt(text_, offset));
}

std::unexpected<Error> QueryText::refuse(const Json& node, std::string what,
                                         std::string remedy) const {
  return bad_input(std::move(what), place(node), std::move(remedy));
}

Result<Json> parse_select(Engine& parser, const QueryText& text) {
  if (text.text().size() > kLongestText) {
    return bad_input("the query is longer than 256 KiB", "the query", "split it");
  }
  if (text.text().find('\0') != std::string::npos) {
    return bad_input("the query holds a zero byte", "the query", "remove it");
  }
  TACIT_ASSIGN_OR_RETURN(const std::string answer,
                         single_text(parser, "SELECT CAST(json_serialize_sql(" +
                                                 sql_text(text.text()) + ") AS VARCHAR)"));
  Json tree = Json::parse(answer, nullptr, false);
  if (tree.is_discarded()) return world_failed("the syntax tree cannot be read", "embedded DuckDB");
  if (tree.value("error", false)) {
    if (string_of(tree, "error_type") == "not implemented") {
      return bad_input("only SELECT is answered", "the query",
                       "statements that change data, settings or files are refused");
    }
    Json at = Json::object();
    if (const std::string position = string_of(tree, "position"); !position.empty()) {
      at["query_location"] = std::strtoull(position.c_str(), nullptr, 10);
    }
    return text.refuse(at, tree.value("error_message", "the query does not parse"),
                       "see docs/sql.md for what can be asked");
  }
  const Json& statements = tree["statements"];
  if (statements.empty()) return bad_input("the query is empty", "the query", "write a SELECT");
  if (statements.size() != 1) {
    return bad_input("there are several statements", "the query",
                     "ask one at a time, or all together with --batch");
  }
  return statements.front();
}

Result<std::string> to_text(Engine& parser, const Json& select) {
  const Json tree = {{"error", false}, {"statements", Json::array({select})}};
  return single_text(parser,
                     "SELECT json_deserialize_sql(CAST(" + sql_text(tree.dump()) + " AS JSON))");
}

}  // namespace tacit::sql
