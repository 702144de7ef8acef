#include "tacit/learn/pate/teachers.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstring>

namespace tacit::learn {

Result<Teachers> Teachers::create(std::uint64_t teachers, SecureStream& stream) {
  if (teachers < 1 || teachers > (std::uint64_t{1} << 31)) {
    return bad_input("the number of teachers is not from 1 to 2^31", "teachers",
                     "some hundreds are usual");
  }
  Key key{};
  stream.fill(key);
  return Teachers(teachers, key);
}

std::uint64_t Teachers::of(std::string_view unit) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  HMAC(EVP_sha256(), key_.data(), sizeof(key_), reinterpret_cast<const unsigned char*>(unit.data()),
       unit.size(), digest.data(), &length);
  std::uint64_t word = 0;
  std::memcpy(&word, digest.data(), sizeof(word));
  // Uneven by less than 2^-32, which concerns balance and not privacy.
  return word % count_;
}

}  // namespace tacit::learn
