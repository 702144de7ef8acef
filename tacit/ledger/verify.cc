#include <fmt/format.h>

#include <utility>

#include "tacit/ledger/book_internal.h"
#include "tacit/ledger/ledger.h"

namespace tacit {
namespace {

constexpr std::size_t kEntriesAtOnce = 1024;

std::unexpected<Error> bad_entry(const StoredEntry& stored, std::string why) {
  return world_failed(std::move(why), fmt::format("entry {}", stored.sequence));
}

// One reading of the log from its beginning.
class Verification {
 public:
  Verification(std::string place, const Ledger::Expected& expected,
               std::optional<StoredCheckpoint> checkpoint)
      : place_(std::move(place)), expected_(expected), checkpoint_(std::move(checkpoint)) {}

  Result<void> read(const StoredEntry& stored) {
    TACIT_ASSIGN_OR_RETURN(const Entry entry, book_.replay(stored));
    TACIT_RETURN_IF_ERROR(check_signature(stored));
    TACIT_RETURN_IF_ERROR(check_promise(stored, entry));
    TACIT_RETURN_IF_ERROR(check_price(entry));
    TACIT_RETURN_IF_ERROR(check_checkpoint());
    head_found_ = head_found_ || stored.digest == expected_.head;
    return {};
  }

  Result<Ledger::Verified> finish() && {
    if (book_.head().sequence == 0) return world_failed("the log is empty", place_);
    if (expected_.head && !head_found_) {
      return world_failed(
          fmt::format("no entry has the digest {}; the log ends at entry {} with {}",
                      expected_.head->hex(), book_.head().sequence, book_.head().digest.hex()),
          place_,
          "the log was cut short, restored from an older copy, or written anew; find the copy "
          "that has this entry");
    }
    if (checkpoint_ && checkpoint_->sequence > book_.head().sequence) {
      return bad_checkpoint(checkpoint_->sequence);
    }
    verified_.head = book_.head();
    verified_.key = book_.key();
    return std::move(verified_);
  }

 private:
  Result<void> check_signature(const StoredEntry& stored) const {
    const auto& key = book_.key();
    if (expected_.key && key != expected_.key) {
      return bad_entry(stored, "the log is not signed with the expected key");
    }
    if (!key) return {};
    if (!stored.signature || !key->verifies(stored.body, *stored.signature)) {
      return bad_entry(stored, "its signature is not the steward's");
    }
    return {};
  }

  // A budget whose curve does not convert to its epsilon promises what it does not keep.
  static Result<void> check_promise(const StoredEntry& stored, const Entry& entry) {
    const Budget* budget = nullptr;
    if (const auto* event = std::get_if<entry::NewDataset>(&entry.event)) budget = &event->budget;
    if (const auto* event = std::get_if<entry::NewAnalyst>(&entry.event)) budget = &event->budget;
    if (const auto* event = std::get_if<entry::Grant>(&entry.event)) budget = &event->budget;
    if (budget == nullptr || budget->keeps_its_promise()) return {};
    return bad_entry(stored, "its curve does not convert to the epsilon and delta it promises");
  }

  // The price this version would ask. Less is fine: bounds get better.
  Result<void> check_price(const Entry& entry) {
    const auto* charge = std::get_if<entry::Charge>(&entry.event);
    if (charge == nullptr) return {};
    for (const entry::Posting& posting : charge->postings) {
      TACIT_ASSIGN_OR_RETURN(const Account account, book_.account(posting.account));
      const auto price = account.budget.price(charge->cost);
      if (price && price->fits(posting.charge)) continue;
      verified_.underpriced.push_back(entry.sequence);
      break;
    }
    return {};
  }

  // What opening would begin with must be what the log adds up to. Earlier ones are never read.
  [[nodiscard]] Result<void> check_checkpoint() const {
    if (!checkpoint_ || checkpoint_->sequence != book_.head().sequence) return {};
    const bool holds = checkpoint_->digest == Digest::of(checkpoint_->body) &&
                       checkpoint_->body == book_.to_json();
    if (!holds) return bad_checkpoint(checkpoint_->sequence);
    return {};
  }

  static std::unexpected<Error> bad_checkpoint(std::uint64_t sequence) {
    return world_failed("it does not say what the log adds up to",
                        fmt::format("checkpoint of entry {}", sequence),
                        "it was damaged or changed; do not grant anything from this ledger before "
                        "you know which");
  }

  std::string place_;
  const Ledger::Expected& expected_;
  std::optional<StoredCheckpoint> checkpoint_;
  bool head_found_ = false;
  Book book_;
  Ledger::Verified verified_;
};

}  // namespace

Result<Ledger::Verified> Ledger::verify(Store& store, const Expected& expected) {
  TACIT_RETURN_IF_ERROR(store.check_whole());
  TACIT_ASSIGN_OR_RETURN(auto checkpoint, store.last_checkpoint());
  Verification verification(store.place(), expected, std::move(checkpoint));
  for (std::uint64_t after = 0;;) {
    TACIT_ASSIGN_OR_RETURN(const auto entries, store.read(after, kEntriesAtOnce));
    if (entries.empty()) return std::move(verification).finish();
    for (const StoredEntry& entry : entries) TACIT_RETURN_IF_ERROR(verification.read(entry));
    after = entries.back().sequence;
  }
}

}  // namespace tacit
