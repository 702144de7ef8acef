#include <cstdlib>

#include "tacit/data/server_session_internal.h"

namespace tacit::adbc {
namespace {

constexpr std::string_view kScheme = "spark://";

}  // namespace

ServerSession spark_session(const std::string& uri) {
  ServerSession session{
      .library = "libadbc_driver_spark.so",
      .entry = "AdbcDriverSparkInit",
      .options = {{"uri", uri.starts_with(kScheme) ? "sc://" + uri.substr(kScheme.size()) : uri}},
      .settings =
          {
              // Nothing in a statement is replaced, not even inside a text: ${env:HOME} would be.
              "SET spark.sql.variable.substitute = false",
              // In ANSI mode an overflow or a cast raises an error that tells of a row; without it
              // there is a value or NULL. Where that value would be wrong, the dialect guards it.
              "SET spark.sql.ansi.enabled = false",
              "SET spark.sql.parser.escapedStringLiterals = false",
              "SET spark.sql.session.timeZone = UTC",
              "SET spark.sql.timestampType = TIMESTAMP_NTZ",
              // A decimal that does not fit is NULL, not rounded to fewer places.
              "SET spark.sql.decimalOperations.allowPrecisionLoss = false",
              "SET spark.sql.groupByOrdinal = true",
              "SET spark.sql.caseSensitive = false",
          },
      .place = "spark",
      .remedy = "check the address, TACIT_SPARK_TOKEN and the Spark Connect server",
  };
  if (const char* const token = std::getenv("TACIT_SPARK_TOKEN"); token != nullptr) {
    session.options.emplace_back("adbc.spark.token", token);
  }
  return session;
}

}  // namespace tacit::adbc
