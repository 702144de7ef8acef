#pragma once

#include <filesystem>
#include <optional>

#include "cli/training/config.h"
#include "cli/training/section.h"
#include "tacit/base/error.h"

namespace tacit::training {

// The sections of a configuration, one by one. Paths start at `folder`.

Result<DataSection> read_data_section(const Section& from, const std::filesystem::path& folder);
Result<TestSection> read_test_section(const Section& from, const DataSection& data,
                                      const std::filesystem::path& folder);
Result<AugmentationSection> read_augmentation_section(const Section& from, const DataSection& data);
Result<ModelSection> read_model_section(const Section& from);
Result<PrivacySection> read_privacy_section(const Section& from);
Result<TrainingSection> read_training_section(const Section& from);
Result<OutputSection> read_output_section(const Section& from, const std::filesystem::path& folder);

// Sets `value` where the key is there.
template <class Value, class Found>
void set(Value& value, Found&& found) {
  if (found) value = static_cast<Value>(*std::forward<Found>(found));
}

}  // namespace tacit::training
