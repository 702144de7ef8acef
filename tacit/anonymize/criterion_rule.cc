#include "tacit/anonymize/criterion_rule.h"

#include <fmt/format.h>

#include "tacit/anonymize/criteria/alpha_beta.h"
#include "tacit/anonymize/criteria/alpha_k.h"
#include "tacit/anonymize/criteria/beta_likeness.h"
#include "tacit/anonymize/criteria/ck_safety.h"
#include "tacit/anonymize/criteria/delta_disclosure.h"
#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/criteria/l_diversity.h"
#include "tacit/anonymize/criteria/presence.h"
#include "tacit/anonymize/criteria/risk_threshold.h"
#include "tacit/anonymize/criteria/t_closeness.h"

namespace tacit::anonymize {
namespace {

// Puts the criterion of each rule where it belongs.
struct Adder {
  const Records& records;
  Criteria& out;

  void operator()(const rule::KAnonymity& rule) const {
    out.classes.push_back(k_anonymity(rule.k));
  }
  void operator()(const rule::AverageRisk& rule) const {
    out.table.push_back(average_risk(rule.most));
  }
  void operator()(const rule::PopulationUniqueness& rule) const {
    out.table.push_back(population_uniqueness(rule.most, rule.sampling_fraction));
  }
  void operator()(const rule::DistinctDiversity& rule) const {
    out.classes.push_back(distinct_diversity(rule.column, rule.l));
  }
  void operator()(const rule::EntropyDiversity& rule) const {
    out.classes.push_back(entropy_diversity(rule.column, rule.l));
  }
  void operator()(const rule::RecursiveDiversity& rule) const {
    out.classes.push_back(recursive_diversity(rule.column, rule.c, rule.l));
  }
  void operator()(const rule::EqualCloseness& rule) const {
    out.classes.push_back(equal_closeness(records, rule.column, rule.t));
  }
  void operator()(const rule::OrderedCloseness& rule) const {
    out.classes.push_back(ordered_closeness(records, rule.column, rule.t));
  }
  void operator()(const rule::HierarchicalCloseness& rule) const {
    out.classes.push_back(
        hierarchical_closeness(records, rule.column, rule.t, *records.taxonomies[rule.column]));
  }
  void operator()(const rule::KMap& rule) const { out.classes.push_back(k_map(rule.k)); }
  void operator()(const rule::DeltaPresence& rule) const {
    add_delta_presence(out, rule.least, rule.most);
  }
  void operator()(const rule::BasicLikeness& rule) const {
    out.classes.push_back(basic_likeness(records, rule.column, rule.beta));
  }
  void operator()(const rule::EnhancedLikeness& rule) const {
    out.classes.push_back(enhanced_likeness(records, rule.column, rule.beta));
  }
  void operator()(const rule::DeltaDisclosure& rule) const {
    out.classes.push_back(delta_disclosure(records, rule.column, rule.delta));
  }
  void operator()(const rule::Deassociation& rule) const {
    out.classes.push_back(alpha_deassociation(records, rule.column, rule.alpha));
  }
  void operator()(const rule::AlphaBetaPrivacy& rule) const {
    out.classes.push_back(alpha_beta_privacy(records, rule.column, rule.alpha, rule.beta));
  }
  void operator()(const rule::CkSafety& rule) const {
    add_ck_safety(out, rule.column, rule.c, rule.k);
  }
};

struct Namer {
  std::string operator()(const rule::KAnonymity& rule) const {
    return fmt::format("{}-anonymity", rule.k);
  }
  std::string operator()(const rule::AverageRisk& rule) const {
    return fmt::format("average risk of at most {}", rule.most);
  }
  std::string operator()(const rule::PopulationUniqueness& rule) const {
    return fmt::format("population uniqueness of at most {}", rule.most);
  }
  std::string operator()(const rule::DistinctDiversity& rule) const {
    return fmt::format("distinct {}-diversity", rule.l);
  }
  std::string operator()(const rule::EntropyDiversity& rule) const {
    return fmt::format("entropy {}-diversity", rule.l);
  }
  std::string operator()(const rule::RecursiveDiversity& rule) const {
    return fmt::format("recursive ({},{})-diversity", rule.c, rule.l);
  }
  std::string operator()(const rule::EqualCloseness& rule) const {
    return fmt::format("{}-closeness", rule.t);
  }
  std::string operator()(const rule::OrderedCloseness& rule) const {
    return fmt::format("ordered {}-closeness", rule.t);
  }
  std::string operator()(const rule::HierarchicalCloseness& rule) const {
    return fmt::format("hierarchical {}-closeness", rule.t);
  }
  std::string operator()(const rule::KMap& rule) const { return fmt::format("{}-map", rule.k); }
  std::string operator()(const rule::DeltaPresence& rule) const {
    return fmt::format("({},{})-presence", rule.least, rule.most);
  }
  std::string operator()(const rule::BasicLikeness& rule) const {
    return fmt::format("basic {}-likeness", rule.beta);
  }
  std::string operator()(const rule::EnhancedLikeness& rule) const {
    return fmt::format("enhanced {}-likeness", rule.beta);
  }
  std::string operator()(const rule::DeltaDisclosure& rule) const {
    return fmt::format("{}-disclosure", rule.delta);
  }
  std::string operator()(const rule::Deassociation& rule) const {
    return fmt::format("{}-deassociation", rule.alpha);
  }
  std::string operator()(const rule::AlphaBetaPrivacy& rule) const {
    return fmt::format("({},{})-privacy", rule.alpha, rule.beta);
  }
  std::string operator()(const rule::CkSafety& rule) const {
    return fmt::format("({},{})-safety", rule.c, rule.k);
  }
};

}  // namespace

void add_criterion(const CriterionRule& rule, const Records& records, Criteria& criteria) {
  std::visit(Adder{records, criteria}, rule);
}

std::string name(const CriterionRule& rule) { return std::visit(Namer{}, rule); }

bool needs_population(const CriterionRule& rule) {
  return std::holds_alternative<rule::KMap>(rule) ||
         std::holds_alternative<rule::DeltaPresence>(rule);
}

std::optional<std::size_t> sensitive_column(const CriterionRule& rule) {
  return std::visit(
      [](const auto& each) -> std::optional<std::size_t> {
        if constexpr (requires { each.column; }) {
          return each.column;
        } else {
          return std::nullopt;
        }
      },
      rule);
}

}  // namespace tacit::anonymize
