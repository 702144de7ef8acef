#pragma once

#include "tacit/sql/plan.h"

namespace tacit::sql {

// The aggregate with a range for its argument: the declared one, or, where there is none, that of a
// learner, which is added to the plan unless it is there, and named in `answer`.
Aggregate with_learned_range(Aggregate aggregate, AggregationPlan& plan, AnswerPlan& answer);

// Whether the aggregate needs a range and its argument has none.
bool lacks_range(const Aggregate& aggregate);

// The step in which an exact number is summed: its last decimal place.
Rational last_place(const Type& type);

}  // namespace tacit::sql
