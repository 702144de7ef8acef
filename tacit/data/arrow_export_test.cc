#include "tacit/data/arrow_export.h"

#include <gtest/gtest.h>

#include <string>

#include "tacit/data/arrow_reader_internal.h"

namespace tacit {
namespace {

Table wards() {
  return {.fields = {{"ward", kTextType}, {"visits", kIntegerType}},
          .columns = {{std::string("births"), Cell()}, {int128{12}, int128{-3}}}};
}

TEST(ArrowExport, ReadsBackAsTheTableThatWasGivenAway) {
  adbc::Stream stream;
  export_arrow(wards(), stream.out());
  const auto read = adbc::read_table(std::move(stream));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(*read, wards());
}

TEST(ArrowExport, WhatWasTakenOutOutlivesTheStream) {
  adbc::Array rows;
  {
    adbc::Stream stream;
    export_arrow(wards(), stream.out());
    ASSERT_EQ(stream->get_next(stream.out(), rows.out()), 0);
  }
  ASSERT_EQ(rows->length, 2);
  const auto* const visits = static_cast<const std::int64_t*>(rows->children[1]->buffers[1]);
  EXPECT_EQ(visits[0], 12);
  EXPECT_EQ(visits[1], -3);
}

TEST(ArrowExport, AStreamThatNobodyReadsIsReleased) {
  ArrowArrayStream stream{};
  export_arrow(wards(), &stream);
  stream.release(&stream);
  EXPECT_EQ(stream.release, nullptr);
}

}  // namespace
}  // namespace tacit
