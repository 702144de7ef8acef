#pragma once

#include "tacit/privacy/cost.h"
#include "tacit/sql/plan_facts.h"

namespace tacit::learn {

// What a model releases and promises, in words and numbers, and what is reserved for it.
struct Terms {
  sql::PlanFacts facts;
  Cost cost;
};

}  // namespace tacit::learn
