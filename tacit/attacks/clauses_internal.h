#pragma once

#include <cadical.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tacit::attacks {

// A variable, or minus it: its negation.
using Literal = int;

// A formula in conjunctive normal form that grows by constraints, and its solver.
class Clauses {
 public:
  Literal variable() { return ++variables_; }
  void add(std::initializer_list<Literal> clause);
  void add(std::span<const Literal> clause);

  // A literal that holds where all of these do.
  Literal all_of(std::span<const Literal> literals);
  // A literal that holds where one of these does.
  Literal any_of(std::span<const Literal> literals);

  // counts[i][j] holds where more than j of the first i + 1 literals do, for j below `most` (a
  // sequential counter, Sinz 2005).
  std::vector<std::vector<Literal>> counts(std::span<const Literal> literals, std::size_t most);
  void at_least(std::span<const Literal> literals, std::size_t count);
  void at_most(std::span<const Literal> literals, std::size_t count);

  struct Number {
    std::vector<Literal> bits;  // the lowest first
  };
  Number sum(std::span<const Number> numbers);
  void at_least(const Number& number, std::uint64_t bound);
  void at_most(const Number& number, std::uint64_t bound);

  enum class Answer : std::uint8_t { kSatisfied, kImpossible, kUnknown };
  // Gives up after so many conflicts.
  Answer solve(int conflicts);
  // Of the last satisfied answer.
  bool holds(Literal literal) { return solver_.val(literal) > 0; }

  [[nodiscard]] int variables() const { return variables_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  Number sum(const Number& one, const Number& other);
  Literal exclusive(Literal a, Literal b, Literal c);
  Literal majority(Literal a, Literal b, Literal c);

  CaDiCaL::Solver solver_;
  int variables_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace tacit::attacks
