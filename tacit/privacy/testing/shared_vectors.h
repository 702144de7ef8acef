#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/folders.h"

namespace tacit {

// The reference values of vectors/accounting.json, found under TACIT_SHARED. Tests derived from
// this are skipped, and say so, where the file is not there.
class SharedVectors : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto folder = folders::shared();
    std::ifstream file(folder / "vectors/accounting.json");
    if (!file) GTEST_SKIP() << "no reference values under " << folder << "; set TACIT_SHARED";
    vectors_ = nlohmann::json::parse(file);
  }

  nlohmann::json vectors_;
};

}  // namespace tacit
