#pragma once

// All exact samplers; see docs/noise.md.
#include "tacit/random/bernoulli.h"          // IWYU pragma: export
#include "tacit/random/discrete_gaussian.h"  // IWYU pragma: export
#include "tacit/random/discrete_laplace.h"   // IWYU pragma: export
#include "tacit/random/geometric.h"          // IWYU pragma: export
#include "tacit/random/secure_stream.h"      // IWYU pragma: export
#include "tacit/random/uniform.h"            // IWYU pragma: export
