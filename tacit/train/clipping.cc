#include "tacit/train/clipping.h"

#include <fmt/format.h>

#include <string_view>

namespace tacit::train {
namespace {

std::string_view name(Clipping::Kind kind) {
  switch (kind) {
    case Clipping::Kind::kFlat:
      return "flat";
    case Clipping::Kind::kPerLayer:
      return "per layer";
    case Clipping::Kind::kAutomatic:
      return "automatic";
  }
  return "";
}

}  // namespace

std::string Clipping::to_text() const { return fmt::format("{} {}", name(kind), bound); }

}  // namespace tacit::train
