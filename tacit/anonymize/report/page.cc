#include "tacit/anonymize/report/page.h"

#include <fmt/format.h>

#include "tacit/anonymize/report/charts.h"
#include "tacit/anonymize/report/markup.h"
#include "tacit/anonymize/report/page_parts_internal.h"
#include "tacit/anonymize/report/page_style_internal.h"

namespace tacit::anonymize {
namespace {

constexpr const char* kWarning =
    "For the steward alone. This page tells of rows that are not for release: do not publish it, "
    "nor send it along with the table.";

constexpr const char* kNothing = "\u2013";

class Page {
 public:
  Page(const Report& report, const PageFacts& facts) : report_(report), facts_(facts) {}

  [[nodiscard]] std::string to_string() const {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta name=\"robots\" content=\"noindex\"/>\n"
        "<title>{} \u2013 Tacit report</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}"
        "</main>\n</body>\n</html>\n",
        escaped(facts_.title), kPageStyle,
        header() + certificate() + hiding() + columns() + prediction() + sensitive() +
            population() + uniques() + definitions());
  }

 private:
  [[nodiscard]] const TableReport* after() const {
    return report_.published ? &report_.published->table : nullptr;
  }
  [[nodiscard]] Compared compared() const {
    return report_.published ? Compared::kYes : Compared::kNo;
  }
  // The table that is looked at: the published one, where there is one.
  [[nodiscard]] const ReidentificationRisk& risk() const {
    return after() != nullptr ? after()->risk : report_.table.risk;
  }
  [[nodiscard]] std::string keys() const {
    return after() == nullptr ? "" : key("before", "before") + key("after", "published");
  }

  [[nodiscard]] std::string header() const {
    const ReidentificationRisk& before = report_.table.risk;
    const auto was = [&](const std::string& text) {
      return after() == nullptr ? std::string() : "before: " + text;
    };
    return "<header>\n" + paragraph("Tacit report", "eyebrow") +
           fmt::format("<h1>{}</h1>\n", escaped(facts_.title)) + paragraph(facts_.lead, "lead") +
           paragraph(kWarning, "warning") + "<div class=\"tiles\">\n" +
           tile("rows", grouped_digits(risk().rows), was(grouped_digits(before.rows))) +
           tile("classes", grouped_digits(risk().classes), was(grouped_digits(before.classes))) +
           tile("smallest class", grouped_digits(risk().smallest),
                was(grouped_digits(before.smallest))) +
           tile("highest risk", percent(risk().highest()), was(percent(before.highest()))) +
           tile("average risk", percent(risk().average()), was(percent(before.average()))) +
           tile("rows alone", grouped_digits(risk().unique), was(grouped_digits(before.unique))) +
           "</div>\n</header>\n";
  }

  [[nodiscard]] std::string certificate() const {
    if (after() == nullptr) return {};
    std::string out = "<section class=\"certificate\">\n" + heading("What holds") + "<ul>\n";
    for (const std::string& criterion : facts_.criteria) {
      out += fmt::format("<li>{}</li>\n", escaped(criterion));
    }
    out += "</ul>\n" + paragraph(facts_.guarantee);
    for (const std::string& note : facts_.notes) out += paragraph(note, "note");
    return out + "</section>\n";
  }

  [[nodiscard]] std::string hiding() const {
    std::string out =
        heading("How people are hidden") +
        paragraph(
            "Rows that look alike in the quasi-identifiers are a class. Whoever knows that a "
            "person is in the table finds the right row of a class with the chance of one "
            "over its size.") +
        "<div class=\"pair\">\n" +
        figure(
            "Rows by the size of their class",
            class_size_chart(report_.table.sizes, after() == nullptr ? nullptr : &after()->sizes),
            keys());
    const bool has_lattice = report_.published && !report_.published->lattice.empty();
    if (has_lattice) {
      out += figure("Risk against utility of recodings",
                    lattice_chart(report_.published->lattice, facts_.measure),
                    key("dot before", "satisfies the policy, rows suppressed as it says") +
                        key("ring", "does not, nothing suppressed") + key("dot after", "chosen") +
                        fmt::format("<br/>{} recodings: all where the lattice is small, else a "
                                    "sample.",
                                    grouped_digits(report_.published->lattice.size())));
    }
    // Where there is room beside the first picture, the numbers go there.
    return has_lattice ? out + "</div>\n" + risk_table() : out + risk_table() + "</div>\n";
  }

  [[nodiscard]] std::string risk_table() const {
    PageTable table(after() == nullptr ? std::vector<std::string>{"", "table"}
                                       : std::vector<std::string>{"", "before", "published"});
    const auto add = [&](const char* name, const auto& cell) {
      std::vector<PageCell> row{std::string(name), cell(report_.table.risk)};
      if (after() != nullptr) row.emplace_back(cell(after()->risk));
      table.add(std::move(row));
    };
    using Risk = const ReidentificationRisk&;
    add("average class", [](Risk each) { return fmt::format("{:.2f}", each.average_class()); });
    add("largest class", [](Risk each) { return grouped_digits(each.largest); });
    add("prosecutor, highest risk", [](Risk each) { return percent(each.highest()); });
    add("prosecutor, average risk", [](Risk each) { return percent(each.average()); });
    add("journalist, highest risk, at most", [](Risk each) { return percent(each.highest()); });
    add("marketer, expected links", [](Risk each) { return percent(each.marketer()); });
    return table.to_string();
  }

  [[nodiscard]] std::string columns() const {
    const bool is_published = after() != nullptr;
    std::string out = heading(is_published ? "What the columns keep" : "The quasi-identifiers");
    if (is_published) out += utility_table();
    out += "<div class=\"small\">\n";
    for (const ColumnReport& column : report_.columns) {
      out += figure(shortened(column.name, 40),
                    distribution_chart(column.distribution, column.name, compared()), {});
    }
    out += "</div>\n";
    if (!is_published) return out;
    return out + fmt::format("<p class=\"note\" style=\"margin-top:18px\">{}{}</p>\n", keys(),
                             escaped("Rows of each value. What is published coarser is spread "
                                     "evenly over the values that it stands for, as a reader "
                                     "would; numbers at the right are those before."));
  }

  [[nodiscard]] std::string utility_table() const {
    PageTable table({"column", "level", "values", "before", "granularity", "entropy", "precision"});
    for (const ColumnReport& column : report_.columns) {
      const ColumnUtility& kept = column.utility;
      const auto meter = [](double part) {
        return PageCell(fmt::format("{:.0f}%", 100 * part), part, true);
      };
      table.add({shortened(column.name, 40),
                 kept.level ? fmt::format("{} of {}", *kept.level, kept.levels - 1)
                            : std::string(kNothing),
                 grouped_digits(kept.values_after), grouped_digits(kept.values_before),
                 meter(kept.granularity), meter(kept.entropy),
                 kept.precision ? meter(*kept.precision) : PageCell(kNothing)});
    }
    return table.to_string();
  }

  [[nodiscard]] std::string prediction() const {
    if (!report_.published || !report_.published->classification) return {};
    const Classification& found = *report_.published->classification;
    PageTable table({"", "rows predicted right"});
    const auto add = [&](const char* name, double part, bool is_after) {
      table.add({std::string(name), PageCell(percent(part), part, is_after)});
    };
    add("the most frequent value, always", found.baseline, false);
    add("from the quasi-identifiers as they were", found.before, false);
    add("from the quasi-identifiers as published", found.after, true);
    return heading(fmt::format("Prediction of {}", shortened(facts_.target, 40))) +
           paragraph(
               "Naive Bayes in a cross-validation of ten folds. Suppressed rows count: only "
               "the most frequent value is left to guess for them.") +
           table.to_string();
  }

  [[nodiscard]] std::string sensitive() const {
    if (report_.sensitive.empty()) return {};
    PageTable table(
        {"column", "table", "certain", "guessed right", "without classes", "largest share"});
    for (std::size_t i = 0; i < report_.sensitive.size(); ++i) {
      const auto add = [&](const char* when, const Disclosure& found) {
        const double certain =
            found.rows == 0 ? 0
                            : static_cast<double>(found.certain) / static_cast<double>(found.rows);
        table.add({shortened(report_.sensitive[i], 40), std::string(when), percent(certain),
                   percent(found.average), percent(found.baseline), percent(found.highest)});
      };
      add(after() == nullptr ? "as it is" : "before", report_.table.disclosures[i]);
      if (after() != nullptr && i < after()->disclosures.size()) {
        add("published", after()->disclosures[i]);
      }
    }
    return heading("What classes tell of sensitive values") +
           paragraph(
               "Somebody knows in which class a person is and guesses the value that is most "
               "frequent there, instead of the most frequent one of all; where a class has one "
               "value "
               "only, he is certain.") +
           table.to_string();
  }

  [[nodiscard]] std::string population() const {
    PageTable table({"the table is", "table", "Pitman", "Zayatz", "SNB", "Dankar\u2019s choice",
                     "individual, average", "highest", "intrusion"});
    const auto shown = [](const std::optional<double>& part) {
      return part ? percent(*part) : std::string(kNothing);
    };
    const auto add = [&](const char* when, const PopulationRisk& found) {
      const PopulationUniques& uniques = found.uniques;
      table.add({fmt::format("{:g}%\u00a0of\u00a0it", 100 * found.sampling_fraction),
                 std::string(when), shown(uniques.pitman), shown(uniques.zayatz),
                 shown(uniques.slide_negative_binomial), percent(uniques.dankar()),
                 percent(found.individual.average), percent(found.individual.highest),
                 percent(found.intrusion)});
    };
    for (std::size_t i = 0; i < report_.table.population.size(); ++i) {
      add(after() == nullptr ? "as it is" : "before", report_.table.population[i]);
      if (after() != nullptr) add("published", after()->population[i]);
    }
    return heading("In a population") +
           paragraph(
               "Where the table is a simple random sample: the estimated part of the "
               "population that is unique in it, by three models; the chance to pick the "
               "right person for a row; and that a match of a row that is alone is right.") +
           table.to_string();
  }

  [[nodiscard]] std::string uniques() const {
    if (!report_.table.special) return {};
    const SampleUniques& before = *report_.table.special;
    const SampleUniques* const left =
        after() != nullptr && after()->special ? &*after()->special : nullptr;
    std::vector<std::string> titles{"columns of the set", left == nullptr ? "sets" : "before"};
    if (left != nullptr) titles.emplace_back("published");
    PageTable sizes(titles);
    for (std::size_t i = 0; i < before.by_size.size(); ++i) {
      std::vector<PageCell> row{std::to_string(i + 1), grouped_digits(before.by_size[i])};
      if (left != nullptr) {
        row.emplace_back(grouped_digits(i < left->by_size.size() ? left->by_size[i] : 0));
      }
      sizes.add(std::move(row));
    }
    PageTable parts({"column", "part of all scores"});
    for (std::size_t c = 0; c < report_.columns.size(); ++c) {
      parts.add({shortened(report_.columns[c].name, 40),
                 PageCell(percent(before.contributions[c]), before.contributions[c], false)});
    }
    return heading("Rows that few columns tell apart") +
           paragraph(
               fmt::format("Minimal sample uniques of at most {} columns: sets in which a row "
                           "is unique, while it is not in any part of the set. {} of {} rows "
                           "have one; the highest SUDA score is {:.6g}.",
                           before.largest, grouped_digits(before.special),
                           grouped_digits(report_.table.risk.rows), before.highest())) +
           "<div class=\"pair\">\n<div>" + sizes.to_string() + "</div>\n<div>" + parts.to_string() +
           "</div>\n</div>\n";
  }

  [[nodiscard]] static std::string definitions();

  const Report& report_;
  const PageFacts& facts_;
};

std::string Page::definitions() {
  constexpr std::pair<const char*, const char*> kTerms[] = {
      {"Prosecutor, journalist, marketer",
       "The prosecutor knows that a person is in the table; the journalist only that the rows are "
       "of a larger population, so that his risk is at most the prosecutor\u2019s; the marketer "
       "links all rows and is content with some that are right (El Emam and others, 2011; Dankar "
       "and El Emam, 2010)."},
      {"Granularity, entropy, precision",
       "What a column keeps, from 0% to 100%; a suppressed cell keeps nothing. Granularity: of the "
       "other values of the hierarchy, the part from which a cell is still told. Entropy: bits "
       "kept, of those there were. Precision: 1 minus the mean height in the hierarchy (Sweeney, "
       "2002)."},
      {"Pitman, Zayatz, SNB, Dankar\u2019s choice",
       "Estimates of uniqueness in a population (Hoshino, 2001; Zayatz, 1991; Chen and "
       "Keller-McNulty, 1998), and which of them to trust (Dankar and others, 2012)."},
      {"Individual risk",
       "The expectation of one over the size of the class in the population, given the rows seen "
       "(Benedetti and Franconi, 1998)."},
      {"Minimal sample uniques, SUDA",
       "Elliot, Manning and Ford (2002); Manning, Haglin and Keane (2008). Intrusion: Skinner and "
       "Elliot (2002)."},
  };
  std::string out = heading("Definitions") + "<dl>\n";
  for (const auto& [term, text] : kTerms) {
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(term), escaped(text));
  }
  return out + "</dl>\n<footer>Made by Tacit. " + escaped(kWarning) + "</footer>\n";
}

}  // namespace

std::string report_page(const Report& report, const PageFacts& facts) {
  return Page(report, facts).to_string();
}

}  // namespace tacit::anonymize
