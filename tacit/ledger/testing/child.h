#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <vector>

namespace tacit {

// A process that runs one function, and tells its parent numbers through a pipe. What it told
// before it died is not lost.
class Child {
 public:
  // Says a number to the parent: one write, whole or not at all.
  using Tell = std::function<void(std::uint64_t)>;

  explicit Child(const std::function<void(const Tell&)>& run) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    process_ = ::fork();
    if (process_ < 0) throw std::runtime_error("no process");
    if (process_ == 0) {
      ::close(ends[0]);
      run([&](std::uint64_t number) {
        if (::write(ends[1], &number, sizeof number) != sizeof number) ::_exit(9);
      });
      ::_exit(0);
    }
    ::close(ends[1]);
    told_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill();
    join();
    ::close(told_);
  }

  void kill() const {
    if (process_ > 0) ::kill(process_, SIGKILL);
  }

  // Waits for one number; false where the process ended without.
  bool hear(std::uint64_t& number) const {
    return ::read(told_, &number, sizeof number) == sizeof number;
  }

  // Waits for the end. All that was told and not yet heard.
  std::vector<std::uint64_t> join() {
    std::vector<std::uint64_t> numbers;
    std::uint64_t number = 0;
    while (hear(number)) numbers.push_back(number);
    if (process_ > 0) ::waitpid(process_, &status_, 0);
    process_ = 0;
    return numbers;
  }
  [[nodiscard]] bool ended_well() const { return WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }

 private:
  pid_t process_ = 0;
  int told_ = -1;
  int status_ = 0;
};

}  // namespace tacit
