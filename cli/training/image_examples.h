#pragma once

#include "cli/training/config.h"
#include "cli/training/examples.h"
#include "tacit/base/error.h"
#include "tacit/base/progress.h"

namespace tacit::training {

// Reads images with their labels from IDX files. Refuses files that do not belong together, and
// labels that are no class.
Result<Examples> read_idx_examples(const IdxSource& source, const DataSection& data);

// Reads a folder that has a folder for each class. Refuses a picture that is damaged or of another
// size, by its name, and a folder that is no class.
Result<Examples> read_folder_examples(const FolderSource& source, const DataSection& data,
                                      const Progress& progress);

}  // namespace tacit::training
