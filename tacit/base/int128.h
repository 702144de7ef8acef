#pragma once

namespace tacit {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

}  // namespace tacit
