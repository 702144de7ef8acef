#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace tacit::anonymize {

// How many classes there are of each size.
class ClassSizes {
 public:
  void add(std::uint64_t size, std::uint64_t classes = 1);

  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& classes() const { return classes_; }
  [[nodiscard]] std::uint64_t of_size(std::uint64_t size) const;
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  std::map<std::uint64_t, std::uint64_t> classes_;
  std::uint64_t rows_ = 0;
  std::uint64_t count_ = 0;
};

// Estimates of the part of a population that is unique in it, from a simple random sample. A model
// that does not fit the sample gives none.
struct PopulationUniques {
  std::optional<double> pitman;
  std::optional<double> zayatz;
  std::optional<double> slide_negative_binomial;
  double sampling_fraction = 0;

  // Which model to trust (Dankar and others, 2012): up to a tenth of the population Pitman's, above
  // it the lesser of the other two; Zayatz' where a model gives none.
  [[nodiscard]] double dankar() const;
};

// The sampling fraction is above 0 and at most 1.
//
// Pitman: the sampling formula of Ewens and Pitman, fitted by maximum likelihood (Hoshino, 2001).
// Zayatz (1991): the classes of the population have sizes as those of the sample; how probably is a
// class that is unique in the sample unique in the population?
// Slide negative binomial: the sizes of the population's classes, less one, follow a negative
// binomial law, which is fitted to the sample's classes of one and two rows (Chen and
// Keller-McNulty, 1998), with the number of classes as Shlosser (1981) estimates it.
PopulationUniques population_uniques(const ClassSizes& sample, double sampling_fraction);

}  // namespace tacit::anonymize
