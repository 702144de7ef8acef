#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/attacks/subset_sums.h"

namespace tacit::attacks {

// Released sums as a CSV file tells them: a line for each, with the column `sum`, if there is noise
// its deviation in the column `noise`, and a column for each person, 1 for a member and 0 or
// nothing else. In a line with the word "truth" for a sum, people have their true values.
//
//   sum,noise,Ann,Bob,Cleo
//   31.2,2,1,1,1
//   truth,,11,9,10
struct SumsFile {
  std::vector<std::string> people;
  SubsetSums released;
  std::vector<double> noise;  // of each sum; 0 where it is exact
  std::vector<double> truth;  // of each person; empty where it is not known

  // `file` names it in errors.
  static Result<SumsFile> parse(std::string_view text, const std::filesystem::path& file);
  static Result<SumsFile> read(const std::filesystem::path& file);

  [[nodiscard]] bool is_exact() const;
};

}  // namespace tacit::attacks
