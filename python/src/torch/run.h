#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "python/src/paying_account.h"
#include "tacit/base/error.h"
#include "tacit/ledger/run_folder.h"
#include "tacit/train/certificate.h"
#include "tacit/train/private_means.h"
#include "tacit/train/private_sgd.h"

namespace tacit::python {

// The account that pays for training.
class TrainingAccount {
 public:
  explicit TrainingAccount(PayingAccount account) : account_(std::move(account)) {}

  // Refuses a plan that it could not pay for now. Nothing is charged.
  Result<void> check_room(const train::PrivateSgdPlan& plan);
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
  // The same of a folder, in an entry each, for each is counted by itself: both fit, or nothing is
  // charged.
  Result<std::pair<train::PrivateSgd, train::PrivateMeans>> begin_or_resume_with_means(
      const train::PrivateSgdPlan& plan, std::vector<at::Tensor> parameters,
      const train::PrivateMeansPlan& means, const RunFolder& folder, const std::string& note);
  // Charges means alone.
  Result<train::PrivateMeans> begin_means(const train::PrivateMeansPlan& plan,
                                          const std::string& note);

  // What was proved of a run that this account paid for, as JSON.
  Result<std::string> certificate(const train::PrivateSgd& run, const train::RunFacts& facts);

  [[nodiscard]] std::string name() const { return account_.name(); }

 private:
  PayingAccount account_;
};

}  // namespace tacit::python
