// Asks one private count and pays for it, as a project of its own would.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tacit/ledger/ledger.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/mechanisms/statistics/count.h"
#include "tacit/random/secure_stream.h"

namespace {

tacit::Result<void> run(const std::filesystem::path& folder) {
  using namespace tacit;
  // A ledger with an account that may spend epsilon 1.
  TACIT_ASSIGN_OR_RETURN(auto store, create_sqlite_store(folder / "ledger.sqlite"));
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, Ledger::create(std::move(store), "steward"));
  TACIT_ASSIGN_OR_RETURN(const Budget budget, Budget::pure(1));
  TACIT_RETURN_IF_ERROR(
      ledger.create_dataset({.dataset = "visits", .budget = budget, .who = "steward"}));

  // Plan, reserve, execute: the price is known before a row is read.
  TACIT_ASSIGN_OR_RETURN(const Rational epsilon, Rational::parse("0.1"));
  TACIT_ASSIGN_OR_RETURN(const Count count, Count::create({}, PureTarget{epsilon}));
  TACIT_ASSIGN_OR_RETURN(Permit permit, ledger.reserve({.account = {.dataset = "visits"},
                                                        .cost = count.cost(),
                                                        .who = "ana",
                                                        .note = "how many visits"}));
  TACIT_ASSIGN_OR_RETURN(SecureStream stream, SecureStream::create());
  TACIT_ASSIGN_OR_RETURN(const auto visits, count.release(4242, std::move(permit), stream));

  std::printf("visits: %lld ± %.0f\n", static_cast<long long>(visits.value),
              visits.interval.half_width);
  return {};
}

}  // namespace

int main() {
  std::string folder = (std::filesystem::temp_directory_path() / "tacit-consumer-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 3;
  const auto result = run(folder);
  std::filesystem::remove_all(folder);
  if (result) return 0;
  std::fprintf(stderr, "consumer: %s\n", result.error().message().c_str());
  return result.error().exit_status();
}
