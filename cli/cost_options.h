#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/privacy/accountant.h"
#include "tacit/privacy/cost.h"

namespace tacit::cli {

// The options by which 'tacit epsilon' and 'tacit noise' describe a mechanism. Numbers stay text
// until they are read exactly, so that 0.1 is one tenth.
struct CostOptions {
  std::string mechanism = "gaussian";
  std::string noise;
  std::string sensitivity;
  std::string categories;
  std::string truth;
  std::string each_epsilon;
  std::string each_delta;
  std::string sample_rate;
  std::string sample_size;
  std::string population;
  std::string steps;
  std::string schedule;
  std::string neighbours;
  std::string group;
  std::string cost_file;
  bool as_replace = false;
};

// Adds what describes how often and on whom a mechanism runs; `with_parameters` also what fixes it
// (--noise, --truth, ..., --schedule, --cost), which 'tacit noise' asks for instead.
void add_cost_options(CLI::App& verb, CostOptions& options, bool with_parameters);

// The cost that the options describe.
Result<Cost> read_cost(const CostOptions& options);
// The same with this noise multiplier, whatever --noise says.
Result<Cost> read_cost(const CostOptions& options, const Rational& noise);

// A number from the command line: refuses an empty text ("--delta is missing") and what is none.
Result<Rational> read_number(const std::string& text, const std::string& flag,
                             const std::string& example);
Result<std::uint64_t> read_count(const std::string& text, const std::string& flag);

// The nearest decimal of six digits above, or below, for people: a bound stays a bound.
std::string printed_above(double value);
std::string printed_below(double value);

}  // namespace tacit::cli
