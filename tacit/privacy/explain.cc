#include "tacit/privacy/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tacit/base/rational.h"
#include "tacit/privacy/enclosure_internal.h"
#include "tacit/privacy/events_internal.h"

namespace tacit {
namespace {

// Four digits, rounded up where they would not be a bound.
std::string above(double value) {
  std::string text = fmt::format("{:.4g}", value);
  if (!std::isfinite(value) || std::stod(text) >= value) return text;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  return fmt::format("{:.4g}", std::ceil(value / unit) * unit);
}

std::string percent(double probability) { return above(std::min(100.0, probability * 100)) + "%"; }

// Breaks a paragraph into lines of at most 78 columns.
std::string wrapped(std::string_view text) {
  constexpr std::size_t kColumns = 78;
  std::string lines;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column > 0 && column + 1 + word.size() > kColumns) {
      lines += '\n';
      column = 0;
    }
    if (column > 0) lines += ' ';
    lines += word;
    column += word.size() + (column > 0 ? 1 : 0);
  }
  return lines + "\n";
}

std::string one_in(double probability) {
  // Beside the exact number; forgives the rounding of 1e-5 to a double.
  return fmt::format("1 in {:.0f}", std::floor(1 / probability * (1 + 1e-12)));
}

std::string except(const Guarantee& guarantee) {
  if (guarantee.delta == 0) return "This holds for every answer.";
  return fmt::format(
      "The release differs with probability at most {} ({}) from one for which this holds for "
      "every answer.",
      above(guarantee.delta), one_in(guarantee.delta));
}

std::string_view what_is_hidden(Neighbours neighbours) {
  return neighbours == Neighbours::kAddRemove
             ? "whether one person's data was used at all"
             : "what one person's data says (that they took part is public)";
}

std::string_view what_is_believed(Neighbours neighbours) {
  return neighbours == Neighbours::kAddRemove ? "that one person's data was used"
                                              : "that one person's data says this and not that";
}

std::string_view other_world(Neighbours neighbours) {
  return neighbours == Neighbours::kAddRemove ? "had their data been left out"
                                              : "had their data been other data";
}

std::string family_text(const Guarantee& guarantee, unsigned size) {
  const Guarantee family = for_family(guarantee, size);
  if (family.delta >= 1) {
    return fmt::format("For a family of {} together this guarantee promises nothing.", size);
  }
  return fmt::format("For a family of {} together it is epsilon {}, delta {}.", size,
                     above(family.epsilon), above(family.delta));
}

}  // namespace

double largest_posterior(const Guarantee& guarantee, double prior) {
  // As 1 / (1 + e^-epsilon (1 - prior) / prior), which cannot overflow.
  const Enclosure odds_against =
      exp(-Enclosure(guarantee.epsilon)) * (Enclosure(1) - prior) / prior;
  return std::min(1.0, (Enclosure(1) / (Enclosure(1) + odds_against)).upper);
}

double largest_chance(const Guarantee& guarantee, double chance) {
  const Enclosure epsilon(guarantee.epsilon);
  const double direct = (exp(epsilon) * chance + guarantee.delta).upper;
  const Enclosure kept = exp(-epsilon) * (Enclosure(1) - chance - guarantee.delta);
  const double by_complement = (Enclosure(1) - Enclosure(std::max(0.0, kept.lower))).upper;
  return std::min({1.0, direct, by_complement});
}

Guarantee for_family(const Guarantee& guarantee, unsigned size) {
  const ApproximateEvent family =
      approximate_group(Rational::exactly(guarantee.epsilon).value(),
                        Rational::exactly(guarantee.delta).value(), Rational(size));
  return {family.epsilon.upper(), family.delta.upper()};
}

std::string explain(const Guarantee& guarantee, Neighbours neighbours, const Question& question) {
  const double posterior = largest_posterior(guarantee, question.prior);
  const double chance = largest_chance(guarantee, question.chance);
  const std::string growth = above(exp(Enclosure(guarantee.epsilon)).upper);
  const std::string added =
      guarantee.delta == 0 ? "" : fmt::format(" and add {}", above(guarantee.delta));
  return fmt::format(
      "{}\n{}\n{}\n{}", wrapped(fmt::format("What it hides: {}.", what_is_hidden(neighbours))),
      wrapped(fmt::format(
          "Belief. Someone who is {} sure before the release {} is at most {} sure after it, even "
          "if they know all other data. {}",
          percent(question.prior), what_is_believed(neighbours), percent(posterior),
          except(guarantee))),
      wrapped(fmt::format(
          "Harm. If something bad would befall the person with a chance of {} {}, the chance is at "
          "most {} with their data in: the release can multiply a small chance by at most {}{}.",
          percent(question.chance), other_world(neighbours), percent(chance), growth, added)),
      wrapped("Family. " + family_text(guarantee, question.family)));
}

}  // namespace tacit
