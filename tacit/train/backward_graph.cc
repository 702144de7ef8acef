#include "tacit/train/backward_graph_internal.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tacit/train/recurrence_internal.h"
#include "tacit/train/row_owners_internal.h"

namespace tacit::train {
namespace {

using torch::autograd::AccumulateGrad;
using torch::autograd::Edge;
using torch::autograd::Node;

using ParameterPlaces = std::unordered_map<const c10::TensorImpl*, std::size_t>;

constexpr std::string_view kTranspose = "TBackward0";
constexpr std::string_view kCast = "ToCopyBackward0";

// Whether a node casts to half precision.
bool narrows(Node& node) {
  return node.name() == kCast && is_half(c10::typeMetaToScalarType(node.input_metadata(0).dtype()));
}

class GraphWalk {
 public:
  explicit GraphWalk(const std::vector<at::Tensor>& parameters) : parameters_(parameters) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      places_.emplace(parameters[i].unsafeGetTensorImpl(), i);
    }
  }

  Result<BackwardGraph> from(const Edge& root) {
    std::vector<Node*> open{root.function.get()};
    std::unordered_set<Node*> seen(open.begin(), open.end());
    while (!open.empty()) {
      Node& node = *open.back();
      open.pop_back();
      TACIT_RETURN_IF_ERROR(check_separate(node));
      TACIT_RETURN_IF_ERROR(visit(node));
      for (const Edge& next : node.next_edges()) {
        if (!next.is_valid()) continue;
        ++arrivals_[next.function.get()];
        note_shared_lookup(node, *next.function);
        if (seen.insert(next.function.get()).second) open.push_back(next.function.get());
      }
    }
    replace_shared_lookups();
    return std::move(graph_);
  }

 private:
  // The parameter that an edge leads to, if it is a leaf of ours.
  [[nodiscard]] std::optional<std::size_t> leaf(const Edge& edge) const {
    if (!edge.is_valid()) return std::nullopt;
    auto* accumulate = dynamic_cast<AccumulateGrad*>(edge.function.get());
    if (accumulate == nullptr) return std::nullopt;
    const auto place = places_.find(accumulate->variable.unsafeGetTensorImpl());
    if (place == places_.end()) return std::nullopt;
    return place->second;
  }

  // A parameter, and how it is changed on its way into an operation.
  struct Reached {
    std::size_t parameter = 0;
    bool transposed = false;
  };

  // Its transpose and its copy in half precision belong to the operation that takes them in.
  [[nodiscard]] std::optional<Reached> reached(const Edge& edge) const {
    if (const auto place = leaf(edge)) return Reached{*place};
    if (!edge.is_valid() || edge.function->num_outputs() != 1) return std::nullopt;
    Node& node = *edge.function;
    const bool transposes = node.name() == kTranspose;
    if (!transposes && !narrows(node)) return std::nullopt;
    auto next = reached(node.next_edge(0));
    if (next && transposes) next->transposed = !next->transposed;
    return next;
  }

  [[nodiscard]] std::optional<KnownArgument> argument(Node& node, std::size_t position) const {
    const auto found = reached(node.next_edge(position));
    if (!found) return std::nullopt;
    return KnownArgument{found->parameter,
                         {position, found->transposed, parameters_[found->parameter].detach()}};
  }

  Result<void> visit(Node& node) {
    graph_.half_precision.note(node);
    if (reached(Edge(node.getptr(), 0))) return {};
    std::vector<KnownArgument> arguments;
    for (std::size_t i = 0; i < node.num_outputs(); ++i) {
      if (auto found = argument(node, i)) arguments.push_back(*std::move(found));
    }
    if (arguments.empty()) return {};
    std::unique_ptr<Operation> operation = recognize(node, arguments.front().argument.parameter);
    const auto not_known = [&](const KnownArgument& a) {
      return operation == nullptr || !operation->knows(a.argument);
    };
    for (const KnownArgument& a : arguments) {
      if (not_known(a)) graph_.unknown.emplace(a.parameter, node.name());
    }
    std::erase_if(arguments, not_known);
    if (arguments.empty()) return {};
    graph_.operations.push_back({node.name(), Edge(node.getptr(), 0), output_shape(node),
                                 std::move(operation), std::move(arguments)});
    return {};
  }

  void note_shared_lookup(Node& node, Node& embedding) {
    auto operation = shared_lookup(node, embedding);
    auto table = operation == nullptr ? std::nullopt : argument(embedding, 0);
    if (!table || !operation->knows(table->argument)) return;
    std::vector<KnownArgument> arguments;
    arguments.push_back(*std::move(table));
    ++shared_arrivals_[&embedding];
    shared_.emplace_back(
        &embedding, KnownOperation{embedding.name(), Edge(node.getptr(), 0), output_shape(node),
                                   std::move(operation), std::move(arguments)});
  }

  // Where all that becomes of a lookup is given to each example, the examples are told apart there;
  // at the lookup itself their gradients are added up already.
  void replace_shared_lookups() {
    for (auto& [embedding, broadcast] : shared_) {
      if (arrivals_.at(embedding) != shared_arrivals_.at(embedding)) continue;
      std::erase_if(graph_.operations, [lookup = embedding](const KnownOperation& operation) {
        return operation.edge.function.get() == lookup;
      });
      graph_.operations.push_back(std::move(broadcast));
    }
  }

  const std::vector<at::Tensor>& parameters_;
  ParameterPlaces places_;
  std::unordered_map<const Node*, std::size_t> arrivals_;         // edges that lead to a node
  std::unordered_map<const Node*, std::size_t> shared_arrivals_;  // of these, from a broadcast
  // Embeddings, and the operations that would stand for them.
  std::vector<std::pair<const Node*, KnownOperation>> shared_;
  BackwardGraph graph_;
};

// Rows with a number in them that is not zero. What is no number comes of zero times infinity, in
// the rows of an example that overflowed, and does not count.
std::vector<std::int64_t> touched_rows(const at::Tensor& gradient, std::int64_t rows) {
  const at::Tensor values = gradient.reshape({rows, -1});
  // The largest of each row, which takes no memory beside it.
  const at::Tensor largest = at::linalg_vector_norm(values, at::Scalar(INFINITY), {1});
  at::Tensor touched = largest.ne(0);
  const at::Tensor unclear = largest.isnan().nonzero().flatten();
  if (unclear.numel() > 0) {
    const at::Tensor part = values.index_select(0, unclear);
    touched.index_put_({unclear}, part.ne(0).logical_and_(part.isnan().logical_not_()).any(1));
  }
  const at::Tensor found = touched.nonzero().flatten().cpu();
  const auto* data = found.const_data_ptr<std::int64_t>();
  return {data, data + found.numel()};
}

// Shows the gradient of what an operation gave out to a visitor, while that is there: hooks stay
// with the graph.
class ShowGradient final : public torch::autograd::FunctionPreHook {
 public:
  ShowGradient(std::size_t operation, std::weak_ptr<const GradientVisitor> visitor)
      : operation_(operation), visitor_(std::move(visitor)) {}

  torch::autograd::variable_list operator()(
      const torch::autograd::variable_list& gradients) override {
    const auto visitor = visitor_.lock();
    if (visitor != nullptr && gradients.front().defined()) {
      const c10::NoGradGuard no_grad;
      (*visitor)(operation_, gradients.front());
    }
    return gradients;
  }

 private:
  std::size_t operation_;
  std::weak_ptr<const GradientVisitor> visitor_;
};

// Marks the operations behind which there is no other.
void mark_last(Node& root, std::vector<KnownOperation>& operations) {
  std::unordered_set<const Node*> known;
  for (const KnownOperation& operation : operations) known.insert(operation.edge.function.get());
  std::unordered_map<const Node*, bool> leads_to_known;  // of nodes whose next are all done
  std::vector<Node*> open{&root};
  while (!open.empty()) {
    Node& node = *open.back();
    const std::size_t before = open.size();
    bool leads = false;
    for (const Edge& edge : node.next_edges()) {
      if (!edge.is_valid()) continue;
      const auto done = leads_to_known.find(edge.function.get());
      if (done == leads_to_known.end()) {
        open.push_back(edge.function.get());
      } else {
        leads = leads || done->second || known.contains(edge.function.get());
      }
    }
    if (open.size() > before) continue;
    leads_to_known[&node] = leads;
    open.pop_back();
  }
  for (KnownOperation& operation : operations) {
    operation.last = !leads_to_known.at(operation.edge.function.get());
  }
}

// Whose each row of an operation is, as far as the losses of this batch tell; nothing where losses
// of several examples reach one.
using Owners = std::optional<std::vector<std::int64_t>>;

// The marks of every operation's rows, pass by pass.
std::vector<std::vector<at::Tensor>> marks_of(const at::Tensor& losses, const BackwardGraph& graph,
                                              const OwnerSearch& search) {
  std::vector<std::vector<at::Tensor>> marks(graph.operations.size());
  for (const at::Tensor& weights : search.weights().to(losses.options()).unbind()) {
    std::vector<at::Tensor> met(graph.operations.size());
    visit_output_gradients(losses, weights, graph, /*keep_graph=*/true,
                           [&](std::size_t i, const at::Tensor& g) {
                             met[i] = OwnerSearch::marks_of(g, graph.operations[i].rows());
                           });
    for (std::size_t i = 0; i < met.size(); ++i) {
      marks[i].push_back(met[i].defined() ? met[i]
                                          : OwnerSearch::no_marks(graph.operations[i].rows()));
    }
  }
  return marks;
}

std::vector<Owners> owners_by_search(const at::Tensor& losses, const BackwardGraph& graph) {
  const OwnerSearch search(losses.size(0));
  std::vector<Owners> owners;
  for (const auto& marks : marks_of(losses, graph, search)) owners.push_back(search.owners(marks));
  return owners;
}

// As many examples show an order.
constexpr std::int64_t kEnough = 3;

// Of the first example, the last and one between them alone: float16 cannot hold the weights by
// which the rows of all are found.
std::vector<Owners> owners_by_probes(const at::Tensor& losses, const BackwardGraph& graph) {
  const std::int64_t examples = losses.size(0);
  std::vector<Owners> owners;
  for (const KnownOperation& operation : graph.operations) {
    owners.emplace_back(std::in_place, operation.rows(), ExampleLayout::kNobody);
  }
  for (const std::int64_t example : std::set<std::int64_t>{0, examples / 2, examples - 1}) {
    const at::Tensor weights = at::zeros_like(losses);
    weights[example] = 1;
    visit_output_gradients(
        losses, weights, graph, /*keep_graph=*/true, [&](std::size_t i, const at::Tensor& g) {
          for (const std::int64_t row : touched_rows(g, graph.operations[i].rows())) {
            if (!owners[i]) return;
            std::int64_t& owner = (*owners[i])[static_cast<std::size_t>(row)];
            if (owner != ExampleLayout::kNobody) {
              owners[i].reset();
            } else {
              owner = example;
            }
          }
        });
  }
  return owners;
}

// The order of rows of which these owners are known; nothing where they are too few to tell.
std::optional<ExampleLayout> clear_order(std::int64_t examples,
                                         const std::vector<std::int64_t>& owners,
                                         const std::vector<ExampleLayout>& orders) {
  std::set<std::int64_t> shown(owners.begin(), owners.end());
  shown.erase(ExampleLayout::kNobody);
  const bool enough = std::cmp_greater_equal(shown.size(), std::min(kEnough, examples));
  if (orders.size() != 1 || !enough) return std::nullopt;
  return orders.front();
}

void add_all(std::map<std::size_t, std::string>& parameters, const KnownOperation& operation) {
  for (const KnownArgument& a : operation.arguments) {
    parameters.emplace(a.parameter, operation.name);
  }
}

}  // namespace

std::int64_t KnownOperation::rows() const {
  const auto dimensions = operation->row_dimensions(static_cast<std::int64_t>(shape.size()));
  return std::accumulate(shape.begin(), shape.begin() + dimensions, std::int64_t{1},
                         std::multiplies<>());
}

Result<BackwardGraph> find_uses(const at::Tensor& losses,
                                const std::vector<at::Tensor>& parameters) {
  const Edge root = torch::autograd::impl::gradient_edge(losses);
  unfuse_recurrences(root);
  TACIT_ASSIGN_OR_RETURN(BackwardGraph graph, GraphWalk(parameters).from(root));
  graph.signature = signature_of(root, losses.size(0));
  mark_last(*root.function, graph.operations);
  return graph;
}

void visit_output_gradients(const at::Tensor& losses, const at::Tensor& weights,
                            const BackwardGraph& graph, bool keep_graph,
                            const GradientVisitor& visitor) {
  const auto shown_to = std::make_shared<const GradientVisitor>(visitor);
  torch::autograd::edge_list ends;
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const KnownOperation& operation = graph.operations[i];
    operation.edge.function->add_tensor_pre_hook(std::make_unique<ShowGradient>(i, shown_to));
    if (operation.last) ends.push_back(operation.edge);
  }
  if (ends.empty()) return;
  torch::autograd::Engine::get_default_engine().execute(
      {torch::autograd::impl::gradient_edge(losses)}, {weights}, keep_graph,
      /*create_graph=*/false, /*accumulate_grad=*/false, ends);
}

Result<std::vector<ExampleLayout>> find_layouts(const at::Tensor& losses, BackwardGraph& graph,
                                                bool& certain) {
  const std::int64_t examples = losses.size(0);
  const bool chosen = graph.signature.data_chooses;
  const bool narrow = graph.half_precision.narrow;
  certain = !chosen;
  const auto not_in_float16 = [&] {
    return bad_input("rows of examples are looked for with weights that float16 cannot hold",
                     graph.half_precision.operation, "train in bfloat16");
  };
  if (narrow && chosen) return not_in_float16();
  auto owners = narrow ? owners_by_probes(losses, graph) : owners_by_search(losses, graph);
  std::vector<ExampleLayout> layouts;
  std::vector<KnownOperation> kept;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    KnownOperation& operation = graph.operations[i];
    Owners found = std::move(owners[i]);
    if (!found && operation.rows() % examples == 0) {
      return bad_input("the loss of one example depends on the rows of another here",
                       operation.name,
                       "give losses of examples that the model does not mix, one for each");
    }
    if (!found) {
      add_all(graph.unknown, operation);
      certain = false;
      continue;
    }
    const auto orders = chosen ? std::vector<ExampleLayout>() : orders_of(examples, *found);
    if (orders.empty()) {
      if (narrow) return not_in_float16();
      certain = false;
      layouts.push_back(ExampleLayout::of_owners(examples, *std::move(found)));
    } else if (auto order = clear_order(examples, *found, orders)) {
      layouts.push_back(*std::move(order));
    } else {
      add_all(graph.unclear, operation);
      certain = false;
      continue;
    }
    kept.push_back(std::move(operation));
  }
  graph.operations = std::move(kept);
  mark_last(*torch::autograd::impl::gradient_edge(losses).function, graph.operations);
  return layouts;
}

}  // namespace tacit::train
