#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/ledger/account.h"
#include "tacit/ledger/budget.h"
#include "tacit/ledger/digest.h"
#include "tacit/ledger/signing_key.h"
#include "tacit/ledger/store.h"
#include "tacit/privacy/cost.h"
#include "tacit/privacy/neighbours.h"

namespace tacit {

// What an entry records.
namespace entry {

// The first entry of every ledger. With a key, every entry of the ledger is signed by it.
struct Begin {
  std::string ledger;  // 32 random hexadecimal digits: no two ledgers share a chain
  std::optional<PublicKey> key;
  bool operator==(const Begin&) const = default;
};
struct NewDataset {
  Neighbours neighbours = Neighbours::kAddRemove;
  Budget budget;
  std::vector<std::string> parts;
  bool operator==(const NewDataset&) const = default;
};
struct NewAnalyst {
  Budget budget;
  bool operator==(const NewAnalyst&) const = default;
};
// A raised cap.
struct Grant {
  Budget budget;
  bool operator==(const Grant&) const = default;
};

// What one account paid, and how it stood afterwards.
struct Posting {
  AccountId account;
  Spend charge;
  Spend line;   // charged so far where this charge landed: the whole, or that part alone
  Spend spent;  // the account's spend: see Tally::total
  bool operator==(const Posting&) const = default;
};
// A reservation, or a release made outside that was entered afterwards.
struct Charge {
  bool made_outside = false;
  bool beyond_cap = false;            // entered although it did not fit; only where made outside
  std::string part;                   // empty: the whole dataset
  std::optional<Digest> fingerprint;  // of what was asked, where the asker gave one
  Cost cost;
  std::vector<Posting> postings;  // the dataset's, then the analyst's where there is one
  bool operator==(const Charge&) const = default;
};
// A release with no proved guarantee. Charges nothing; is named in every later report.
struct NoneProved {
  bool made_outside = false;
  std::string part;
  std::optional<Digest> fingerprint;
  Cost cost;
  bool operator==(const NoneProved&) const = default;
};

using Event = std::variant<Begin, NewDataset, NewAnalyst, Grant, Charge, NoneProved>;

}  // namespace entry

// One line of the log. Its canonical text, and what each field means, is the subject of
// docs/ledger-format.md.
struct Entry {
  std::uint64_t sequence = 0;
  Digest previous;
  // What the clock said. Informational: nothing is decided by it, and it may run backwards.
  std::chrono::sys_seconds time;
  // 32 random hexadecimal digits, so that no two entries are alike: a log that was set back and
  // asked the same again in the same second does not arrive at the same digest.
  std::string nonce;
  std::string who;
  std::string note;
  AccountId account;  // the account it is about; no dataset for Begin
  entry::Event event;

  // "begin", "dataset", "analyst", "grant", "reserve", "charge" or "none_proved".
  [[nodiscard]] std::string_view kind() const;

  // The one canonical text of this entry.
  [[nodiscard]] std::string to_json() const;
  // Reads such a text. Refuses (kWorld) one that is not canonical, or of a newer format
  // (kBadInput).
  static Result<Entry> from_json(std::string_view text);

  bool operator==(const Entry&) const = default;
};

}  // namespace tacit
