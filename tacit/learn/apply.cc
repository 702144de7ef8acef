#include "tacit/learn/apply.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tacit/data/dialect.h"
#include "tacit/learn/features.h"

namespace tacit::learn {
namespace {

using sql::Json;

std::string real(const Json& value) { return real_literal(value.get<double>()); }

std::string text_literal(const Json& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  return duckdb_dialect().literal(Cell(text), kTextType);
}

std::string sum_of(const std::vector<std::string>& parts) {
  return parts.empty() ? "0e0" : fmt::format("({})", fmt::join(parts, " + "));
}

// The features as columns tacit_x0, ..., clamped; the categories as texts tacit_v0, ...; and what
// is computed from them, level upon level. None of these is shown.
class Levels {
 public:
  Levels(const Json& model, const NewRows& rows) : select_(rows.table) {
    std::vector<Named> inputs;
    const Json features = model.value("features", Json::array());
    for (std::size_t i = 0; i < features.size(); ++i) {
      const std::string value =
          fmt::format("CAST(({}) AS DOUBLE)", sql_of(features[i].at("name"), rows));
      inputs.push_back({.name = fmt::format("x{}", i),
                        .sql = fmt::format(
                            "CASE WHEN {0} IS NOT NULL THEN least(greatest({0}, {1}), "
                            "{2}) END",
                            value, real(features[i].at("lower")), real(features[i].at("upper")))});
    }
    const Json categories = model.value("categories", Json::array());
    for (std::size_t i = 0; i < categories.size(); ++i) {
      inputs.push_back(
          {.name = fmt::format("v{}", i),
           .sql = fmt::format("CAST(({}) AS VARCHAR)", sql_of(categories[i].at("name"), rows))});
    }
    add(inputs);
  }

  struct Named {
    std::string name;  // behind "tacit_"
    std::string sql;
  };
  Levels& add(const std::vector<Named>& columns) {
    std::vector<std::string> written;
    for (const Named& column : columns) {
      written.push_back(fmt::format("{} AS tacit_{}", column.sql, column.name));
      hidden_.push_back("tacit_" + column.name);
    }
    select_ = fmt::format("(SELECT *, {} FROM {})", fmt::join(written, ", "), select_);
    return *this;
  }
  // The whole statement, with the answers behind the columns of the rows.
  [[nodiscard]] std::string answers(const std::string& columns) const {
    return fmt::format("SELECT * EXCLUDE ({}), {} FROM {}", fmt::join(hidden_, ", "), columns,
                       select_);
  }

 private:
  static std::string sql_of(const Json& name, const NewRows& rows) {
    const auto text = name.get<std::string>();
    const bool is_column = std::ranges::find(rows.columns, text) != rows.columns.end();
    return is_column ? duckdb_dialect().identifier(text) : text;
  }

  std::string select_;
  std::vector<std::string> hidden_;
};

// intercept + slopes: of linear and logistic models.
std::vector<std::string> linear_terms(const Json& model) {
  std::vector<std::string> out{real(model.at("intercept").at("value"))};
  const Json& slopes = model.at("slopes");
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    out.push_back(fmt::format("{} * tacit_x{}", real(slopes[i].at("value")), i));
  }
  return out;
}

std::string linear_sql(const Json& model, const NewRows& rows) {
  return Levels(model, rows).answers(sum_of(linear_terms(model)) + " AS prediction");
}

std::string effects_sql(const Json& category, std::size_t place) {
  std::string out = fmt::format("CASE tacit_v{}", place);
  for (const Json& effect : category.at("effects")) {
    out += fmt::format(" WHEN {} THEN {}", text_literal(effect.at("of")), real(effect.at("value")));
  }
  return out + " ELSE 0e0 END";
}

// Of a logistic model of two classes, or of one class of more.
std::string score_sql(const Json& score) {
  std::vector<std::string> terms = linear_terms(score);
  const Json& categories = score.at("categories");
  for (std::size_t i = 0; i < categories.size(); ++i) {
    terms.push_back(effects_sql(categories[i], i));
  }
  return sum_of(terms);
}

std::string odds_sql(const Json& model, const NewRows& rows) {
  const Json& label = model.at("label");
  return Levels(model, rows)
      .add({{.name = "score", .sql = score_sql(model)}})
      .answers(fmt::format(
          "CASE WHEN tacit_score > 0 THEN {} WHEN tacit_score <= 0 THEN {} END AS predicted, "
          "1 / (1 + exp(-tacit_score)) AS probability",
          text_literal(label.at("one")), text_literal(label.at("zero"))));
}

// d0, d1, ...
std::vector<Levels::Named> numbered(std::vector<std::string> values) {
  std::vector<Levels::Named> out;
  for (std::string& value : values) {
    out.push_back({.name = fmt::format("d{}", out.size()), .sql = std::move(value)});
  }
  return out;
}

// `function` of d0, d1, ..., which are all NULL or none of them is.
std::vector<Levels::Named> best_of(const std::string& function, std::size_t count) {
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < count; ++i) columns.push_back(fmt::format("tacit_d{}", i));
  return {{.name = "best", .sql = fmt::format("{}({})", function, fmt::join(columns, ", "))}};
}

// The first of `names` whose number is the best.
std::string chosen(const std::vector<std::string>& names) {
  std::string out = "CASE";
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += fmt::format(" WHEN tacit_d{} = tacit_best THEN {}", i, names[i]);
  }
  return out + " END";
}

std::string k_means_sql(const Json& model, const NewRows& rows) {
  const Json& features = model.at("features");
  std::vector<std::string> distances;
  std::vector<std::string> places;
  for (const Json& cluster : model.at("clusters")) {
    std::vector<std::string> squares;
    for (std::size_t i = 0; i < features.size(); ++i) {
      const double half =
          (features[i].at("upper").get<double>() - features[i].at("lower").get<double>()) / 2;
      squares.push_back(fmt::format("pow((tacit_x{} - {}) / {}, 2)", i,
                                    real(cluster.at("centre").at(i)), real_literal(half)));
    }
    places.push_back(std::to_string(distances.size()));
    distances.push_back(sum_of(squares));
  }
  return Levels(model, rows)
      .add(numbered(std::move(distances)))
      .add(best_of("least", places.size()))
      .answers(fmt::format("{} AS cluster, sqrt(tacit_best) AS distance", chosen(places)));
}

std::string bayes_term(const Json& number, std::size_t place) {
  const std::string deviation = real(number.at("deviation"));
  return fmt::format("(-ln({0}) - pow((tacit_x{1} - {2}) / {0}, 2) / 2)", deviation, place,
                     real(number.at("mean")));
}

// The log of the probability of each value of a category in a class; a value that is not listed
// says nothing.
std::string bayes_term(const Json& category, const Json& probabilities, std::size_t place) {
  std::string out = fmt::format("CASE tacit_v{}", place);
  for (std::size_t k = 0; k < category.at("values").size(); ++k) {
    const Json& value = category.at("values").at(k);
    if (value.is_null()) continue;
    out += fmt::format(" WHEN {} THEN {}", text_literal(value),
                       real_literal(std::log(probabilities.at(k).get<double>())));
  }
  return out + " ELSE 0e0 END";
}

std::string class_score(const Json& one, const Json& categories) {
  std::vector<std::string> terms{real_literal(std::log(one.at("prior").get<double>()))};
  const Json& numbers = one.at("numbers");
  for (std::size_t i = 0; i < numbers.size(); ++i) terms.push_back(bayes_term(numbers[i], i));
  for (std::size_t i = 0; i < categories.size(); ++i) {
    terms.push_back(bayes_term(categories[i], one.at("categories").at(i), i));
  }
  return sum_of(terms);
}

// The class whose score is largest, and the share of each class in the exponentials of all.
class ClassScores {
 public:
  void add(const Json& label, std::string score) {
    labels_.push_back(text_literal(label));
    shares_.push_back(fmt::format("exp(tacit_d{} - tacit_best)", scores_.size()));
    scores_.push_back(std::move(score));
  }
  [[nodiscard]] std::string answers(const Json& model, const NewRows& rows) const {
    const std::string all = sum_of(shares_);
    std::string columns =
        fmt::format("{} AS predicted, 1 / {} AS probability", chosen(labels_), all);
    for (std::size_t c = 0; c < shares_.size(); ++c) {
      columns += fmt::format(", {} / {} AS probability_{}", shares_[c], all, c + 1);
    }
    return Levels(model, rows)
        .add(numbered(scores_))
        .add(best_of("greatest", labels_.size()))
        .answers(columns);
  }

 private:
  std::vector<std::string> labels_;
  std::vector<std::string> shares_;
  std::vector<std::string> scores_;
};

std::string bayes_sql(const Json& model, const NewRows& rows) {
  ClassScores scores;
  for (const Json& one : model.at("classes")) {
    scores.add(one.at("label"), class_score(one, model.at("categories")));
  }
  return scores.answers(model, rows);
}

std::string logistic_sql(const Json& model, const NewRows& rows) {
  if (!model.contains("scores")) return odds_sql(model, rows);
  ClassScores scores;
  for (const Json& score : model.at("scores")) scores.add(score.at("of"), score_sql(score));
  return scores.answers(model, rows);
}

std::string components_sql(const Json& model, const NewRows& rows) {
  const Json& features = model.at("features");
  const bool scaled = model.at("scaled").get<bool>();
  std::vector<std::string> answers;
  for (const Json& component : model.at("components")) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < features.size(); ++i) {
      const double half =
          (features[i].at("upper").get<double>() - features[i].at("lower").get<double>()) / 2;
      parts.push_back(fmt::format(
          "(tacit_x{} - {}) * {}", i, real(model.at("means").at(i)),
          real_literal(component.at("direction").at(i).get<double>() / (scaled ? half : 1))));
    }
    answers.push_back(fmt::format("{} AS component_{}", sum_of(parts), answers.size() + 1));
  }
  return Levels(model, rows).answers(fmt::format("{}", fmt::join(answers, ", ")));
}

std::unexpected<Error> no_model() {
  return bad_input("this is no model that can be applied", "the model",
                   "give a file that 'tacit learn ... -o FILE' wrote");
}

}  // namespace

Result<std::string> application_sql(const Json& model, const NewRows& rows) {
  try {
    if (model.at("format") == "tacit model" && model.at("format_version") == 1) {
      const auto kind = model.at("kind").get<std::string>();
      if (kind == "kmeans") return k_means_sql(model, rows);
      if (kind == "linear") return linear_sql(model, rows);
      if (kind == "logistic") return logistic_sql(model, rows);
      if (kind == "bayes") return bayes_sql(model, rows);
      if (kind == "pca") return components_sql(model, rows);
    }
  } catch (const Json::exception&) {
    return no_model();  // whatever is missing in it
  }
  return no_model();
}

}  // namespace tacit::learn
