#include "cli/query_target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "cli/cost_options.h"
#include "cli/paying_account.h"
#include "tacit/data/dataset.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/bind.h"
#include "tacit/sql/within.h"

namespace tacit::cli {
namespace {

Result<std::optional<std::uint64_t>> bound(const std::string& text, const std::string& flag) {
  if (text.empty()) return std::nullopt;
  TACIT_ASSIGN_OR_RETURN(const std::uint64_t count, read_count(text, flag));
  if (count == 0) return bad_input("must be at least 1", flag, "for example: " + flag + " 4");
  return count;
}

// Both accounts that pay must have a delta for one to be spent.
std::optional<Rational> default_delta(const QueryTarget& target) {
  const auto& declared = target.dataset.budget.delta;
  if (target.account.budget.is_pure() || !declared) return std::nullopt;
  return std::min(target.account.budget.delta(), *declared) / Rational(kDeltaParts);
}

// "n=0.7,total=0.3"
Result<std::vector<sql::ColumnShare>> column_shares(std::string_view text) {
  std::vector<sql::ColumnShare> shares;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view one = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    const std::size_t equals = one.rfind('=');
    if (equals == std::string_view::npos) {
      return bad_input("a share is COLUMN=NUMBER", "--share",
                       "for example: --share visits=0.7,money=0.3");
    }
    TACIT_ASSIGN_OR_RETURN(const Rational share,
                           number(std::string(one.substr(equals + 1)), "--share"));
    shares.push_back({.column = std::string(one.substr(0, equals)), .share = share});
  }
  return shares;
}

// "rows,groups,ranges"
Result<sql::Learn> learn_of(std::string_view text) {
  sql::Learn out;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view one = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (one == "rows") {
      out.rows = true;
    } else if (one == "groups") {
      out.groups = true;
    } else if (one == "ranges") {
      out.ranges = true;
    } else {
      return bad_input(fmt::format("'{}' is nothing that can be learnt", one), "--learn",
                       "name some of rows,groups,ranges");
    }
  }
  return out;
}

Result<void> check_price(const QueryOptions& options) {
  if (options.epsilon.empty() != options.within.empty()) return {};
  return bad_input(options.epsilon.empty() ? "say what the question may cost"
                                           : "a question has a price or a width, not both",
                   "--epsilon", "for example: --epsilon 0.5, or --within 100");
}

// As the options say; with --within, at the least epsilon that is exact enough.
Result<sql::PlanOptions> plan_options(const sql::BoundQuery& query, const QueryOptions& options,
                                      const QueryTarget& target) {
  TACIT_ASSIGN_OR_RETURN(sql::PlanOptions out, limits(options, target));
  if (options.within.empty()) {
    TACIT_ASSIGN_OR_RETURN(out.epsilon, number(options.epsilon, "--epsilon"));
  } else {
    TACIT_ASSIGN_OR_RETURN(const Rational width, number(options.within, "--within"));
    TACIT_ASSIGN_OR_RETURN(out.epsilon, sql::least_epsilon(query, target.schema, out, width));
  }
  return out;
}

}  // namespace

Result<sql::PlanOptions> limits(const QueryOptions& options, const QueryTarget& target) {
  sql::PlanOptions out;
  if (options.delta.empty()) {
    out.delta = default_delta(target);
  } else {
    TACIT_ASSIGN_OR_RETURN(const Rational delta, number(options.delta, "--delta"));
    if (delta.sign() != 0) out.delta = delta;
  }
  TACIT_ASSIGN_OR_RETURN(out.learn, learn_of(options.learn));
  out.learn.rows = out.learn.rows || options.learn_rows;
  TACIT_ASSIGN_OR_RETURN(out.shares, column_shares(options.shares));
  TACIT_ASSIGN_OR_RETURN(out.bounds.groups, bound(options.max_groups, "--max-groups"));
  TACIT_ASSIGN_OR_RETURN(out.bounds.rows_per_group, bound(options.max_rows, "--max-rows"));
  return out;
}

void QueryOptions::add_options(CLI::App& verb) {
  verb.add_option("--dataset", dataset, "The dataset asked (default: the only one)")
      ->type_name("NAME");
  verb.add_option("--epsilon", epsilon, "The most this question may cost")->type_name("E");
  verb.add_option("--within", within, "Or the half-width that each count and sum may have")
      ->type_name("W");
  verb.add_option("--share", shares, "How epsilon is divided over the aggregates")
      ->type_name("COLUMN=S,...");
  verb.add_option("--delta", delta, "Its delta; 0 for none (default: see below)")->type_name("D");
  verb.add_option("--max-groups", max_groups, "The most groups one unit may touch")->type_name("N");
  verb.add_option("--max-rows", max_rows, "The most rows it may add to one group")->type_name("N");
  verb.add_option("--learn", learn, "Learn these privately, for a share of epsilon each")
      ->type_name("rows,groups,ranges");
  verb.add_flag("--learn-rows", learn_rows, "The same as --learn rows");
  verb.add_option("--batch", batch, "Ask all statements of a file together; - reads them")
      ->type_name("FILE");
  writer.add_options(verb);
}

Result<QueryTarget> find_target(const QueryOptions& options, AskedBy asked_by,
                                const Workspace& workspace, Ledger& ledger) {
  TACIT_ASSIGN_OR_RETURN(DeclaredDataset dataset, chosen_dataset(options.dataset, workspace));
  if (dataset.data.tables.empty()) {
    return bad_input(fmt::format("the dataset '{}' declares no tables", dataset.name), "tacit.toml",
                     "docs/workspace.md says how tables are declared");
  }
  TACIT_ASSIGN_OR_RETURN(Account account,
                         paying_account(dataset.name, options.writer.as, asked_by, ledger));
  TACIT_ASSIGN_OR_RETURN(Schema schema, schema_of(workspace, dataset));
  return QueryTarget{.workspace = workspace,
                     .dataset = std::move(dataset),
                     .schema = std::move(schema),
                     .account = std::move(account),
                     .who = options.writer.name()};
}

Result<sql::QueryPlan> prepare(const std::string& statement, const QueryOptions& options,
                               const QueryTarget& target, Engine& embedded) {
  TACIT_RETURN_IF_ERROR(check_price(options));
  TACIT_ASSIGN_OR_RETURN(sql::BoundQuery query,
                         sql::bind(sql::QueryText(statement), target.schema, embedded));
  TACIT_ASSIGN_OR_RETURN(const sql::PlanOptions priced, plan_options(query, options, target));
  return sql::prepare(std::move(query), target.schema, priced, embedded);
}

Result<sql::BatchPlan> prepare_batch(const std::string& text, const QueryOptions& options,
                                     const QueryTarget& target, Engine& embedded) {
  TACIT_RETURN_IF_ERROR(check_price(options));
  TACIT_ASSIGN_OR_RETURN(sql::BoundBatch batch, sql::bind_batch(text, target.schema, embedded));
  TACIT_ASSIGN_OR_RETURN(const sql::PlanOptions priced, plan_options(batch.whole, options, target));
  return sql::plan_batch(std::move(batch), target.schema, priced, embedded);
}

Result<void> check_batch(const QueryOptions& options, const std::string& statement) {
  if (options.batch.empty() || statement.empty()) return {};
  return bad_input("a batch has its statements in a file", "--batch",
                   "leave out the statement, or put it into the file");
}

Result<std::string> read_batch(const std::string& file) {
  std::ifstream opened;
  if (file != "-") opened.open(file, std::ios::binary);
  std::istream& in = file == "-" ? std::cin : opened;
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in || in.bad()) {
    return bad_input(
        fmt::format("'{}' cannot be read", file), "--batch",
        "name a file of SELECT statements, each ended by ';', or - for standard input");
  }
  return std::move(text).str();
}

}  // namespace tacit::cli
