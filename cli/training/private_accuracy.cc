#include "cli/training/private_accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "tacit/train/private_means.h"

namespace tacit::training {
namespace {

using Json = nlohmann::json;

std::string place_of(const Source& source) {
  if (const auto* const table = std::get_if<TableSource>(&source)) return "table " + table->table;
  if (const auto* const files = std::get_if<IdxSource>(&source)) return files->images.string();
  return std::get<FolderSource>(source).folder.string();
}

std::string entry_name(const Head& paid) {
  return fmt::format("{}:{}", paid.sequence, paid.digest.hex());
}

// A share is never below 0 or above 1, whatever the noise: post-processing.
double share_of(double mean) { return std::clamp((1 + mean) / 2, 0.0, 1.0); }

Result<double> mean_on_record(const std::string& bytes) {
  const Json json = Json::parse(bytes, nullptr, false);
  if (json.is_object() && json.contains("mean") && json["mean"].is_number()) {
    return json["mean"].get<double>();
  }
  return world_failed("the accuracy on record is damaged", "ledger", "restore it from a backup");
}

Result<double> tell_mean(train::PrivateMeans& means, Trainer& trainer, const ExampleTensors& test) {
  TACIT_ASSIGN_OR_RETURN(std::vector<std::int64_t> places, means.draw());
  std::erase_if(places, [&](std::int64_t place) { return place >= test.size(); });
  TACIT_RETURN_IF_ERROR(means.add(trainer.votes(test, places)));
  TACIT_ASSIGN_OR_RETURN(const std::vector<double> told, means.tell());
  return told.front();
}

}  // namespace

Result<ToldAccuracy> tell_accuracy(const AccuracyPlan& plan, const Source& source, Desk& desk,
                                   const std::string& run_entry, Trainer& trainer,
                                   const ExampleTensors& test) {
  const auto told = [&](double mean, std::string entry) {
    return ToldAccuracy{.share = share_of(mean),
                        .half_width = plan.half_width(),
                        .epsilon = plan.epsilon,
                        .entry = std::move(entry)};
  };
  const std::string place = place_of(source);
  const Digest fingerprint = Digest::of(
      fmt::format("tacit train accuracy\n{}\n{}\n{}", run_entry, place, plan.cost.to_json()));
  TACIT_ASSIGN_OR_RETURN(const auto before,
                         desk.ledger->find_release(desk.dataset.name, fingerprint));
  if (before) {
    TACIT_ASSIGN_OR_RETURN(const double mean, mean_on_record(before->bytes));
    return told(mean, entry_name(before->paid));
  }
  TACIT_ASSIGN_OR_RETURN(
      Permit permit,
      desk.ledger->reserve({.account = desk.account.id,
                            .cost = plan.cost,
                            .who = desk.who,
                            .note = fmt::format("accuracy of the model of entry {} on {}",
                                                run_entry.substr(0, run_entry.find(':')), place),
                            .fingerprint = fingerprint}));
  const std::string entry = permit.entry();
  TACIT_ASSIGN_OR_RETURN(auto means, train::PrivateMeans::begin(plan.means, std::move(permit)));
  TACIT_ASSIGN_OR_RETURN(const double mean, tell_mean(means, trainer, test));
  TACIT_RETURN_IF_ERROR(desk.ledger->record_release(
      {.entry = entry, .fingerprint = fingerprint, .bytes = Json{{"mean", mean}}.dump()}));
  return told(mean, entry);
}

}  // namespace tacit::training
