#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/train_options.h"

namespace tacit::cli {
namespace {

constexpr const char* kProgram = "tacit-train";
constexpr const char* kVariable = "TACIT_TRAIN_PROGRAM";

// As git finds its own: where the variable says, beside this command, or on PATH.
std::string train_program() {
  if (const char* const named = std::getenv(kVariable)) return named;
  std::error_code error;
  const auto command = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = command.parent_path() / kProgram;
  return !error && ::access(beside.c_str(), X_OK) == 0 ? beside.string() : kProgram;
}

// This process becomes the program, so that signals and its exit status need no carrying over.
Result<void> become(const std::string& program, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), kProgram);
  std::vector<char*> raw;
  for (std::string& each : arguments) raw.push_back(each.data());
  raw.push_back(nullptr);
  ::execvp(program.c_str(), raw.data());
  if (errno == ENOENT) {
    return world_failed(
        fmt::format("training needs the program {}, which is not here", kProgram), "train",
        fmt::format("run 'make train' in Tacit's sources (it fetches PyTorch), or set {}",
                    kVariable));
  }
  return world_failed(fmt::format("cannot be run: {}", std::strerror(errno)), program);
}

}  // namespace

void add_train(CLI::App& app, Session& session) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* const verb =
      add_verb(app, session, "train", "Train a model on private rows or images", train_manual());
  options->add_options(*verb);
  session.on(verb,
             [options, &session] { return become(train_program(), options->arguments(session)); });
}

}  // namespace tacit::cli
