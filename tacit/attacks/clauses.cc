#include <algorithm>

#include "tacit/attacks/clauses_internal.h"

namespace tacit::attacks {

void Clauses::add(std::span<const Literal> clause) {
  for (const Literal literal : clause) solver_.add(literal);
  solver_.add(0);
  ++size_;
}

void Clauses::add(std::initializer_list<Literal> clause) {
  add(std::span(clause.begin(), clause.size()));
}

Literal Clauses::all_of(std::span<const Literal> literals) {
  std::vector<Literal> negations;
  for (const Literal literal : literals) negations.push_back(-literal);
  return -any_of(negations);
}

Literal Clauses::any_of(std::span<const Literal> literals) {
  if (literals.size() == 1) return literals.front();
  const Literal any = variable();
  std::vector<Literal> clause(literals.begin(), literals.end());
  clause.push_back(-any);
  add(clause);
  for (const Literal literal : literals) add({-literal, any});
  return any;
}

std::vector<std::vector<Literal>> Clauses::counts(std::span<const Literal> literals,
                                                  std::size_t most) {
  std::vector<std::vector<Literal>> out;
  for (std::size_t i = 0; i < literals.size(); ++i) {
    std::vector<Literal>& row = out.emplace_back();
    for (std::size_t j = 0; j < std::min(i + 1, most); ++j) {
      // More than j: they were before, or j were and this one is another.
      const Literal more = row.emplace_back(variable());
      const bool before = i > 0 && j < out[i - 1].size();
      const bool fewer = j > 0;
      const Literal was = before ? out[i - 1][j] : 0;
      const Literal nearly = fewer ? out[i - 1][j - 1] : 0;
      if (before) add({-was, more});
      if (fewer) {
        add({-literals[i], -nearly, more});
      } else {
        add({-literals[i], more});
      }
      if (before) {
        add({-more, was, literals[i]});
        if (fewer) add({-more, was, nearly});
      } else {
        add({-more, literals[i]});
        if (fewer) add({-more, nearly});
      }
    }
  }
  return out;
}

void Clauses::at_least(std::span<const Literal> literals, std::size_t count) {
  if (count == 0) return;
  if (count > literals.size()) return add({});
  add({counts(literals, count).back()[count - 1]});
}

void Clauses::at_most(std::span<const Literal> literals, std::size_t count) {
  if (count >= literals.size()) return;
  add({-counts(literals, count + 1).back()[count]});
}

Literal Clauses::exclusive(Literal a, Literal b, Literal c) {
  const Literal odd = variable();
  add({-a, -b, -c, odd});
  add({-a, b, c, odd});
  add({a, -b, c, odd});
  add({a, b, -c, odd});
  add({a, b, c, -odd});
  add({a, -b, -c, -odd});
  add({-a, b, -c, -odd});
  add({-a, -b, c, -odd});
  return odd;
}

Literal Clauses::majority(Literal a, Literal b, Literal c) {
  const Literal most = variable();
  add({-a, -b, most});
  add({-a, -c, most});
  add({-b, -c, most});
  add({a, b, -most});
  add({a, c, -most});
  add({b, c, -most});
  return most;
}

Clauses::Number Clauses::sum(const Number& one, const Number& other) {
  const Literal never = variable();
  add({-never});
  Number out;
  Literal carry = never;
  for (std::size_t bit = 0; bit < std::max(one.bits.size(), other.bits.size()); ++bit) {
    const Literal a = bit < one.bits.size() ? one.bits[bit] : never;
    const Literal b = bit < other.bits.size() ? other.bits[bit] : never;
    out.bits.push_back(exclusive(a, b, carry));
    carry = majority(a, b, carry);
  }
  out.bits.push_back(carry);
  return out;
}

Clauses::Number Clauses::sum(std::span<const Number> numbers) {
  if (numbers.empty()) return {};
  if (numbers.size() == 1) return numbers.front();
  const std::size_t half = numbers.size() / 2;
  return sum(sum(numbers.first(half)), sum(numbers.subspan(half)));
}

// Where all higher bits agree with the bound, a bit that the bound has is needed, or one below.
void Clauses::at_least(const Number& number, std::uint64_t bound) {
  if (number.bits.size() < 64 && bound >> number.bits.size() != 0) return add({});
  for (std::size_t bit = 0; bit < number.bits.size(); ++bit) {
    if ((bound >> bit & 1U) == 0) continue;
    std::vector<Literal> clause{number.bits[bit]};
    for (std::size_t higher = bit + 1; higher < number.bits.size(); ++higher) {
      if ((bound >> higher & 1U) == 0) clause.push_back(number.bits[higher]);
    }
    add(clause);
  }
}

void Clauses::at_most(const Number& number, std::uint64_t bound) {
  if (number.bits.size() < 64 && bound >> number.bits.size() != 0) return;
  for (std::size_t bit = 0; bit < number.bits.size(); ++bit) {
    if ((bound >> bit & 1U) != 0) continue;
    std::vector<Literal> clause{-number.bits[bit]};
    for (std::size_t higher = bit + 1; higher < number.bits.size(); ++higher) {
      if ((bound >> higher & 1U) != 0) clause.push_back(-number.bits[higher]);
    }
    add(clause);
  }
}

Clauses::Answer Clauses::solve(int conflicts) {
  solver_.limit("conflicts", conflicts);
  switch (solver_.solve()) {
    case 10:
      return Answer::kSatisfied;
    case 20:
      return Answer::kImpossible;
    default:
      return Answer::kUnknown;
  }
}

}  // namespace tacit::attacks
