#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "tacit/base/error.h"

namespace tacit {

// An Ed25519 signature (RFC 8032).
struct Signature {
  std::array<std::uint8_t, 64> bytes{};

  static Result<Signature> parse(std::string_view hex);
  [[nodiscard]] std::string hex() const;
  bool operator==(const Signature&) const = default;
};

// The public half of a steward's key: 32 bytes.
struct PublicKey {
  std::array<std::uint8_t, 32> bytes{};

  static Result<PublicKey> parse(std::string_view hex);
  [[nodiscard]] std::string hex() const;
  [[nodiscard]] bool verifies(std::string_view message, const Signature& signature) const;
  bool operator==(const PublicKey&) const = default;
};

// The steward's key. Copies share it; it is wiped when the last is gone. Safe to use from several
// threads.
class SigningKey {
 public:
  static Result<SigningKey> generate();
  // A PEM file (PKCS #8), as `openssl genpkey -algorithm ed25519` writes it.
  static Result<SigningKey> read(const std::filesystem::path& file);
  // Writes such a file, readable by its owner alone. Refuses to overwrite.
  [[nodiscard]] Result<void> write(const std::filesystem::path& file) const;

  [[nodiscard]] PublicKey public_key() const { return public_key_; }
  [[nodiscard]] Result<Signature> sign(std::string_view message) const;

 private:
  struct Handle;
  explicit SigningKey(std::shared_ptr<const Handle> handle, PublicKey public_key)
      : handle_(std::move(handle)), public_key_(public_key) {}

  std::shared_ptr<const Handle> handle_;
  PublicKey public_key_;
};

}  // namespace tacit
