#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tacit/base/toml_reader_internal.h"
#include "tacit/ledger/workspace.h"
#include "tacit/ledger/workspace_tables_internal.h"

namespace tacit {
namespace {

constexpr std::string_view kHeader =
    R"(# A Tacit workspace: the public facts about datasets and their privacy budgets.
# No passwords, and nothing learnt from private rows: this file may be shared.
# docs/workspace.md is its manual.
version = 1

)";

constexpr std::string_view kSqliteComment = R"([ledger]
# The file that remembers every charge. Losing it loses the guarantee: back it up,
# and keep a copy of the head that 'tacit ledger verify' prints somewhere else.
)";

constexpr std::string_view kServerComment = R"([ledger]
# Many servers may share this ledger. The password comes from PGPASSWORD,
# PGPASSFILE or a service file, never from here.
)";

constexpr std::string_view kNoDatasets = R"(
# A dataset and the most that may ever be told about it. Take the '#' away, set
# the numbers, and run 'tacit init' again to open its account.
#
# [datasets.patients]
# neighbours = "add_remove"   # or "replace", where the number of units is public
# epsilon = 1.0
# delta = 1e-6                # leave it out for pure epsilon
#
# [datasets.patients.analysts]
# alice = {epsilon = 0.5}
)";

constexpr std::string_view kBudgetComment =
    R"(# The cap an account is opened with. What is spent, and every later grant, is in
# the ledger: changing a number here changes nothing there.
)";

constexpr std::string_view kPartsComment =
    R"(# Parts compose in parallel: a unit's part is a public fact about the unit alone,
# settled before the data is seen.
)";

std::string ledger_section(const LedgerPlace& place) {
  if (const auto* const server = std::get_if<PostgresLedger>(&place)) {
    return fmt::format("{}store = {}\nschema = {}\n", kServerComment, toml_string(server->uri),
                       toml_string(server->schema));
  }
  return fmt::format("{}store = {}\n", kSqliteComment,
                     toml_string(std::get<SqliteLedger>(place).file.string()));
}

// "delta = 1e-06" and the like, for what is declared.
std::vector<std::string> delta_lines(const DeclaredBudget& budget) {
  std::vector<std::string> lines;
  if (budget.delta) lines.push_back("delta = " + toml_number(*budget.delta));
  if (!budget.orders.empty()) {
    lines.push_back(fmt::format("orders = [{}]", fmt::join(budget.orders, ", ")));
  }
  if (!budget.caps.empty()) {
    std::vector<std::string> caps;
    for (const Rational& cap : budget.caps) caps.push_back(toml_number(cap));
    lines.push_back(fmt::format("caps = [{}]", fmt::join(caps, ", ")));
  }
  if (budget.delta_reserve)
    lines.push_back("delta_reserve = " + toml_number(*budget.delta_reserve));
  return lines;
}

std::string analyst_line(const DeclaredAnalyst& analyst) {
  const DeclaredBudget& budget = analyst.budget;
  std::string text =
      fmt::format("{} = {{epsilon = {}", toml_key(analyst.name), toml_number(budget.epsilon));
  for (const std::string& line : delta_lines(budget)) text += ", " + line;
  return text + "}\n";
}

std::string dataset_section(const DeclaredDataset& dataset) {
  const std::string title = "datasets." + toml_key(dataset.name);
  std::string text = fmt::format("\n[{}]\nneighbours = {}\n{}epsilon = {}\n", title,
                                 toml_string(name(dataset.neighbours)), kBudgetComment,
                                 toml_number(dataset.budget.epsilon));
  for (const std::string& line : delta_lines(dataset.budget)) text += line + "\n";
  text += data_lines(dataset.data);
  if (!dataset.parts.names.empty()) {
    std::string names;
    for (const std::string& part : dataset.parts.names) {
      names += (names.empty() ? "" : ", ") + toml_string(part);
    }
    text += fmt::format("\n[{}.parts]\n{}by = {}\nnames = [{}]\n", title, kPartsComment,
                        toml_string(dataset.parts.by), names);
  }
  if (!dataset.analysts.empty()) {
    text += fmt::format("\n[{}.analysts]\n", title);
    for (const DeclaredAnalyst& analyst : dataset.analysts) text += analyst_line(analyst);
  }
  text += table_sections(dataset.data, title);
  return text;
}

// A file that is closed, and removed by name, with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string pattern) : name_(std::move(pattern)) {
    descriptor_ = ::mkstemp(name_.data());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(name_.c_str());
  }

  // To the disk; false where that failed, with errno set.
  [[nodiscard]] bool write(std::string_view text) const {
    if (descriptor_ < 0) return false;
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno != EINTR) return false;
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    constexpr mode_t kReadableByAll = 0644;
    return ::fchmod(descriptor_, kReadableByAll) == 0 && ::fsync(descriptor_) == 0;
  }

  // Gives the file a second, lasting name; fails where that name is taken.
  [[nodiscard]] bool link_to(const std::string& name) const {
    return ::link(name_.c_str(), name.c_str()) == 0;
  }

 private:
  std::string name_;
  int descriptor_ = -1;
};

// A name in a folder lasts once the folder is on the disk.
bool sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool synced = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return synced;
}

}  // namespace

Result<void> Workspace::save_new() const {
  const std::string file = (folder / kFileName).string();
  const TemporaryFile temporary(file + ".XXXXXX");
  if (temporary.write(to_toml()) && temporary.link_to(file) && sync_folder(folder.string())) {
    return {};
  }
  if (errno == EEXIST) {
    return bad_input("is there already", file, "it is never overwritten; edit it by hand");
  }
  return world_failed(fmt::format("cannot be written: {}", std::strerror(errno)), file);
}

std::string Workspace::to_toml() const {
  std::string text{kHeader};
  text += ledger_section(ledger);
  if (datasets.empty()) text += kNoDatasets;
  for (const DeclaredDataset& dataset : datasets) text += dataset_section(dataset);
  return text;
}

}  // namespace tacit
