#pragma once

#include <cstdint>
#include <functional>

namespace tacit {

// How long work tells how far it is: called with what is done and what there is in all, as often as
// the worker likes, from one thread. May be empty. (The command draws a bar; a library user may do
// what he likes.)
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

}  // namespace tacit
