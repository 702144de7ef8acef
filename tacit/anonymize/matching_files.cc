#include "tacit/anonymize/matching_files.h"

#include <fnmatch.h>
#include <glob.h>

#include <algorithm>
#include <string>
#include <system_error>

namespace tacit::anonymize {

bool is_pattern(const std::filesystem::path& name) {
  std::error_code error;
  return name.string().find_first_of("*?[") != std::string::npos &&
         !std::filesystem::exists(name, error);
}

Result<std::vector<std::filesystem::path>> matching_files(const std::filesystem::path& name) {
  if (!is_pattern(name)) return std::vector{name};
  std::vector<std::filesystem::path> out;
  glob_t found{};
  if (::glob(name.c_str(), 0, nullptr, &found) == 0) {
    out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);  // NOLINT: the C library's array
  }
  ::globfree(&found);
  std::error_code error;
  std::erase_if(out, [&](const auto& file) { return std::filesystem::is_directory(file, error); });
  if (!out.empty()) return out;
  return bad_input("no file has a name of this pattern", name.string(),
                   "check the folder and the ending; quote a pattern, so that the shell leaves it "
                   "as it is");
}

bool is_matched(const std::filesystem::path& name, const std::filesystem::path& file) {
  std::error_code error;
  if (!is_pattern(name)) return std::filesystem::equivalent(name, file, error);
  const auto absolute = [&](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(path.parent_path().empty() ? "." : path.parent_path(),
                                             error) /
           path.filename();
  };
  if (::fnmatch(absolute(name).c_str(), absolute(file).c_str(), FNM_PATHNAME) == 0) return true;
  const auto files = matching_files(name);
  return files && std::ranges::any_of(*files, [&](const auto& each) {
           return std::filesystem::equivalent(each, file, error);
         });
}

}  // namespace tacit::anonymize
