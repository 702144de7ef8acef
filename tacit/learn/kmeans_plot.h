#pragma once

#include <string>

#include "tacit/learn/kmeans.h"

namespace tacit::learn {

// The clusters of a model as an SVG picture: the first two features (one: along a line), a disc at
// each centre with an area in proportion to its size, and a cross as wide as the half-widths. It
// shows what was released and nothing else.
std::string k_means_svg(const KMeansModel& model);

}  // namespace tacit::learn
