#include "tacit/ledger/signing_key.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tacit/ledger/hex_internal.h"

namespace tacit {
namespace {

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using Key = std::unique_ptr<EVP_PKEY, FreeKey>;
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;
using File = std::unique_ptr<std::FILE, CloseFile>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Result<PublicKey> public_half(EVP_PKEY* key, const std::string& where) {
  PublicKey half;
  std::size_t size = half.bytes.size();
  if (EVP_PKEY_get_id(key) != EVP_PKEY_ED25519 ||
      EVP_PKEY_get_raw_public_key(key, half.bytes.data(), &size) != 1) {
    return bad_input("the key is not an Ed25519 key", where,
                     "make one with: openssl genpkey -algorithm ed25519 -out FILE");
  }
  return half;
}

// A key file must not ask for a password on the terminal of a server.
int no_password(char*, int, int, void*) { return -1; }

}  // namespace

struct SigningKey::Handle {
  Key key;
};

Result<Signature> Signature::parse(std::string_view hex) {
  Signature signature;
  if (!from_hex(hex, signature.bytes)) {
    return bad_input("not an Ed25519 signature: 128 hexadecimal digits are needed");
  }
  return signature;
}

std::string Signature::hex() const { return to_hex(bytes); }

Result<PublicKey> PublicKey::parse(std::string_view hex) {
  PublicKey key;
  if (!from_hex(hex, key.bytes)) {
    return bad_input("not an Ed25519 public key: 64 hexadecimal digits are needed");
  }
  return key;
}

std::string PublicKey::hex() const { return to_hex(bytes); }

bool PublicKey::verifies(std::string_view message, const Signature& signature) const {
  const Key key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes.data(), bytes.size()));
  const Context context(EVP_MD_CTX_new());
  return key && context &&
         EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), signature.bytes.data(), signature.bytes.size(),
                          bytes_of(message), message.size()) == 1;
}

Result<SigningKey> SigningKey::generate() {
  Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  if (!key) return world_failed("OpenSSL could not make an Ed25519 key");
  TACIT_ASSIGN_OR_RETURN(const PublicKey half, public_half(key.get(), {}));
  return SigningKey(std::make_shared<const Handle>(std::move(key)), half);
}

Result<SigningKey> SigningKey::read(const std::filesystem::path& path) {
  const File file(std::fopen(path.c_str(), "re"));
  if (!file) return bad_input(std::strerror(errno), path.string(), "give the steward's key file");
  Key key(PEM_read_PrivateKey(file.get(), nullptr, no_password, nullptr));
  if (!key) {
    return bad_input("no private key in PEM form", path.string(),
                     "make one with: openssl genpkey -algorithm ed25519 -out FILE");
  }
  TACIT_ASSIGN_OR_RETURN(const PublicKey half, public_half(key.get(), path.string()));
  return SigningKey(std::make_shared<const Handle>(std::move(key)), half);
}

Result<void> SigningKey::write(const std::filesystem::path& path) const {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return bad_input(std::strerror(errno), path.string(), "name a file that does not exist yet");
  }
  std::FILE* const file = ::fdopen(descriptor, "w");
  if (file == nullptr) {
    ::close(descriptor);
    return world_failed(std::strerror(errno), path.string());
  }
  const bool written = PEM_write_PKCS8PrivateKey(file, handle_->key.get(), nullptr, nullptr, 0,
                                                 nullptr, nullptr) == 1 &&
                       std::fflush(file) == 0 && ::fsync(descriptor) == 0;
  if (std::fclose(file) != 0 || !written) {
    return world_failed("the key could not be written", path.string());
  }
  return {};
}

Result<Signature> SigningKey::sign(std::string_view message) const {
  Signature signature;
  std::size_t size = signature.bytes.size();
  const Context context(EVP_MD_CTX_new());
  if (!context ||
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, handle_->key.get()) != 1 ||
      EVP_DigestSign(context.get(), signature.bytes.data(), &size, bytes_of(message),
                     message.size()) != 1) {
    return world_failed("OpenSSL could not sign the entry");
  }
  return signature;
}

}  // namespace tacit
