#include "tacit/ledger/run_permit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <variant>

#include "tacit/ledger/run_claim_internal.h"
#include "tacit/random/secure_stream.h"

namespace tacit {
namespace {

using Json = nlohmann::json;

// In a note, before what the run is bound to.
constexpr std::string_view kMark = "run ";
constexpr std::size_t kEntriesAtOnce = 1024;

Result<void> check_terms(const RunTerms& terms) {
  for (const auto& [name, value] : terms) {
    if (name.empty() || name.find_first_of("=;") != std::string::npos ||
        value.find(';') != std::string::npos) {
      return bad_input("a term of a run holds a semicolon, or its name an '='", name);
    }
  }
  return {};
}

// "run 3f2a...; clip=flat 1; examples=60000", which ends the note of the entry.
std::string terms_text(const std::string& id, const RunTerms& terms) {
  std::string text = std::string(kMark) + id;
  for (const auto& [name, value] : terms) text += fmt::format("; {}={}", name, value);
  return text;
}

RunTerms terms_in(std::string_view text) {
  RunTerms terms;
  while (!text.empty()) {
    const std::string_view term = text.substr(0, text.find("; "));
    text.remove_prefix(std::min(text.size(), term.size() + 2));
    const std::size_t equals = term.find('=');
    if (equals != std::string_view::npos) {
      terms.emplace_back(term.substr(0, equals), term.substr(equals + 1));
    }
  }
  return terms;
}

const std::string* value_of(const RunTerms& terms, const std::string& name) {
  const auto found = std::ranges::find(terms, name, [](const auto& term) { return term.first; });
  return found == terms.end() ? nullptr : &found->second;
}

Result<void> check_same(const RunTerms& begun, const RunTerms& asked) {
  const auto differs = [](const std::string& name, const std::string& was, const std::string& is) {
    return bad_input(fmt::format("the run was begun with {} {}, not {}", name, was, is), name,
                     "go on as it was begun, or begin another run, which is charged anew");
  };
  for (const auto& [name, value] : asked) {
    const std::string* const was = value_of(begun, name);
    if (was == nullptr || *was != value) return differs(name, was ? *was : "none", value);
  }
  for (const auto& [name, value] : begun) {
    if (value_of(asked, name) == nullptr) return differs(name, value, "none");
  }
  return {};
}

// An entry that reserved a run, and what its note says after the mark.
struct Reserved {
  std::uint64_t sequence = 0;
  Entry entry;
  std::string terms;
};

// The newest entry that names the run, where there is one.
Result<std::optional<Reserved>> find_run(Ledger& ledger, const std::string& id) {
  const std::string mark = std::string(kMark) + id;
  TACIT_ASSIGN_OR_RETURN(const Head head, ledger.head());
  for (std::uint64_t end = head.sequence; end > 0;) {
    const std::uint64_t from = end > kEntriesAtOnce ? end - kEntriesAtOnce + 1 : 1;
    TACIT_ASSIGN_OR_RETURN(auto entries, ledger.history(from, end - from + 1));
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
      const std::size_t at = entry->note.rfind(mark);
      if (at == std::string::npos) continue;
      const std::string after = entry->note.substr(at + mark.size());
      return Reserved{.sequence = entry->sequence, .entry = *std::move(entry), .terms = after};
    }
    end = from - 1;
  }
  return std::nullopt;
}

Result<Cost> cost_of(const Reserved& run, const Ledger::Request& request) {
  const auto* const charge = std::get_if<entry::Charge>(&run.entry.event);
  const std::string where = fmt::format("entry {}", run.sequence);
  if (charge == nullptr || charge->made_outside) {
    return bad_input("the entry that names the run reserved nothing", where);
  }
  if (run.entry.account != request.account || charge->part != request.part) {
    return bad_input("the run was begun from account " + run.entry.account.to_string() +
                         (charge->part.empty() ? "" : ", part " + charge->part),
                     request.account.to_string(), "go on with the data it was begun with");
  }
  if (charge->cost != request.cost) {
    return bad_input(
        "the run was begun as another: " + charge->cost.to_text(), where,
        "this one is " + request.cost.to_text() + "; leftover steps serve only what was reserved");
  }
  return charge->cost;
}

// The same text as Permit::entry() has.
std::string entry_name(const Entry& entry) {
  return fmt::format("{}:{}", entry.sequence, Digest::of(entry.to_json()).hex());
}

Digest claim_fingerprint(const std::string& entry, std::uint64_t number) {
  return Digest::of(fmt::format("tacit run\n{}\nclaim {}", entry, number));
}

// What a claim says.
struct Claimed {
  std::uint64_t from = 0;
  std::uint64_t steps = 0;
  std::string holder;

  [[nodiscard]] std::string to_json() const {
    return Json{{"from", from}, {"steps", steps}, {"holder", holder}}.dump();
  }
};

Result<std::optional<Claimed>> find_claim(Ledger& ledger, const std::string& dataset,
                                          const std::string& entry, std::uint64_t number) {
  TACIT_ASSIGN_OR_RETURN(const auto found,
                         ledger.find_release(dataset, claim_fingerprint(entry, number)));
  if (!found) return std::nullopt;
  const Json json = Json::parse(found->bytes, nullptr, false);
  const bool whole = json.is_object() && json.contains("from") && json.contains("steps") &&
                     json.contains("holder") && json["from"].is_number_unsigned() &&
                     json["steps"].is_number_unsigned() && json["holder"].is_string() &&
                     entry_name(found->entry) == entry;
  if (!whole) {
    return world_failed("a claim of the run is damaged, or of another run",
                        fmt::format("claim {}", number), "restore the ledger; the run stays spent");
  }
  return Claimed{json["from"].get<std::uint64_t>(), json["steps"].get<std::uint64_t>(),
                 json["holder"].get<std::string>()};
}

std::unexpected<Error> gone_on_elsewhere() {
  return bad_input("another process has gone on with this run", "run",
                   "let that one finish; this one must not go on");
}

}  // namespace

RunPermit::RunPermit(Cost cost, std::string entry, std::vector<Group> groups,
                     std::uint64_t steps_a_claim)
    : cost_(std::move(cost)),
      entry_(std::move(entry)),
      groups_(std::move(groups)),
      steps_a_claim_(std::max<std::uint64_t>(1, steps_a_claim)) {}

Result<std::vector<RunPermit::Group>> RunPermit::groups_of(const Cost& cost) {
  std::vector<Group> groups;
  const auto look_at = [&](const Cost& part) {
    const auto* const repeat = std::get_if<cost::Repeat>(&part.node());
    if (repeat != nullptr && repeat->times > 0) groups.push_back({repeat->times, *repeat->part});
  };
  const auto* const compose = std::get_if<cost::Compose>(&cost.node());
  if (compose == nullptr) {
    look_at(cost);
  } else {
    for (const Cost& part : compose->parts) look_at(part);
  }
  if (groups.empty()) {
    return bad_input("the cost has no steps: " + cost.to_text(), "run",
                     "give a repetition, or a composition of repetitions");
  }
  return groups;
}

std::uint64_t RunPermit::steps() const {
  return std::accumulate(groups_.begin(), groups_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Group& group) { return sum + group.steps; });
}

std::pair<const RunPermit::Group*, std::uint64_t> RunPermit::current() const {
  std::uint64_t end = 0;
  for (const Group& group : groups_) {
    end += group.steps;
    if (position_ < end) return {&group, end - position_};
  }
  return {nullptr, 0};
}

Result<std::string> RunPermit::new_id() {
  TACIT_ASSIGN_OR_RETURN(SecureStream stream, SecureStream::create());
  return fmt::format("{:016x}{:016x}", stream.next(), stream.next());
}

Result<RunPermit> RunPermit::of_process(Permit&& permit) {
  if (permit.spent()) return bad_input("the permit is spent already", permit.entry());
  TACIT_ASSIGN_OR_RETURN(auto groups, groups_of(permit.cost()));
  RunPermit run(permit.cost(), permit.entry(), std::move(groups), 1);
  run.whole_.emplace(std::move(permit));
  return run;
}

Result<RunPermit> RunPermit::reserve(Ledger& ledger, Ledger::Request request, const std::string& id,
                                     const RunTerms& terms, Options options) {
  TACIT_ASSIGN_OR_RETURN(auto groups, groups_of(request.cost));
  TACIT_RETURN_IF_ERROR(check_terms(terms));
  if (request.fingerprint) return bad_input("a run is reserved without a fingerprint", "run");
  TACIT_ASSIGN_OR_RETURN(std::string holder, new_id());
  request.note += (request.note.empty() ? "" : "; ") + terms_text(id, terms);
  // The permit of the whole is let go: steps get theirs as they are claimed.
  TACIT_ASSIGN_OR_RETURN(const Permit paid, ledger.reserve(request));
  RunPermit run(request.cost, paid.entry(), std::move(groups), options.steps_a_claim);
  run.ledger_ = &ledger;
  run.dataset_ = request.account.dataset;
  run.holder_ = std::move(holder);
  return run;
}

Result<RunPermit> RunPermit::resume(Ledger& ledger, const Ledger::Request& request,
                                    const std::string& id, const RunTerms& terms, Options options) {
  TACIT_ASSIGN_OR_RETURN(const auto reserved, find_run(ledger, id));
  if (!reserved) {
    return bad_input("the ledger has no run " + id, "run",
                     "name the ledger that paid, in its newest copy: an older one does not know of "
                     "it. What was never charged is begun, not gone on with");
  }
  TACIT_RETURN_IF_ERROR(check_same(terms_in(reserved->terms), terms));
  TACIT_ASSIGN_OR_RETURN(const Cost cost, cost_of(*reserved, request));
  TACIT_ASSIGN_OR_RETURN(auto groups, groups_of(cost));
  TACIT_ASSIGN_OR_RETURN(std::string holder, new_id());
  RunPermit run(cost, entry_name(reserved->entry), std::move(groups), options.steps_a_claim);
  run.ledger_ = &ledger;
  run.dataset_ = request.account.dataset;
  run.holder_ = std::move(holder);
  TACIT_RETURN_IF_ERROR(run.find_position());
  return run;
}

Result<RunPermit> RunPermit::reserve_or_resume(Ledger& ledger, const Ledger::Request& request,
                                               const std::string& id, const RunTerms& terms,
                                               Options options) {
  TACIT_ASSIGN_OR_RETURN(const auto reserved, find_run(ledger, id));
  return reserved ? resume(ledger, request, id, terms, options)
                  : reserve(ledger, request, id, terms, options);
}

// Claims have the numbers 0, 1, 2, ... without gaps, for each is made after the one before was
// seen: the first number that is free is found by doubling and halving.
Result<void> RunPermit::find_position() {
  const auto taken = [&](std::uint64_t number) -> Result<bool> {
    TACIT_ASSIGN_OR_RETURN(const auto claim, find_claim(*ledger_, dataset_, entry_, number));
    return claim.has_value();
  };
  std::uint64_t reach = 1;
  for (;; reach *= 2) {
    TACIT_ASSIGN_OR_RETURN(const bool there, taken(reach - 1));
    if (!there) break;
  }
  std::uint64_t low = reach / 2;  // claims below are taken, claim reach - 1 is not
  std::uint64_t high = reach - 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    TACIT_ASSIGN_OR_RETURN(const bool there, taken(middle));
    (there ? low : high) = there ? middle + 1 : middle;
  }
  claims_ = low;
  if (claims_ == 0) return {};
  TACIT_ASSIGN_OR_RETURN(const auto last, find_claim(*ledger_, dataset_, entry_, claims_ - 1));
  if (!last || last->from > steps() || last->steps > steps() - last->from) {
    return world_failed("a claim of the run goes beyond its steps", entry_, "restore the ledger");
  }
  position_ = last->from + last->steps;
  return {};
}

Result<Permit> RunPermit::claim_block() {
  const auto [group, left] = current();
  const std::uint64_t count = std::min(left, steps_a_claim_);
  TACIT_ASSIGN_OR_RETURN(Cost steps, Cost::repeat(count, group->step));
  const Claimed claim{.from = position_, .steps = count, .holder = holder_};
  auto block = claim_steps(*ledger_, {.entry = entry_,
                                      .fingerprint = claim_fingerprint(entry_, claims_),
                                      .bytes = claim.to_json(),
                                      .steps = std::move(steps)});
  if (!block) {
    const auto there = find_claim(*ledger_, dataset_, entry_, claims_);
    if (there && *there && (*there)->holder != holder_) return gone_on_elsewhere();
    return block;
  }
  ++claims_;
  block_end_ = position_ + count;
  return block;
}

Result<Permit> RunPermit::open_block() {
  if (ledger_ != nullptr) return claim_block();
  if (!whole_) return bad_input("the permit is spent already", entry_);
  const auto [group, left] = current();
  block_end_ = position_ + left;
  if (std::holds_alternative<cost::Repeat>(cost_.node())) return std::move(*whole_);
  TACIT_ASSIGN_OR_RETURN(const Cost steps, Cost::repeat(group->steps, group->step));
  return whole_->take(steps);
}

Result<Permit> RunPermit::next() {
  if (steps_left() == 0) {
    return bad_input("all steps that were paid for are done", entry_, "reserve another run");
  }
  if (position_ == block_end_) block_.reset();
  if (!block_) {
    TACIT_ASSIGN_OR_RETURN(Permit opened, open_block());
    block_.emplace(std::move(opened));
  }
  TACIT_ASSIGN_OR_RETURN(Permit step, block_->take(current().first->step));
  ++position_;
  return step;
}

}  // namespace tacit
