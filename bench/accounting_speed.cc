// Answers accounting questions from the standard input, one a line, and times itself:
//   rdp RATE NOISE_MULTIPLIER STEPS DELTA     the subsampled Gaussian, best order
//   pld RATE NOISE_MULTIPLIER STEPS DELTA     the same, upper end of the bracket
//   pld_lower ...                             lower end of the bracket
//   pld_laplace ... and pld_laplace_lower     Laplace noise instead of Gaussian
// For each line prints "epsilon seconds", where seconds is the least time of one answer, from
// building the cost on.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>
#include <string>

#include "tacit/privacy/pld.h"
#include "tacit/privacy/rdp.h"

namespace {

using tacit::Cost;
using tacit::Rational;
using tacit::Result;

struct Question {
  std::string accountant;
  std::string rate;
  std::string noise_multiplier;
  std::uint64_t steps = 0;
  double delta = 0;
};

template <class Noise>
Result<Cost> cost_of(const Question& question) {
  TACIT_ASSIGN_OR_RETURN(const Rational rate, Rational::parse(question.rate));
  TACIT_ASSIGN_OR_RETURN(const Rational noise, Rational::parse(question.noise_multiplier));
  TACIT_ASSIGN_OR_RETURN(const Cost leaf, Cost::leaf(Noise{noise}));
  if (rate == Rational(1)) return Cost::repeat(question.steps, leaf);
  TACIT_ASSIGN_OR_RETURN(const Cost sampled, Cost::poisson_sample(rate, leaf));
  return Cost::repeat(question.steps, sampled);
}

Result<double> by_rdp(const Question& question) {
  TACIT_ASSIGN_OR_RETURN(const Cost cost, cost_of<tacit::cost::Gaussian>(question));
  TACIT_ASSIGN_OR_RETURN(const tacit::RdpEpsilon best, tacit::rdp_epsilon(cost, question.delta));
  return best.epsilon;
}

template <class Noise, double tacit::ProvedBounds::* End>
Result<double> by_pld(const Question& question) {
  TACIT_ASSIGN_OR_RETURN(const Cost cost, cost_of<Noise>(question));
  TACIT_ASSIGN_OR_RETURN(const tacit::ProvedBounds bracket,
                         tacit::pld_epsilon(cost, question.delta));
  return bracket.*End;
}

const std::map<std::string, std::function<Result<double>(const Question&)>>& accountants() {
  static const std::map<std::string, std::function<Result<double>(const Question&)>> all = {
      {"rdp", by_rdp},
      {"pld", by_pld<tacit::cost::Gaussian, &tacit::ProvedBounds::upper>},
      {"pld_lower", by_pld<tacit::cost::Gaussian, &tacit::ProvedBounds::lower>},
      {"pld_laplace", by_pld<tacit::cost::Laplace, &tacit::ProvedBounds::upper>},
      {"pld_laplace_lower", by_pld<tacit::cost::Laplace, &tacit::ProvedBounds::lower>},
  };
  return all;
}

Result<std::string> answer(const Question& question) {
  using Clock = std::chrono::steady_clock;
  const auto found = accountants().find(question.accountant);
  if (found == accountants().end()) {
    return tacit::bad_input("no accountant of this name is timed", question.accountant);
  }
  double epsilon = 0;
  double least = std::numeric_limits<double>::infinity();
  const auto end = Clock::now() + std::chrono::milliseconds(200);
  for (int i = 0; i < 3 || Clock::now() < end; ++i) {
    const auto start = Clock::now();
    TACIT_ASSIGN_OR_RETURN(epsilon, found->second(question));
    least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return fmt::format("{:.17g} {:.9g}", epsilon, least);
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    Question question;
    std::istringstream words(line);
    words >> question.accountant >> question.rate >> question.noise_multiplier >> question.steps >>
        question.delta;
    const Result<std::string> text = answer(question);
    if (!text) {
      std::cerr << text.error().message() << '\n';
      return text.error().exit_status();
    }
    std::cout << *text << '\n' << std::flush;
  }
  return 0;
}
