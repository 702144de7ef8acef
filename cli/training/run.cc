#include "cli/training/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "cli/answer_file.h"
#include "cli/progress_bar.h"
#include "cli/query_watch.h"
#include "cli/training/config.h"
#include "cli/training/desk.h"
#include "cli/training/outcome.h"
#include "cli/training/planned.h"
#include "cli/training/private_accuracy.h"
#include "cli/training/step_bar.h"
#include "cli/training/trainer.h"
#include "tacit/ledger/run_folder.h"
#include "tacit/train/durable_run.h"

namespace tacit::training {
namespace {

// A new run needs a folder without one; --resume one that has it.
Result<void> check_folder(const OutputSection& output, bool resume) {
  const bool begun = RunFolder::has_run(output.checkpoint);
  if (resume && !begun) {
    return bad_input("there is no run to go on with", output.checkpoint.string(),
                     "leave --resume out to begin one");
  }
  if (!resume && begun) {
    return bad_input("a run was begun here before", output.checkpoint.string(),
                     "--resume goes on with it, at no charge; for a new one name another folder: "
                     "[output] checkpoint = ...");
  }
  return {};
}

std::string note_of(const Config& config) {
  return fmt::format("train {}: a {} model", config.file.filename().string(),
                     name(config.model.kind));
}

// How often public accuracy is shown, and a checkpoint left, where nothing else is said.
std::uint64_t tenth(std::uint64_t steps) { return std::max<std::uint64_t>(1, steps / 10); }

std::unexpected<Error> interrupted(const Config& config) {
  return world_failed(
      "training was interrupted", config.output.checkpoint.string(),
      fmt::format("the checkpoint is kept: 'tacit train {} --resume' goes on, at no "
                  "further charge",
                  config.file.string()));
}

// By then the run is paid for, and only what came after the last checkpoint is lost.
Result<void> keep_checkpoint(const RunFolder& folder, std::string_view bytes) {
  auto kept = folder.keep_checkpoint(bytes);
  if (kept) return {};
  kept.error().remedy += "; then --resume goes on, at no further charge";
  return std::unexpected(std::move(kept).error());
}

// What the model takes in, made of examples that outlive it.
struct Tensors {
  ExampleTensors training;
  std::optional<ExampleTensors> test;
};

Result<Tensors> tensors_of(const Data& data, const Config& config, const Trainer& trainer) {
  constexpr const char* kLabel = "computing features";
  TACIT_ASSIGN_OR_RETURN(ExampleTensors training,
                         trainer.tensors_of(data.training, false, cli::progress_bar(kLabel)));
  Tensors out{.training = std::move(training)};
  if (data.test && config.test) {
    TACIT_ASSIGN_OR_RETURN(out.test,
                           trainer.tensors_of(*data.test, config.test->is_private.has_value(),
                                              cli::progress_bar(kLabel)));
  }
  return out;
}

// Trains until all steps are done. The checkpoint is that of the last step when it returns well,
// and after Ctrl-C.
Result<void> train_all(train::PrivateSgd& run, Trainer& trainer, const Tensors& tensors,
                       const Config& config, const RunFolder& folder) {
  // How well it does on private test data is told once, at the end.
  const bool shows_accuracy = tensors.test && config.test && !config.test->is_private;
  const std::uint64_t every =
      config.output.checkpoint_every > 0 ? config.output.checkpoint_every : tenth(run.plan().steps);
  const cli::InterruptWatch watch;
  StepBar bar(run.plan(), config.privacy.delta.approximate(), run.position());
  while (run.steps_left() > 0) {
    TACIT_RETURN_IF_ERROR(trainer.step(run, tensors.training));
    const bool is_last = run.steps_left() == 0;
    if (is_last || watch.has_come() || run.position() % every == 0) {
      TACIT_RETURN_IF_ERROR(keep_checkpoint(folder, trainer.checkpoint(run.state())));
    }
    if (watch.has_come() && !is_last) return interrupted(config);
    if (shows_accuracy && run.position() % tenth(run.plan().steps) == 0) {
      bar.set_accuracy(trainer.accuracy(*tensors.test));
    }
    bar.show(run.position());
  }
  return {};
}

// The same; what libtorch throws (no memory, say) becomes an error that depends on no row.
Result<void> train_safely(train::PrivateSgd& run, Trainer& trainer, const Tensors& tensors,
                          const Config& config, const RunFolder& folder) {
  try {
    return train_all(run, trainer, tensors, config, folder);
  } catch (const std::exception&) {
    return world_failed("training failed: there may be too little memory", "[training]",
                        "take a smaller physical_batch, then go on with --resume");
  }
}

Result<Outcome> train_model(const Config& config, const cli::TrainOptions& options, Desk& desk,
                            const Planned& planned) {
  TACIT_ASSIGN_OR_RETURN(const Data data, read_data(config, desk));
  TACIT_ASSIGN_OR_RETURN(Trainer trainer, Trainer::create(config, data.training, planned.plan));
  TACIT_ASSIGN_OR_RETURN(const Tensors tensors, tensors_of(data, config, trainer));
  TACIT_ASSIGN_OR_RETURN(const RunFolder folder, options.resume
                                                     ? RunFolder::open(config.output.checkpoint)
                                                     : RunFolder::begin(config.output.checkpoint));
  TACIT_ASSIGN_OR_RETURN(const auto checkpoint, folder.checkpoint());
  std::string state;
  if (checkpoint) {
    TACIT_ASSIGN_OR_RETURN(state, trainer.restore(*checkpoint, folder.path().string()));
  }
  TACIT_ASSIGN_OR_RETURN(
      train::PrivateSgd run,
      train::begin_or_resume(planned.plan, trainer.parameters(), *desk.ledger,
                             {.account = desk.account.id, .who = desk.who, .note = note_of(config)},
                             folder, {}));
  if (checkpoint) TACIT_RETURN_IF_ERROR(run.restore(state));
  TACIT_RETURN_IF_ERROR(train_safely(run, trainer, tensors, config, folder));
  TACIT_RETURN_IF_ERROR(cli::write_text_file(config.output.model, trainer.model_archive()));
  Outcome out{.entry = run.entry(), .parameters = trainer.parameter_count()};
  if (!tensors.test) return out;
  if (planned.accuracy && config.test) {
    TACIT_ASSIGN_OR_RETURN(out.told, tell_accuracy(*planned.accuracy, config.test->source, desk,
                                                   out.entry, trainer, *tensors.test));
  } else {
    out.accuracy = trainer.accuracy(*tensors.test);
    out.test_examples = tensors.test->size();
  }
  return out;
}

}  // namespace

Result<void> run(const cli::TrainOptions& options, cli::Session& session) {
  TACIT_ASSIGN_OR_RETURN(const Config config, Config::read(options.config));
  TACIT_ASSIGN_OR_RETURN(Desk desk, Desk::open(config, options, session));
  TACIT_ASSIGN_OR_RETURN(const Planned planned, plan_run(config, desk));
  if (options.plan) {
    if (session.json) {
      session.print(plan_json(config, desk, planned));
      return {};
    }
    TACIT_ASSIGN_OR_RETURN(const std::string text, plan_text(config, desk, planned));
    session.print(text);
    return {};
  }
  TACIT_RETURN_IF_ERROR(check_folder(config.output, options.resume));
  if (!options.resume) TACIT_RETURN_IF_ERROR(check_affordable(config, planned));
  TACIT_RETURN_IF_ERROR(cli::check_writable(config.output.model, "[output] model"));
  if (!options.certificate.empty()) {
    TACIT_RETURN_IF_ERROR(cli::check_writable(options.certificate, "--certificate"));
  }
  TACIT_ASSIGN_OR_RETURN(const Outcome outcome, train_model(config, options, desk, planned));
  TACIT_ASSIGN_OR_RETURN(desk.account, desk.ledger->account(desk.account.id));
  if (!options.certificate.empty()) {
    TACIT_ASSIGN_OR_RETURN(const std::string made, certificate(config, desk, planned, outcome));
    TACIT_RETURN_IF_ERROR(cli::write_text_file(options.certificate, made));
  }
  if (session.json) {
    TACIT_ASSIGN_OR_RETURN(const nlohmann::json told, outcome_json(config, desk, planned, outcome));
    session.print(told);
  } else {
    TACIT_ASSIGN_OR_RETURN(const std::string told, outcome_text(config, desk, planned, outcome));
    session.print(told);
  }
  return {};
}

}  // namespace tacit::training
