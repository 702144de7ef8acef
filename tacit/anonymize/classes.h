#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/anonymize/codes.h"
#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/lattice.h"
#include "tacit/anonymize/recoder_internal.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// One class, as a criterion sees it.
struct ClassView {
  std::uint64_t rows = 0;
  std::uint64_t population = 0;           // 0 where there is no population
  std::span<const Histogram> histograms;  // one a sensitive column
};

// The rows of a table that look alike at a node, class by class.
struct Classes {
  Layout layout;
  std::vector<std::uint64_t> keys;        // layout.words for each class
  std::vector<std::uint64_t> counts;      // rows; 0 where only the population has some
  std::vector<std::uint64_t> population;  // empty where there is none
  std::vector<Histograms> sensitive;      // one a sensitive column, or none where not asked for

  [[nodiscard]] std::size_t size() const { return counts.size(); }
  [[nodiscard]] const Node& node() const { return layout.node; }
  // The code (see Codes) of a class in a column.
  [[nodiscard]] std::uint32_t code(std::size_t index, std::size_t column) const {
    return layout.code(keys.data() + (index * layout.words), column);
  }
  // Adds the rows of some classes to those of their codes in a column.
  void add_rows(std::size_t column, std::span<const std::uint32_t> classes,
                std::span<std::uint64_t> rows) const;
  // The histograms are written to `room`, which must outlive the view.
  [[nodiscard]] ClassView view(std::size_t index, std::vector<Histogram>& room) const;
};

// Puts records into classes. Not to be shared between threads: it keeps its scratch space.
class Grouper {
 public:
  // Both must outlive it. `with_histograms`: classes carry those of the sensitive columns.
  Grouper(const Records& records, std::span<const Hierarchy> hierarchies,
          bool with_histograms = false);
  Grouper(const Grouper&) = delete;
  Grouper& operator=(const Grouper&) = delete;
  ~Grouper() = default;

  [[nodiscard]] const Codes& codes() const { return codes_; }
  // At level 0 of every column each record is a class, in the order of the records.
  [[nodiscard]] Classes finest() const;
  // The classes of a node, from those of a node below it: as many steps as there are of those.
  [[nodiscard]] Classes coarsen(const Classes& finer, const Node& node);
  // Where each finer class went in the last coarsening.
  [[nodiscard]] std::span<const std::uint32_t> class_of() const { return class_of_; }

 private:
  std::size_t number(const Classes& finer, const Layout& layout);
  std::size_t number_directly(const Classes& finer, std::uint32_t bits);
  std::size_t number_small_keys(const Classes& finer);
  std::size_t number_by_hashing(const Classes& finer, std::size_t words);
  void clear_slots(std::size_t size);
  void grow(std::size_t classes);
  [[nodiscard]] Histograms merge(const Histograms& finer, std::size_t classes);
  void order_by_class(std::size_t classes);

  static constexpr std::size_t kFewestSlots = 4096;

  const Records& records_;
  bool with_histograms_;
  Codes codes_;
  // Scratch space.
  Recoder recoder_;
  std::vector<std::uint32_t> class_of_;  // the finer classes
  std::vector<std::uint64_t> keys_;      // of the classes
  std::vector<std::uint64_t> counts_;    // their rows
  std::vector<std::uint32_t> direct_;    // the class of each key
  std::vector<std::uint64_t> slots_;
  int shift_ = 0;                            // from a hash to its slot
  std::vector<std::uint32_t> members_;       // finer classes, class by class
  std::vector<std::uint32_t> member_ends_;   // of each class
  std::vector<std::uint64_t> value_counts_;  // of one class
  std::vector<std::uint32_t> cell_values_;   // of all classes
  std::vector<std::uint64_t> cell_counts_;
};

}  // namespace tacit::anonymize
