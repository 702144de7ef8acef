#include "cli/train_options.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
Trains a model on rows or images by private stochastic gradient descent. One
row (or image) is the unit. The whole run is charged before the first step; what
is refused (bad files, labels out of range, a budget too small) costs nothing.

CONFIG says what is read, which model, at what price, and how it is trained:

  [data]                           [privacy]
  table = "people"                 epsilon = 1
  label = "income"                 delta = 1e-6
  examples = 32561                 clip = 1
  [test]                           [training]
  table = "people_test"            batch_size = 512
  [model]                          epochs = 20
  kind = "logistic"                learning_rate = 0.5
                                   [output]
                                   model = "income.pt"

Instead of a table: images and labels (IDX files, also .gz), or a folder with a
folder of JPEG or PNG files for each class. Models: logistic, mlp, cnn, resnet,
scattering.
Accuracy is shown on test data that is declared public; on private test data it
is told once, with noise, where [test] gives it an epsilon of its own.

More keys, each explained in docs/train.md:
  [data]          features, missing; images, labels, classes; folder, size,
                  resize, color, mean, deviation
  [test]          public; epsilon, examples
  [augmentation]  flip, crop, views
  [model]         activation, normalization, hidden, width, blocks
  [privacy]       dataset, noise, noise_schedule; sampler, largest_batch;
                  mixed_precision; clipping, clip_schedule, quantile,
                  clip_learning_rate, count_noise
  [training]      steps, batch_schedule, learning_rate_schedule, optimizer,
                  momentum, weight_decay, weight_average, seed, device,
                  physical_batch, memory_mib
  [output]        checkpoint, checkpoint_every

Ctrl-C leaves a checkpoint, from which --resume goes on without a new charge.
Training itself is done by the program tacit-train, which has PyTorch inside:
'make train' builds it.

Examples:
  tacit train digits.toml --plan
  tacit train digits.toml --certificate digits.json
  tacit train digits.toml --resume)";

}  // namespace

const char* train_manual() { return kManual; }

void TrainOptions::add_options(CLI::App& verb) {
  verb.add_option("config", config, "A TOML file that says what to train")
      ->required()
      ->type_name("CONFIG");
  verb.add_flag("--plan", plan, "Only say what it would cost; reads no row");
  verb.add_flag("--resume", resume, "Go on with a run that was interrupted or killed");
  verb.add_option("--certificate", certificate, "Write what was proved about the model")
      ->type_name("FILE");
  writer.add_options(verb);
}

std::vector<std::string> TrainOptions::arguments(const Session& session) const {
  std::vector<std::string> out;
  const auto option = [&](const char* name, const std::string& value) {
    if (!value.empty()) out.push_back(std::string(name) + "=" + value);
  };
  const auto flag = [&](const char* name, bool is_set) {
    if (is_set) out.emplace_back(name);
  };
  flag("--plan", plan);
  flag("--resume", resume);
  flag("--json", session.json);
  option("--certificate", certificate);
  option("--as", writer.as);
  option("--key", writer.key_file);
  option("--workspace", session.workspace);
  out.emplace_back("--");
  out.push_back(config);
  return out;
}

}  // namespace tacit::cli
