#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tacit/anonymize/methods/remaining_records_internal.h"

namespace tacit::anonymize {
namespace {

// Records whose distances are summed together: few enough to stay in the nearest cache, and a
// number that compilers know, so that they take several records with each instruction.
constexpr std::size_t kBlock = 512;

std::size_t whole_blocks(std::size_t records) { return (records + kBlock - 1) / kBlock * kBlock; }

template <class Code>
void count_differing(const Code* __restrict codes, Code from, std::uint16_t* __restrict counts) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    counts[i] = static_cast<std::uint16_t>(counts[i] + (codes[i] != from ? 1 : 0));
  }
}

// 1 where one of the two is missing, which only then is no number.
void add_squares(const double* __restrict places, double from, double* __restrict sums) {
  if (std::isnan(from)) {
    for (std::size_t i = 0; i < kBlock; ++i) sums[i] += std::isnan(places[i]) ? 0.0 : 1.0;
    return;
  }
  for (std::size_t i = 0; i < kBlock; ++i) {
    const double square = (places[i] - from) * (places[i] - from);
    sums[i] += std::isnan(square) ? 1.0 : square;
  }
}

template <class Value>
void move_last(std::vector<Value>& values, std::size_t last, std::span<const std::uint32_t> to) {
  for (const std::uint32_t place : to) values[place] = values[last--];
}

}  // namespace

RemainingRecords::RemainingRecords(const Records& records, const MixedColumns& space)
    : space_(space), rows_(records.rows), text_rows_(records.columns) {
  const auto size = static_cast<std::uint32_t>(records.size());
  const std::size_t room = whole_blocks(size);
  for (std::uint32_t i = 0; i < size; ++i) records_.push_back({i, records.counts[i]});
  distances_.resize(room);
  for (std::size_t c = 0; c < records.columns; ++c) {
    if (space.has_numbers(c)) {
      auto& places = numbers_.emplace_back(c, std::vector<double>(room)).places;
      for (std::uint32_t i = 0; i < size; ++i) places[i] = space.point(i)[c];
      continue;
    }
    text_rows_[c].resize(space.leaves(c));
    for (std::uint32_t i = 0; i < size; ++i) {
      text_rows_[c][records.record(i)[c]] += records.counts[i];
    }
    const auto code_all = [&](auto& codes) {
      for (std::uint32_t i = 0; i < size; ++i) {
        codes[i] = static_cast<std::ranges::range_value_t<decltype(codes)>>(records.record(i)[c]);
      }
    };
    if (space.leaves(c) - 1 <= std::numeric_limits<std::uint16_t>::max()) {
      code_all(texts_.emplace_back(c, std::vector<std::uint16_t>(room)).codes);
    } else {
      code_all(many_texts_.emplace_back(c, std::vector<std::uint32_t>(room)).codes);
    }
  }
}

double RemainingRecords::average_place(const Numbers& numbers) const {
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const double place = numbers.places[i];
    if (std::isnan(place)) continue;
    sum += static_cast<double>(records_[i].rows) * place;
    count += static_cast<double>(records_[i].rows);
  }
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

// Of texts that are as frequent, the first.
MixedColumns::Point RemainingRecords::average() const {
  MixedColumns::Point out;
  for (const auto& rows : text_rows_) {
    const auto most = std::ranges::max_element(rows);  // of numbers none
    out.push_back(static_cast<double>(most - rows.begin()));
  }
  for (const Numbers& each : numbers_) out[each.column] = average_place(each);
  return out;
}

// Texts first, whose sum is exact: as many that differ are as far, in whatever columns they are.
std::span<const double> RemainingRecords::distances(std::span<const double> from) {
  for (std::size_t begin = 0; begin < size(); begin += kBlock) {
    std::array<std::uint16_t, kBlock> differing{};
    for (const auto& [column, codes] : texts_) {
      count_differing(codes.data() + begin, static_cast<std::uint16_t>(from[column]),
                      differing.data());
    }
    for (const auto& [column, codes] : many_texts_) {
      count_differing(codes.data() + begin, static_cast<std::uint32_t>(from[column]),
                      differing.data());
    }
    double* const sums = distances_.data() + begin;
    for (std::size_t i = 0; i < kBlock; ++i) sums[i] = differing[i];
    for (const auto& [column, places] : numbers_) {
      add_squares(places.data() + begin, from[column], sums);
    }
  }
  return std::span(distances_).first(size());
}

void RemainingRecords::remove(std::span<const std::uint32_t> places) {
  for (const std::uint32_t place : places) {
    rows_ -= records_[place].rows;
    const auto point = space_.point(records_[place].record);
    for (std::size_t c = 0; c < text_rows_.size(); ++c) {
      if (!text_rows_[c].empty()) {
        text_rows_[c][static_cast<std::size_t>(point[c])] -= records_[place].rows;
      }
    }
  }
  const std::size_t last = size() - 1;
  for (auto& [column, codes] : texts_) move_last(codes, last, places);
  for (auto& [column, codes] : many_texts_) move_last(codes, last, places);
  for (auto& each : numbers_) move_last(each.places, last, places);
  move_last(records_, last, places);
  records_.resize(size() - places.size());
}

}  // namespace tacit::anonymize
