#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tacit/base/error.h"
#include "tacit/random/secure_stream.h"

namespace tacit::anonymize {

// The secret by which identifiers become pseudonyms: the same value gives the same pseudonym, and
// without the key nobody can tell which. Whoever has it can try values, so it is kept apart from
// what is published.
//
// A pseudonym is HMAC's construction over SHA-256 (Bellare, Canetti and Krawczyk, 1996) with two
// independent keys that each fill a block: outer hash of the outer key and the inner hash of the
// inner key and the value. That is NMAC, whose proof needs no more of SHA-256 than that its
// compression function is pseudorandom (Bellare, 2006). Half of its bits are kept.
class PseudonymKey {
 public:
  static PseudonymKey create(SecureStream& stream);
  static Result<PseudonymKey> read(const std::filesystem::path& file);
  // Readable by its owner alone. Never replaces a file.
  [[nodiscard]] Result<void> save_new(const std::filesystem::path& file) const;

  // The pseudonym of a value of the column of that name, in DuckDB's SQL; NULL where it is NULL.
  [[nodiscard]] std::string pseudonym(std::string_view operand, std::string_view column) const;

 private:
  // Of SHA-256 in bytes; keys are that many hexadecimal digits, 256 bits.
  static constexpr std::size_t kBlock = 64;

  PseudonymKey(std::string inner, std::string outer)
      : inner_(std::move(inner)), outer_(std::move(outer)) {}

  std::string inner_;
  std::string outer_;
};

}  // namespace tacit::anonymize
