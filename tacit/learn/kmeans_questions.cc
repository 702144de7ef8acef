#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tacit/learn/kmeans_questions_internal.h"

namespace tacit::learn {
namespace {

std::vector<std::string> feature_names(std::size_t features) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < features; ++i) out.push_back(fmt::format("u{}", i));
  return out;
}

// Half the squared distance to a centre, less what is the same for all: the least is the nearest.
std::string score(const Point& centre) {
  double norm = 0;
  for (const double value : centre) norm += value * value;
  std::string out = real_literal(norm / 2);
  for (std::size_t i = 0; i < centre.size(); ++i) {
    out += fmt::format(" - {} * u{}", real_literal(centre[i]), i);
  }
  return out;
}

}  // namespace

Question rows_question(const std::string& rows, const Rational& share) {
  return {.sql = fmt::format("SELECT count(*) FROM ({}) AS unit", rows), .shares = {share}};
}

Question grid_question(const std::string& rows, std::size_t features, std::uint64_t cells,
                       const Rational& share) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < features; ++i) {
    keys.push_back(fmt::format("least(floor((u{} + 1e0) * {}), {}) AS k{}", i,
                               real_literal(static_cast<double>(cells) / 2), cells - 1, i));
  }
  std::vector<std::string> places;
  for (std::size_t i = 0; i < features; ++i) places.push_back(fmt::format("k{}", i));
  return {.sql = fmt::format("SELECT {0}, count(*) FROM (SELECT {1} FROM ({2}) AS unit) AS cells "
                             "GROUP BY {0}",
                             fmt::join(places, ", "), fmt::join(keys, ", "), rows),
          .shares = {share}};
}

Question round_question(const std::string& rows, const std::vector<Point>& centres,
                        const Rational& share) {
  const auto names = feature_names(centres.front().size());
  std::vector<std::string> scores;
  std::vector<std::string> score_names;
  std::string cluster = "CASE";
  for (std::size_t c = 0; c < centres.size(); ++c) {
    score_names.push_back(fmt::format("s{}", c));
    scores.push_back(fmt::format("{} AS s{}", score(centres[c]), c));
    if (c + 1 < centres.size()) cluster += fmt::format(" WHEN s{} <= least_score THEN {}", c, c);
  }
  cluster += fmt::format(" ELSE {} END", centres.size() - 1);
  std::vector<std::string> sums;
  for (const std::string& name : names) sums.push_back(fmt::format("sum({})", name));
  Question out;
  out.sql = fmt::format(
      "SELECT cluster, count(*), {4} FROM (SELECT {0}, {3} AS cluster FROM (SELECT {0}, {1}, "
      "least({1}) AS least_score FROM (SELECT {0}, {2} FROM ({5}) AS unit) AS scored) AS "
      "compared) AS assigned GROUP BY cluster",
      fmt::join(names, ", "), fmt::join(score_names, ", "), fmt::join(scores, ", "), cluster,
      fmt::join(sums, ", "), rows);
  const Rational half = share / Rational(2);
  out.shares.push_back(half);
  for (std::size_t i = 0; i < names.size(); ++i) {
    out.shares.push_back(half / Rational(static_cast<std::int64_t>(names.size())));
  }
  return out;
}

}  // namespace tacit::learn
