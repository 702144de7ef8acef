#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tacit/anonymize/csv_text.h"
#include "tacit/anonymize/microdata.h"
#include "tacit/data/engine.h"
#include "tacit/ledger/testing/scratch.h"

// A table of patients in a file, and policies for it.
namespace tacit::anonymize::testing {

inline Engine engine_with_files() {
  auto engine = Engine::duckdb_in_memory(Engine::Files::kAllowed);
  if (!engine) ADD_FAILURE() << engine.error().message();
  return *std::move(engine);
}

// 600 rows: ages 20 to 59, two sexes, four wards (one missing), the number of the row.
inline void write_patients(const std::filesystem::path& file) {
  std::ofstream out(file);
  out << "id,age,sex,ward,row,illness\n";
  for (int i = 0; i < 600; ++i) {
    const char* const wards[] = {"north", "south", "\"east, old\"", ""};
    const char* const illnesses[] = {"flu", "cold", "gout"};
    out << "p" << i << ',' << 20 + i * 7 % 40 << ',' << (i % 3 == 0 ? "m" : "f") << ','
        << wards[i % 11 % 4] << ',' << i << ',' << illnesses[i % 7 % 3] << '\n';
  }
}

inline Policy patient_policy(const std::string& privacy) {
  auto policy = Policy::parse(R"([columns]
id = {role = "identifier", pseudonym = true}
age = {role = "quasi-identifier", hierarchy = {intervals = [5, 10, 20]}}
sex = "quasi-identifier"
ward = "quasi-identifier"
row = "other"
illness = {role = "sensitive", criteria = {distinct_l = 2}}
[privacy]
)" + privacy,
                              "policy.toml");
  if (!policy) ADD_FAILURE() << policy.error().message();
  return *std::move(policy);
}

inline std::vector<Fields> lines_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  return parse_csv(text, ',', file.string()).value();
}

}  // namespace tacit::anonymize::testing
