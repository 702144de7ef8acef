#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "python/src/paying_account.h"
#include "tacit/base/error.h"
#include "tacit/learn/pate/pate.h"
#include "tacit/ledger/run_permit.h"

namespace tacit::python {

// Votes of teachers that Python trains, paid for by an account. Not for use from two threads.
class Voting {
 public:
  // Charges all that the votes may cost, as one step of a run: whoever dies before the first
  // question goes on later at no charge, under the same id.
  struct Reservation {
    std::string note;
    std::optional<std::string> id;
    RunTerms terms;
  };
  static Result<std::unique_ptr<Voting>> reserve(std::shared_ptr<PayingAccount> account,
                                                 learn::Votes votes,
                                                 const Reservation& reservation);

  // The first question claims the step, durably.
  Result<std::optional<std::uint64_t>> ask(const std::vector<std::uint64_t>& counts);
  // Ends the run: what it cost in hindsight at a delta, where that was planned.
  Result<std::optional<double>> end(double delta);
  // Of the votes that were asked. Not for release.
  [[nodiscard]] Result<double> unsanitised_epsilon(double delta) const;
  // Of the run as it stands, in JSON.
  Result<std::string> certificate(const std::string& question, double delta);

  [[nodiscard]] std::uint64_t answers_left() const;

 private:
  Voting(std::shared_ptr<PayingAccount> account, learn::Votes votes, RunPermit permit);

  std::shared_ptr<PayingAccount> account_;
  learn::Votes votes_;
  RunPermit permit_;
  std::optional<learn::VotingRun> run_;
  std::optional<learn::HindsightCost> hindsight_;
  bool ended_ = false;
};

// Adds what tacit.pate stands on to the extension.
void define_pate(pybind11::module_& module);

}  // namespace tacit::python
