#include "tacit/ledger/signing_key.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tacit/ledger/testing/scratch.h"

namespace tacit {
namespace {

// RFC 8032, section 7.1, test 2.
TEST(PublicKey, VerifiesAVectorOfTheStandard) {
  const PublicKey key =
      PublicKey::parse("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c").value();
  const Signature signature =
      Signature::parse(
          "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
          "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")
          .value();
  EXPECT_TRUE(key.verifies("\x72", signature));
  EXPECT_FALSE(key.verifies("\x73", signature));
}

TEST(SigningKey, SignsWhatItsPublicHalfVerifies) {
  const SigningKey key = SigningKey::generate().value();
  const Signature signature = key.sign("an entry").value();
  EXPECT_TRUE(key.public_key().verifies("an entry", signature));
  EXPECT_FALSE(key.public_key().verifies("another", signature));
  EXPECT_FALSE(SigningKey::generate()->public_key().verifies("an entry", signature));
}

TEST(SigningKey, SurvivesItsFile) {
  const Scratch scratch;
  const auto file = scratch / "steward.pem";
  const SigningKey key = SigningKey::generate().value();
  ASSERT_TRUE(key.write(file));
  EXPECT_EQ(SigningKey::read(file)->public_key(), key.public_key());
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(key.write(file).error().kind, ErrorKind::kBadInput) << "must not overwrite";
}

TEST(SigningKey, RefusesWhatIsNoKey) {
  const Scratch scratch;
  EXPECT_EQ(SigningKey::read(scratch / "missing").error().kind, ErrorKind::kBadInput);
  std::ofstream(scratch / "text") << "hello";
  EXPECT_EQ(SigningKey::read(scratch / "text").error().kind, ErrorKind::kBadInput);
}

}  // namespace
}  // namespace tacit
