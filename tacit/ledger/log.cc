#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "tacit/ledger/log_internal.h"

namespace tacit {
namespace {

constexpr std::size_t kEntriesAtOnce = 1024;
constexpr std::size_t kLongestName = 4096;
constexpr std::size_t kLongestNote = 65536;
constexpr std::chrono::milliseconds kLongestLinger{20};

// Entries write years with four digits.
std::chrono::sys_seconds within_calendar(std::chrono::sys_seconds time) {
  using namespace std::chrono_literals;
  constexpr std::chrono::sys_seconds kFirst = std::chrono::sys_days(1970y / 1 / 1);
  constexpr std::chrono::sys_seconds kLast = std::chrono::sys_days(9999y / 12 / 31);
  return std::clamp(time, kFirst, kLast);
}

// The length of the UTF-8 character that `text` begins with (RFC 3629); 0 where there is none.
std::size_t utf8_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xed && byte(1) >= 0xa0;
  const bool beyond = lead == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

// Refuses what could not be shown to a person as it was written.
Result<void> check_text(std::string_view text, std::size_t longest, const std::string& where) {
  if (text.size() > longest) {
    return bad_input(fmt::format("the text has {} bytes; {} are kept", text.size(), longest),
                     where);
  }
  while (!text.empty()) {
    const std::size_t length = utf8_character(text);
    const auto lead = static_cast<unsigned char>(text.front());
    const bool control = (lead < 0x20 && lead != '\n' && lead != '\t') || lead == 0x7f;
    if (length == 0 || control) {
      return bad_input("the text is not UTF-8, or holds control characters", where);
    }
    text.remove_prefix(length);
  }
  return {};
}

}  // namespace

Log::Log(std::unique_ptr<Store> store, std::optional<SigningKey> key,
         std::function<std::chrono::sys_seconds()> clock, SecureStream nonces)
    : store_(std::move(store)),
      key_(std::move(key)),
      clock_(std::move(clock)),
      nonces_(std::move(nonces)) {}

Log::Turn::Turn(Log& log) : log_(log) {
  std::unique_lock lock(log_.mutex_);
  log_.changed_.wait(lock, [&] { return !log_.taken_; });
  log_.taken_ = true;
}

Log::Turn::~Turn() {
  const std::scoped_lock lock(log_.mutex_);
  log_.taken_ = false;
  log_.changed_.notify_all();
}

Result<Head> Log::append(const Draft& draft) {
  TACIT_RETURN_IF_ERROR(check_text(draft.who, kLongestName, "who"));
  TACIT_RETURN_IF_ERROR(check_text(draft.note, kLongestNote, "note"));
  Waiting mine{.draft = &draft, .outcome = {}};
  std::unique_lock lock(mutex_);
  queue_.push_back(&mine);
  if (queue_.size() == company_) arrived_.notify_one();
  changed_.wait(lock, [&] { return mine.outcome || !taken_; });
  if (mine.outcome) return *std::move(mine.outcome);

  // This thread pays for all that wait, and for those who are about to come.
  taken_ = true;
  arrived_.wait_for(lock, linger_, [&] { return queue_.size() >= company_; });
  const std::vector<Waiting*> batch = std::exchange(queue_, {});
  lock.unlock();
  const auto start = std::chrono::steady_clock::now();
  std::vector<Result<Head>> outcomes = commit(batch);
  const auto cost = std::chrono::steady_clock::now() - start;
  lock.lock();
  for (std::size_t i = 0; i < batch.size(); ++i) batch[i]->outcome = std::move(outcomes[i]);
  // Those who were served may come again, and find those who already wait.
  company_ = batch.size() + queue_.size();
  // Who lingers in vain as long as a commit takes has at most doubled the time.
  linger_ = std::min<std::chrono::steady_clock::duration>(cost, kLongestLinger);
  taken_ = false;
  changed_.notify_all();
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): the batch held this thread's own request.
  return *std::move(mine.outcome);
}

Result<void> Log::record(const StoredRelease& release) {
  const Turn turn(*this);
  TACIT_ASSIGN_OR_RETURN(const auto transaction, store_->begin());
  TACIT_RETURN_IF_ERROR(transaction->append(release));
  return transaction->commit();
}

template <class Source>
Result<void> Log::begin_from_checkpoint(Source& source) {
  TACIT_ASSIGN_OR_RETURN(const auto stored, source.last_checkpoint());
  if (!stored || Digest::of(stored->body) != stored->digest) return {};
  Result<Book> book = Book::from_json(stored->body);
  if (!book || book->head().sequence != stored->sequence || stored->sequence == 0) return {};
  TACIT_ASSIGN_OR_RETURN(const auto entries, source.read(stored->sequence - 1, 1));
  if (entries.empty() || entries.front().sequence != stored->sequence ||
      entries.front().digest != book->head().digest ||
      Digest::of(entries.front().body) != book->head().digest) {
    return {};
  }
  book_ = *std::move(book);
  return {};
}

template <class Source>
Result<void> Log::catch_up(Source& source) {
  if (book_.head().sequence == 0) TACIT_RETURN_IF_ERROR(begin_from_checkpoint(source));
  TACIT_ASSIGN_OR_RETURN(const Head head, source.head());
  if (head.sequence < book_.head().sequence) {
    return world_failed(
        fmt::format("the log has {} entries, and had {} before: it was cut short or replaced",
                    head.sequence, book_.head().sequence),
        store_->place(), "restore the newer copy; nothing is granted from this one");
  }
  while (book_.head().sequence < head.sequence) {
    TACIT_ASSIGN_OR_RETURN(const auto entries, source.read(book_.head().sequence, kEntriesAtOnce));
    if (entries.empty()) break;
    for (const StoredEntry& entry : entries) TACIT_RETURN_IF_ERROR(book_.replay(entry));
  }
  // A reader without a lock may have found entries that came after it asked for the head.
  if (book_.head().sequence == head.sequence && book_.head().digest != head.digest) {
    return world_failed("the log was replaced by another", store_->place(),
                        "restore the copy this ledger was opened with");
  }
  return {};
}

template Result<void> Log::catch_up(Store& source);

Result<void> Log::check_may_write() const {
  const bool matches = key_ ? book_.key() == key_->public_key() : !book_.key();
  if (book_.head().sequence == 0 || matches) return {};
  return bad_input(book_.key() ? "the ledger is signed, and this is not its key"
                               : "the ledger was begun without a key, and is not signed",
                   store_->place(),
                   book_.key() ? "give the steward's key file" : "leave the key out");
}

Result<StoredEntry> Log::write(const Draft& draft) {
  TACIT_RETURN_IF_ERROR(check_may_write());
  TACIT_ASSIGN_OR_RETURN(entry::Event event, draft.decide(book_));
  const Entry entry{.sequence = book_.head().sequence + 1,
                    .previous = book_.head().digest,
                    .time = within_calendar(clock_()),
                    .nonce = fmt::format("{:016x}{:016x}", nonces_.next(), nonces_.next()),
                    .who = draft.who,
                    .note = draft.note,
                    .account = draft.account,
                    .event = std::move(event)};
  StoredEntry stored{
      .sequence = entry.sequence, .body = entry.to_json(), .digest = {}, .signature = {}};
  stored.digest = Digest::of(stored.body);
  if (key_) {
    TACIT_ASSIGN_OR_RETURN(stored.signature, key_->sign(stored.body));
  }
  book_.apply(entry, stored.digest);
  return stored;
}

std::vector<Result<Head>> Log::commit(const std::vector<Waiting*>& batch) {
  std::vector<Result<Head>> outcomes(batch.size(), Head{});
  const auto done = commit_together(batch, outcomes);
  if (done) return outcomes;
  // Whether the entries are in the store is not known. Who was refused stays refused; nobody else
  // gets a permit; and the book starts again from what the store says.
  book_ = Book();
  for (Result<Head>& outcome : outcomes) {
    if (outcome) outcome = std::unexpected(done.error());
  }
  return outcomes;
}

Result<void> Log::commit_together(const std::vector<Waiting*>& batch,
                                  std::vector<Result<Head>>& outcomes) {
  TACIT_ASSIGN_OR_RETURN(const auto transaction, store_->begin());
  TACIT_RETURN_IF_ERROR(catch_up(*transaction));
  const std::uint64_t before = book_.head().sequence;
  std::vector<StoredEntry> entries;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Result<StoredEntry> entry = write(*batch[i]->draft);
    if (!entry) {
      outcomes[i] = std::unexpected(std::move(entry).error());
      continue;
    }
    outcomes[i] = Head{.sequence = entry->sequence, .digest = entry->digest};
    entries.push_back(*std::move(entry));
  }
  if (entries.empty()) return {};
  TACIT_RETURN_IF_ERROR(transaction->append(entries));
  const std::uint64_t after = book_.head().sequence;
  if (before / kEntriesPerCheckpoint != after / kEntriesPerCheckpoint) {
    StoredCheckpoint checkpoint{.sequence = after, .body = book_.to_json(), .digest = {}};
    checkpoint.digest = Digest::of(checkpoint.body);
    TACIT_RETURN_IF_ERROR(transaction->append(checkpoint));
  }
  return transaction->commit();
}

}  // namespace tacit
