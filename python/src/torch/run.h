#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/ledger/ledger.h"
#include "tacit/train/private_sgd.h"

namespace tacit::python {

// The ledger that pays for training, and the account in it.
class TrainingAccount {
 public:
  // `who` is written into the ledger. Of a workspace: "DATASET" or "DATASET/ANALYST".
  static Result<std::unique_ptr<TrainingAccount>> of_workspace(const std::string& place,
                                                               const std::string& account,
                                                               std::string who);
  // A new account in a ledger that belongs to no workspace, which is begun where there is none. Its
  // cap is the least of a few multiples of `epsilon` that `cost` fits: the ledger adds up by a
  // Rényi filter, which asks for more than one run alone is proved to cost.
  static Result<std::unique_ptr<TrainingAccount>> in_file(const std::filesystem::path& file,
                                                          const std::string& name, std::string who,
                                                          double epsilon, double delta,
                                                          const Cost& cost);

  // Charges the whole of a plan, and begins the run it pays for.
  Result<train::PrivateSgd> begin(const train::PrivateSgdPlan& plan,
                                  std::vector<at::Tensor> parameters, const std::string& note);

  [[nodiscard]] std::string name() const { return account_.to_string(); }

 private:
  TrainingAccount(Ledger ledger, AccountId account, std::string who)
      : ledger_(std::move(ledger)), account_(std::move(account)), who_(std::move(who)) {}

  Ledger ledger_;
  AccountId account_;
  std::string who_;
};

}  // namespace tacit::python
