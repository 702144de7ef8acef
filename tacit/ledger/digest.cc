#include "tacit/ledger/digest.h"

#include <openssl/sha.h>

#include "tacit/ledger/hex_internal.h"

namespace tacit {

Digest Digest::of(std::string_view text) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.bytes.data());
  return digest;
}

Result<Digest> Digest::parse(std::string_view hex) {
  Digest digest;
  if (!from_hex(hex, digest.bytes)) {
    return bad_input("not a digest: \"" + std::string(hex.substr(0, 80)) + "\"", {},
                     "a digest is 64 hexadecimal digits");
  }
  return digest;
}

std::string Digest::hex() const { return to_hex(bytes); }

}  // namespace tacit
