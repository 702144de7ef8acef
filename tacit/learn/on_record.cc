#include "tacit/learn/on_record.h"

#include <fmt/format.h>

#include <utility>

#include "tacit/sql/release_record.h"

namespace tacit::learn {

Result<std::optional<RecordedRelease>> find_on_record(const Digest& fingerprint,
                                                      const sql::Asker& asker, Ledger& ledger) {
  if (asker.fresh) return std::nullopt;
  TACIT_ASSIGN_OR_RETURN(const auto recorded,
                         ledger.find_release(asker.account.dataset, fingerprint));
  if (!recorded) return std::nullopt;
  RecordedRelease out;
  TACIT_ASSIGN_OR_RETURN(out.release, sql::from_record(recorded->bytes));
  out.asked.entry = fmt::format("{}:{}", recorded->paid.sequence, recorded->paid.digest.hex());
  out.asked.on_record = sql::OnRecord{.who = recorded->entry.who, .time = recorded->entry.time};
  out.asked.release = Digest::of(sql::to_record(out.release));
  return out;
}

void keep_on_record(const sql::Release& released, const Digest& fingerprint, Ledger& ledger,
                    sql::Asked& asked) {
  std::string record = sql::to_record(released);
  asked.release = Digest::of(record);
  const auto kept = ledger.record_release(
      {.entry = asked.entry, .fingerprint = fingerprint, .bytes = std::move(record)});
  if (!kept) asked.not_recorded = kept.error();
}

}  // namespace tacit::learn
