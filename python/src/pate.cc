#include "python/src/pate.h"

#include <pybind11/stl.h>

#include <type_traits>
#include <utility>

#include "python/src/errors.h"
#include "tacit/learn/pate/teachers.h"
#include "tacit/learn/pate/votes_certificate.h"
#include "tacit/ledger/run_folder.h"
#include "tacit/sql/certificate.h"

namespace tacit::python {
namespace {

namespace py = pybind11;
using learn::PatePlan;
using learn::Teachers;
using learn::VoteNoise;
using learn::Votes;

// Runs without the GIL; the value, or the exception that the error is in Python.
template <class Work>
auto freely(const Work& work) {
  auto result = [&] {
    const py::gil_scoped_release release;
    return work();
  }();
  if (!result) raise(result.error());
  return *std::move(result);
}

Rational number(const std::string& text, const char* argument) {
  auto value = Rational::parse(text);
  if (!value) raise(Error{.what = value.error().what, .where = argument});
  return *std::move(value);
}

VoteNoise noise_named(const std::string& name) {
  if (name == "gaussian") return VoteNoise::kGaussian;
  if (name == "laplace") return VoteNoise::kLaplace;
  raise(Error{.what = "'" + name + "' is no noise for votes",
              .where = "noise",
              .remedy = "choose gaussian or laplace"});
}

// A test as (threshold, deviation); a sanitiser as (order, smoothness, rho, delta), None for the
// default.
using Test = std::tuple<std::uint64_t, std::string>;
using Text = std::optional<std::string>;
using Hindsight = std::tuple<std::optional<double>, Text, Text, Text>;

learn::SanitiserPlan sanitiser_of(const Hindsight& given) {
  const auto& [order, smoothness, rho, delta] = given;
  learn::SanitiserPlan plan;
  if (order) plan.order = *order;
  if (smoothness) plan.smoothness = number(*smoothness, "smoothness");
  if (rho) plan.rho = number(*rho, "rho");
  if (delta) plan.delta = number(*delta, "delta");
  return plan;
}

Votes make_votes(std::uint64_t classes, const std::string& noise, const std::string& scale,
                 std::uint64_t questions, std::uint64_t answers, const std::optional<Test>& test,
                 const std::optional<Hindsight>& hindsight) {
  PatePlan plan;
  plan.classes = classes;
  plan.noise = noise_named(noise);
  plan.scale = number(scale, "scale");
  plan.questions = questions;
  plan.answers = answers;
  if (test) {
    const auto& [threshold, deviation] = *test;
    plan.test = learn::ConfidenceTest{.threshold = threshold,
                                      .deviation = number(deviation, "test_deviation")};
  }
  if (hindsight) plan.hindsight = sanitiser_of(*hindsight);
  return freely([&] { return Votes::create(plan); });
}

Teachers make_teachers(std::uint64_t count) {
  return freely([&]() -> Result<Teachers> {
    TACIT_ASSIGN_OR_RETURN(SecureStream stream, SecureStream::create());
    return Teachers::create(count, stream);
  });
}

std::vector<std::uint64_t> teachers_of(const Teachers& teachers,
                                       const std::vector<std::string>& units) {
  std::vector<std::uint64_t> out;
  out.reserve(units.size());
  for (const std::string& unit : units) out.push_back(teachers.of(unit));
  return out;
}

std::shared_ptr<PayingAccount> workspace_account(const std::string& place, const std::string& name,
                                                 const std::string& who) {
  return std::make_shared<PayingAccount>(
      freely([&] { return PayingAccount::of_workspace(place, name, who); }));
}

std::shared_ptr<PayingAccount> file_account(const std::string& file, const std::string& name,
                                            const std::string& who, double epsilon, double delta,
                                            const Votes& votes) {
  return std::make_shared<PayingAccount>(freely([&] {
    return PayingAccount::in_file({.file = file,
                                   .name = name,
                                   .epsilon = epsilon,
                                   .delta = delta,
                                   .cost = votes.cost(),
                                   .note = "votes of teachers, without a workspace"},
                                  who);
  }));
}

// The folder of a run, until it is closed: a traceback must not keep it locked.
class OpenFolder {
 public:
  // Begun where there is none.
  explicit OpenFolder(const std::string& path)
      : folder_(freely([&] {
          return RunFolder::has_run(path) ? RunFolder::open(path) : RunFolder::begin(path);
        })) {}

  [[nodiscard]] std::string id() const { return opened().id(); }
  [[nodiscard]] std::optional<std::string> kept() const {
    return freely([&] { return opened().checkpoint(); });
  }
  void keep(const std::string& text) const {
    freely([&]() -> Result<bool> {
      TACIT_RETURN_IF_ERROR(opened().keep_checkpoint(text));
      return true;
    });
  }
  void close() { folder_.reset(); }

 private:
  [[nodiscard]] const RunFolder& opened() const {
    if (!folder_) throw py::value_error("the folder is closed");
    return *folder_;
  }

  std::optional<RunFolder> folder_;
};

}  // namespace

Voting::Voting(std::shared_ptr<PayingAccount> account, Votes votes, RunPermit permit)
    : account_(std::move(account)), votes_(std::move(votes)), permit_(std::move(permit)) {}

Result<std::unique_ptr<Voting>> Voting::reserve(std::shared_ptr<PayingAccount> account, Votes votes,
                                                const Reservation& reservation) {
  TACIT_ASSIGN_OR_RETURN(Cost cost, Cost::repeat(1, votes.cost()));
  TACIT_ASSIGN_OR_RETURN(RunPermit permit, account->reserve({.cost = std::move(cost),
                                                             .note = reservation.note,
                                                             .id = reservation.id,
                                                             .terms = reservation.terms}));
  if (permit.steps_left() == 0) {
    return bad_input("the votes of this run were begun before, and their answers are lost",
                     permit.entry(), "keep answers elsewhere, which is charged anew");
  }
  return std::unique_ptr<Voting>(
      new Voting(std::move(account), std::move(votes), std::move(permit)));
}

Result<std::optional<std::uint64_t>> Voting::ask(const std::vector<std::uint64_t>& counts) {
  if (ended_) return bad_input("the votes are over", "ask", "begin a new run");
  if (!run_) {
    TACIT_ASSIGN_OR_RETURN(Permit permit, permit_.next());
    TACIT_ASSIGN_OR_RETURN(run_, votes_.begin(std::move(permit)));
  }
  return run_->ask(counts);
}

Result<std::optional<double>> Voting::end(double delta) {
  if (ended_ || !run_) return bad_input("no votes are under way", "end");
  ended_ = true;
  if (!votes_.plan().hindsight) return std::nullopt;
  TACIT_ASSIGN_OR_RETURN(hindsight_, std::move(*run_).hindsight());
  TACIT_ASSIGN_OR_RETURN(const double epsilon, hindsight_->epsilon(delta));
  return epsilon;
}

std::uint64_t Voting::answers_left() const {
  return run_ ? run_->answers_left() : votes_.plan().answers;
}

Result<double> Voting::unsanitised_epsilon(double delta) const {
  return run_ ? run_->unsanitised().epsilon(delta) : learn::UnsanitisedCost().epsilon(delta);
}

Result<std::string> Voting::certificate(const std::string& question, double delta) {
  sql::Asked asked;
  asked.entry = permit_.entry();
  TACIT_ASSIGN_OR_RETURN(
      const auto facts, sql::certificate_facts(asked, question, TACIT_VERSION, account_->ledger()));
  learn::VotesOutcome outcome{.hindsight = hindsight_};
  if (run_) {
    outcome.asked = votes_.plan().questions - run_->questions_left();
    outcome.answered = votes_.plan().answers - run_->answers_left();
  }
  TACIT_ASSIGN_OR_RETURN(const sql::Json proved,
                         learn::votes_certificate(votes_, outcome, delta, facts));
  return proved.dump();
}

void define_pate(py::module_& module) {
  py::class_<Votes>(module, "Votes")
      .def(py::init(&make_votes), py::arg("classes"), py::arg("noise"), py::arg("scale"),
           py::arg("questions"), py::arg("answers"), py::arg("test"), py::arg("hindsight"))
      .def_property_readonly("cost", [](const Votes& votes) { return votes.cost().to_json(); })
      .def(
          "epsilon",
          [](const Votes& votes, double delta) {
            return freely([&] { return votes.epsilon(delta); });
          },
          py::arg("delta"));

  py::class_<Teachers>(module, "Teachers")
      .def(py::init(&make_teachers), py::arg("count"))
      .def("of", teachers_of, py::arg("units"));

  py::class_<PayingAccount, std::shared_ptr<PayingAccount>>(module, "PayingAccount")
      .def_property_readonly("name", &PayingAccount::name)
      .def(
          "reserve",
          [](const std::shared_ptr<PayingAccount>& account, const Votes& votes,
             const std::string& note, const std::optional<std::string>& id, const RunTerms& terms) {
            return freely([&] {
              return Voting::reserve(account, votes, {.note = note, .id = id, .terms = terms});
            });
          },
          py::arg("votes"), py::arg("note"), py::arg("id"), py::arg("terms"));

  py::class_<OpenFolder>(module, "RunFolder")
      .def(py::init<const std::string&>(), py::arg("path"))
      .def_property_readonly("id", &OpenFolder::id)
      .def("kept", &OpenFolder::kept)
      .def("keep", &OpenFolder::keep, py::arg("text"))
      .def("close", &OpenFolder::close);

  py::class_<Voting>(module, "Voting")
      .def_property_readonly("answers_left", &Voting::answers_left)
      .def(
          "ask",
          [](Voting& voting, const std::vector<std::uint64_t>& counts) {
            return freely([&] { return voting.ask(counts); });
          },
          py::arg("counts"))
      .def(
          "end",
          [](Voting& voting, double delta) { return freely([&] { return voting.end(delta); }); },
          py::arg("delta"))
      .def(
          "unsanitised_epsilon",
          [](const Voting& voting, double delta) {
            return freely([&] { return voting.unsanitised_epsilon(delta); });
          },
          py::arg("delta"))
      .def(
          "certificate",
          [](Voting& voting, const std::string& question, double delta) {
            return freely([&] { return voting.certificate(question, delta); });
          },
          py::arg("question"), py::arg("delta"));

  module.def("workspace_account", workspace_account, py::arg("place"), py::arg("name"),
             py::arg("who"));
  module.def("file_account", file_account, py::arg("file"), py::arg("name"), py::arg("who"),
             py::arg("epsilon"), py::arg("delta"), py::arg("votes"));
}

}  // namespace tacit::python
