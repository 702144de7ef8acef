#include "cli/ledger_access.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>

namespace tacit::cli {

namespace {

Result<std::filesystem::path> current_folder() {
  std::error_code error;
  std::filesystem::path here = std::filesystem::current_path(error);
  if (error) return world_failed("the current folder is gone", {}, "change to one that exists");
  return here;
}

}  // namespace

Result<Workspace> workspace_of(const Session& session) {
  if (!session.workspace.empty()) return Workspace::read(session.workspace);
  TACIT_ASSIGN_OR_RETURN(const std::filesystem::path here, current_folder());
  return Workspace::find(here);
}

Result<std::optional<Workspace>> workspace_if_any(const Session& session) {
  if (!session.workspace.empty()) return Workspace::read(session.workspace);
  TACIT_ASSIGN_OR_RETURN(const std::filesystem::path here, current_folder());
  return Workspace::find_if_any(here);
}

void Writer::add_options(CLI::App& verb) {
  verb.add_option("--as", as, "Your name in the log; a claim, not a login")->type_name("NAME");
  verb.add_option("--key", key_file, "Ed25519 key that signs entries")
      ->type_name("FILE")
      ->envname("TACIT_KEY");
}

std::string Writer::name() const {
  if (!as.empty()) return as;
  const uid_t user = ::geteuid();
  const passwd* const account = ::getpwuid(user);
  return account == nullptr ? fmt::format("uid {}", user) : account->pw_name;
}

Result<Ledger::Options> Writer::options() const {
  Ledger::Options options;
  if (!key_file.empty()) {
    TACIT_ASSIGN_OR_RETURN(options.key, SigningKey::read(key_file));
  }
  return options;
}

Result<Rational> number(const std::string& text, std::string_view option) {
  auto value = Rational::parse(text);
  if (!value) return bad_input(value.error().what, std::string(option), value.error().remedy);
  return value;
}

Result<std::string> read_small_file(const std::string& name) {
  constexpr std::size_t kLargest = std::size_t{1} << 24;
  std::ifstream file;
  if (name != "-") {
    file.open(name, std::ios::binary);
    if (!file) return bad_input("cannot be read", name, "is it there, and may you read it?");
  }
  std::istream& stream = name == "-" ? std::cin : file;
  std::string text(kLargest + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) return world_failed("reading failed", name);
  if (text.size() > kLargest) return bad_input("too large for a cost", name);
  return text;
}

}  // namespace tacit::cli
