#include "tacit/attacks/shared_pseudonyms.h"

#include <gtest/gtest.h>

#include "tacit/anonymize/choice.h"
#include "tacit/anonymize/publish.h"
#include "tacit/anonymize/testing/small_table.h"
#include "tacit/random/secure_stream.h"

namespace tacit::attacks {
namespace {

using anonymize::testing::engine_with_files;

TEST(SharedPseudonyms, AreThoseOfTheSameKey) {
  const Scratch folder;
  anonymize::testing::write_patients(folder / "patients.csv");
  const auto policy = anonymize::testing::patient_policy("k = 2\n");
  Engine engine = engine_with_files();
  const auto data = anonymize::Microdata::read(engine, folder / "patients.csv", policy).value();
  const auto choice = anonymize::choose(data, policy).value();
  auto stream = SecureStream::create().value();
  const auto key = anonymize::PseudonymKey::create(stream);
  ASSERT_TRUE(anonymize::publish(engine, data, policy, choice, key, {}, folder / "safe.csv"));

  const auto same = shared_pseudonyms(engine, data, policy, key, folder / "safe.csv");
  ASSERT_TRUE(same) << same.error().message();
  ASSERT_EQ(same->size(), 1U);
  EXPECT_EQ(same->front().column, "id");
  EXPECT_EQ(same->front().rows, choice.risk.rows);
  const auto other = anonymize::PseudonymKey::create(stream);
  EXPECT_TRUE(shared_pseudonyms(engine, data, policy, other, folder / "safe.csv")->empty());
}

}  // namespace
}  // namespace tacit::attacks
