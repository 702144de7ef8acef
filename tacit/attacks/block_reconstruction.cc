#include "tacit/attacks/block_reconstruction.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "tacit/attacks/clauses_internal.h"

namespace tacit::attacks {
namespace {

// One person's variables.
struct Unknown {
  std::vector<Literal> older;                // older[v]: the age is above v
  std::vector<Literal> age_bits;             // the age in binary
  std::vector<std::vector<Literal>> values;  // one of each attribute
};

// The formula of a block. People stand in the order of their ages, and among equal ages of their
// values, so that each block has one solution and not one a permutation.
class Encoding {
 public:
  explicit Encoding(const Block& block) : block_(block) {
    for (std::uint64_t i = 0; i < block.people; ++i) people_.push_back(person());
    for (std::size_t i = 0; i + 1 < people_.size(); ++i) order(people_[i], people_[i + 1]);
  }

  void publish(const PublishedRow& row) {
    std::vector<Literal> members;
    for (const Unknown& person : people_) members.push_back(membership(person, row));
    clauses_.at_least(members, row.least);
    clauses_.at_most(members, row.most);
    if (row.median) publish_median(members, row.least, *row.median);
    if (row.mean) publish_mean(members, row, *row.mean);
  }

  Clauses::Answer solve(int conflicts) { return clauses_.solve(conflicts); }

  std::vector<BlockPerson> people() {
    std::vector<BlockPerson> out;
    for (const Unknown& unknown : people_) {
      BlockPerson& person = out.emplace_back();
      while (person.age < block_.oldest && clauses_.holds(unknown.older[person.age])) ++person.age;
      for (const auto& values : unknown.values) {
        std::size_t value = 0;
        while (!clauses_.holds(values[value])) ++value;
        person.values.push_back(value);
      }
    }
    return out;
  }

  // Rules out these people.
  void forbid(const std::vector<BlockPerson>& people) {
    std::vector<Literal> other;
    for (std::size_t i = 0; i < people.size(); ++i) {
      const unsigned age = people[i].age;
      if (age > 0) other.push_back(-people_[i].older[age - 1]);
      if (age < block_.oldest) other.push_back(people_[i].older[age]);
      for (std::size_t a = 0; a < people[i].values.size(); ++a) {
        other.push_back(-people_[i].values[a][people[i].values[a]]);
      }
    }
    clauses_.add(other);
  }

  [[nodiscard]] int variables() const { return clauses_.variables(); }
  [[nodiscard]] std::uint64_t clauses() const { return clauses_.size(); }

 private:
  Unknown person() {
    Unknown out;
    for (unsigned v = 0; v < block_.oldest; ++v) {
      out.older.push_back(clauses_.variable());
      if (v > 0) clauses_.add({-out.older[v], out.older[v - 1]});
    }
    const auto bits = static_cast<std::size_t>(std::bit_width(block_.oldest));
    for (std::size_t bit = 0; bit < bits; ++bit) out.age_bits.push_back(clauses_.variable());
    for (unsigned age = 0; age <= block_.oldest; ++age) spell(out, age);
    for (const Block::Attribute& attribute : block_.attributes)
      out.values.push_back(one_of(attribute));
    return out;
  }

  // Where the person is of that age, these are its bits.
  void spell(const Unknown& person, unsigned age) {
    std::vector<Literal> another;
    if (age > 0) another.push_back(-person.older[age - 1]);
    if (age < block_.oldest) another.push_back(person.older[age]);
    for (std::size_t bit = 0; bit < person.age_bits.size(); ++bit) {
      std::vector<Literal> clause = another;
      clause.push_back((age >> bit & 1U) != 0 ? person.age_bits[bit] : -person.age_bits[bit]);
      clauses_.add(clause);
    }
  }

  std::vector<Literal> one_of(const Block::Attribute& attribute) {
    std::vector<Literal> out;
    for (std::size_t v = 0; v < attribute.values.size(); ++v) out.push_back(clauses_.variable());
    clauses_.add(out);
    clauses_.at_most(out, 1);
    return out;
  }

  void order(const Unknown& first, const Unknown& second) {
    std::vector<Literal> between{};
    for (unsigned v = 0; v < block_.oldest; ++v) {
      clauses_.add({-first.older[v], second.older[v]});
      const Literal here = clauses_.variable();
      clauses_.add({-here, -first.older[v]});
      clauses_.add({-here, second.older[v]});
      between.push_back(here);
    }
    // Strictly older, or else of the same or later values.
    Literal ordered = clauses_.any_of(between);
    for (std::size_t a = 0; a < first.values.size(); ++a) {
      ordered = order_values(first.values[a], second.values[a], ordered);
    }
  }

  // Unless already ordered, the second value is not earlier. Gives the literal for: ordered by now.
  Literal order_values(const std::vector<Literal>& first, const std::vector<Literal>& second,
                       Literal ordered) {
    const Literal later = clauses_.variable();
    for (std::size_t v = 0; v < first.size(); ++v) {
      std::vector<Literal> from_here{ordered, -first[v]};
      std::vector<Literal> beyond{-later, -first[v]};
      from_here.insert(from_here.end(), second.begin() + static_cast<std::ptrdiff_t>(v),
                       second.end());
      beyond.insert(beyond.end(), second.begin() + static_cast<std::ptrdiff_t>(v) + 1,
                    second.end());
      clauses_.add(from_here);
      clauses_.add(beyond);
    }
    const std::vector<Literal> either{ordered, later};
    return clauses_.any_of(either);
  }

  Literal membership(const Unknown& person, const PublishedRow& row) {
    std::vector<Literal> all;
    for (const auto& [attribute, value] : row.where) all.push_back(person.values[attribute][value]);
    if (row.youngest > 0) all.push_back(person.older[row.youngest - 1]);
    if (row.oldest && *row.oldest < block_.oldest) all.push_back(-person.older[*row.oldest]);
    return all.empty() ? always() : clauses_.all_of(all);
  }

  Literal always() {
    const Literal out = clauses_.variable();
    clauses_.add({out});
    return out;
  }

  // As people stand by age, the middle members are those where the count of members passes half.
  void publish_median(const std::vector<Literal>& members, std::uint64_t count, double median) {
    const auto counts = clauses_.counts(members, static_cast<std::size_t>(count));
    const auto lower = age_of_rank(members, counts, (count + 1) / 2);
    const auto upper = age_of_rank(members, counts, (count / 2) + 1);
    // Their ages sum to twice the median: lower > v just where upper < 2 median - v.
    const auto twice = static_cast<std::int64_t>(std::llround(2 * median));
    for (std::int64_t v = -1; v <= static_cast<std::int64_t>(block_.oldest); ++v) {
      const Literal is_above = older_than(lower, v);
      const Literal other_is_above = older_than(upper, twice - v - 1);
      clauses_.add({-is_above, -other_is_above});
      clauses_.add({is_above, other_is_above});
    }
  }

  // The ages above which the member of that rank, from 1, is.
  std::vector<Literal> age_of_rank(const std::vector<Literal>& members,
                                   const std::vector<std::vector<Literal>>& counts,
                                   std::uint64_t rank) {
    const auto index = static_cast<std::size_t>(rank - 1);
    std::vector<Literal> older;
    for (unsigned v = 0; v < block_.oldest; ++v) older.push_back(clauses_.variable());
    for (std::size_t i = index; i < members.size(); ++i) {
      std::vector<Literal> is_it{members[i], counts[i][index]};
      if (i > index) is_it.push_back(-counts[i - 1][index]);
      const Literal is_not = -clauses_.all_of(is_it);
      for (unsigned v = 0; v < block_.oldest; ++v) {
        clauses_.add({is_not, -people_[i].older[v], older[v]});
        clauses_.add({is_not, people_[i].older[v], -older[v]});
      }
    }
    return older;
  }

  Literal older_than(const std::vector<Literal>& older, std::int64_t v) {
    if (v < 0) return always();
    if (v >= static_cast<std::int64_t>(older.size())) return -always();
    return older[static_cast<std::size_t>(v)];
  }

  void publish_mean(const std::vector<Literal>& members, const PublishedRow& row, double mean) {
    std::vector<Clauses::Number> ages;
    for (std::size_t i = 0; i < members.size(); ++i) {
      Clauses::Number& age = ages.emplace_back();
      for (const Literal bit : people_[i].age_bits) {
        const std::vector<Literal> both{members[i], bit};
        age.bits.push_back(clauses_.all_of(both));
      }
    }
    const Clauses::Number sum = clauses_.sum(ages);
    const double rounding = 0.5 * std::pow(10.0, -row.decimals) * (1 + 1e-9);
    const auto count = static_cast<double>(row.least);
    const double least = std::ceil(count * (mean - rounding));
    clauses_.at_least(sum, least > 0 ? static_cast<std::uint64_t>(least) : 0);
    clauses_.at_most(sum, static_cast<std::uint64_t>(std::floor(count * (mean + rounding))));
  }

  const Block& block_;
  Clauses clauses_;
  std::vector<Unknown> people_;
};

Result<void> check(const Block& block, const PublishedRow& row) {
  const std::string where = "row \"" + row.label + "\"";
  for (const auto& [attribute, value] : row.where) {
    if (attribute >= block.attributes.size() ||
        value >= block.attributes[attribute].values.size()) {
      return bad_input("a condition names no value of an attribute", where);
    }
  }
  if (row.least > row.most) return bad_input("the least count is above the most", where);
  const bool has_statistics = row.median || row.mean;
  if (has_statistics && (row.least != row.most || row.least == 0)) {
    return bad_input("a median or a mean needs an exact count above 0", where);
  }
  for (const std::optional<double>& age : {row.median, row.mean}) {
    if (age && !(*age >= 0 && *age <= block.oldest)) {
      return bad_input(fmt::format("an age must be from 0 to {}", block.oldest), where,
                       "raise the oldest age of the block, or mend the row");
    }
  }
  if (row.median && std::abs((2 * *row.median) - std::round(2 * *row.median)) > 1e-9) {
    return bad_input("a median of whole ages is a multiple of a half", where);
  }
  return {};
}

}  // namespace

Result<BlockReconstruction> reconstruct_block(const Block& block,
                                              const std::vector<PublishedRow>& rows,
                                              int conflicts) {
  constexpr std::uint64_t kMostPeople = 1000;
  if (block.people == 0 || block.people > kMostPeople || block.oldest == 0) {
    return bad_input(fmt::format("a block has 1 to {} people and an oldest age", kMostPeople),
                     "block");
  }
  Encoding encoding(block);
  for (const PublishedRow& row : rows) {
    TACIT_RETURN_IF_ERROR(check(block, row));
    encoding.publish(row);
  }
  using Outcome = BlockReconstruction::Outcome;
  BlockReconstruction out{.variables = encoding.variables(), .clauses = encoding.clauses()};
  const Clauses::Answer found = encoding.solve(conflicts);
  if (found == Clauses::Answer::kUnknown) return out;
  if (found == Clauses::Answer::kImpossible) {
    out.outcome = Outcome::kImpossible;
    return out;
  }
  out.people = encoding.people();
  encoding.forbid(out.people);
  switch (encoding.solve(conflicts)) {
    case Clauses::Answer::kSatisfied:
      out.outcome = Outcome::kAmbiguous;
      break;
    case Clauses::Answer::kImpossible:
      out.outcome = Outcome::kUnique;
      break;
    case Clauses::Answer::kUnknown:
      out.outcome = Outcome::kPerhapsUnique;
      break;
  }
  return out;
}

}  // namespace tacit::attacks
