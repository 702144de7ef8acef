#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/run_folder.h"
#include "tacit/train/private_means.h"
#include "tacit/train/private_sgd.h"

namespace tacit::python {

// The ledger that pays for training, and the account in it.
class TrainingAccount {
 public:
  // `who` is written into the ledger. Of a workspace: "DATASET" or "DATASET/ANALYST".
  static Result<std::unique_ptr<TrainingAccount>> of_workspace(const std::string& place,
                                                               const std::string& account,
                                                               std::string who);
  // An account of a ledger that belongs to no workspace; both are begun where there are none. Its
  // cap is the least of a few multiples of `epsilon` that `cost` fits: the ledger adds up by a
  // Rényi filter, which asks for more than one run alone is proved to cost.
  static Result<std::unique_ptr<TrainingAccount>> in_file(const std::filesystem::path& file,
                                                          const std::string& name, std::string who,
                                                          double epsilon, double delta,
                                                          const Cost& cost);

  // Charges the whole of a plan, and begins the run it pays for.
  Result<train::PrivateSgd> begin(const train::PrivateSgdPlan& plan,
                                  std::vector<at::Tensor> parameters, const std::string& note);

  // Begins the run of a folder, or goes on with it where it was begun. The account must outlive it.
  Result<train::PrivateSgd> begin_or_resume(const train::PrivateSgdPlan& plan,
                                            std::vector<at::Tensor> parameters,
                                            const RunFolder& folder, const std::string& note);
  // Charges a run and means that are told while it goes on, in one entry.
  Result<std::pair<train::PrivateSgd, train::PrivateMeans>> begin_with_means(
      const train::PrivateSgdPlan& plan, std::vector<at::Tensor> parameters,
      const train::PrivateMeansPlan& means, const std::string& note);
  // Charges means alone.
  Result<train::PrivateMeans> begin_means(const train::PrivateMeansPlan& plan,
                                          const std::string& note);

  [[nodiscard]] std::string name() const { return account_.to_string(); }

 private:
  Result<Permit> reserve(Cost cost, const std::string& note);

  TrainingAccount(Ledger ledger, AccountId account, std::string who)
      : ledger_(std::move(ledger)), account_(std::move(account)), who_(std::move(who)) {}

  Ledger ledger_;
  AccountId account_;
  std::string who_;
};

}  // namespace tacit::python
