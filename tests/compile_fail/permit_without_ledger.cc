// Only a ledger mints a permit.

#include "tacit/privacy/permit.h"

tacit::Permit forge(tacit::Permit&& granted) {
#ifdef TACIT_MUST_FAIL
  return tacit::Permit(granted.cost(), granted.entry());
#else
  return std::move(granted);
#endif
}
