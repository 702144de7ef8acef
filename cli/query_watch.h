#pragma once

#include <string>
#include <thread>

#include "tacit/data/engine.h"

namespace tacit::cli {

// Holds the interrupt of Ctrl-C while it lives, and tells whether it came. One at a time, and none
// beside a QueryWatch.
class InterruptWatch {
 public:
  InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  [[nodiscard]] bool has_come() const;
};

// Stands by while an engine works: shows on a terminal how long it takes, and turns the interrupt
// of Ctrl-C into Engine::cancel. One at a time; the engine must outlive it.
class QueryWatch {
 public:
  QueryWatch(Engine& engine, std::string label);
  QueryWatch(const QueryWatch&) = delete;
  QueryWatch& operator=(const QueryWatch&) = delete;
  ~QueryWatch();

 private:
  void watch(const std::stop_token& stop) const;

  Engine& engine_;
  std::string label_;
  std::jthread thread_;
};

}  // namespace tacit::cli
