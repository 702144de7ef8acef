#include "tacit/ledger/postgres/postgres_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tacit/ledger/postgres/testing/cutting_proxy.h"
#include "tacit/ledger/postgres/testing/postgres_schema.h"
#include "tacit/ledger/testing/store_suite.h"

namespace tacit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PostgresPlace final : public StorePlace {
 public:
  Result<std::unique_ptr<Store>> create() override { return schema_.create(); }
  Result<std::unique_ptr<Store>> open() override { return schema_.open(); }
  bool run_by_hand(const std::string& sql) override {
    return PostgresSchema::execute("SET search_path = " + schema_.name() + "; " + sql).has_value();
  }

 private:
  PostgresSchema schema_;
};

INSTANTIATE_TEST_SUITE_P(Postgres, StoreSuite,
                         ::testing::Values(StoreUnderTest{
                             "postgres", []() -> std::unique_ptr<StorePlace> {
                               if (PostgresSchema::uri().empty()) return nullptr;
                               return std::make_unique<PostgresPlace>();
                             }}));

StoredEntry entry(std::uint64_t sequence, const std::string& body) {
  return {.sequence = sequence, .body = body, .digest = Digest::of(body), .signature = {}};
}

// Appends one entry after the head.
Result<void> append(Store& store, const std::string& body) {
  TACIT_ASSIGN_OR_RETURN(const auto transaction, store.begin());
  TACIT_ASSIGN_OR_RETURN(const Head head, transaction->head());
  const StoredEntry next = entry(head.sequence + 1, body);
  TACIT_RETURN_IF_ERROR(transaction->append({&next, 1}));
  return transaction->commit();
}

class PostgresStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (PostgresSchema::uri().empty()) {
      GTEST_SKIP() << "no server: run under scripts/with-postgres (sets TACIT_TEST_POSTGRES)";
    }
    auto created = schema_.create();
    ASSERT_TRUE(created) << created.error().message();
    store_ = *std::move(created);
  }

  // Ends every session of this test but its own, as an administrator or a crash would.
  void kill_sessions(const std::string& application) const {
    const auto killed = PostgresSchema::execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '" +
        application + "' AND pid <> pg_backend_pid()");
    ASSERT_TRUE(killed) << killed.error().message();
  }

  // The store under a session name of its own, so that it alone can be killed.
  [[nodiscard]] std::unique_ptr<Store> open_as(const std::string& application) const {
    auto opened = open_postgres_store(PostgresSchema::uri() + "&application_name=" + application,
                                      schema_.options());
    EXPECT_TRUE(opened) << opened.error().message();
    return *std::move(opened);
  }

  PostgresSchema schema_;
  std::unique_ptr<Store> store_;
};

TEST_F(PostgresStoreTest, KeepsEveryByte) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  StoredEntry odd = entry(1, bytes);
  odd.signature.emplace();
  odd.signature->bytes.fill(0xA5);
  {
    const auto transaction = store_->begin();
    ASSERT_TRUE(transaction);
    ASSERT_TRUE((*transaction)->append({&odd, 1}));
    ASSERT_TRUE((*transaction)->commit());
  }
  const auto reopened = schema_.open();
  ASSERT_TRUE(reopened);
  EXPECT_EQ((*reopened)->head()->digest, odd.digest);
  EXPECT_THAT((*reopened)->read(0, SIZE_MAX).value(), ::testing::ElementsAre(odd));
}

TEST_F(PostgresStoreTest, TakesMoreEntriesThanOneStatementHolds) {
  std::vector<StoredEntry> entries;
  for (std::uint64_t n = 1; n <= 2500; ++n) entries.push_back(entry(n, std::to_string(n)));
  const auto transaction = store_->begin();
  ASSERT_TRUE(transaction);
  ASSERT_TRUE((*transaction)->append(entries));
  ASSERT_TRUE((*transaction)->commit());
  EXPECT_EQ(store_->read(0, SIZE_MAX).value(), entries);
  EXPECT_EQ(store_->head()->sequence, 2500U);
}

TEST_F(PostgresStoreTest, RefusesWhatIsThereAlreadyOrNotThere) {
  const auto again = schema_.create();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::kBadInput);
  EXPECT_THAT(again.error().message(), HasSubstr("already"));

  const PostgresSchema absent;
  const auto opened = absent.open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::kBadInput);
  EXPECT_THAT(opened.error().message(), HasSubstr("tacit init"));

  for (const char* const name : {"", "Upper", "a b", "a'b", "a\"b", "1a"}) {
    EXPECT_FALSE(open_postgres_store(PostgresSchema::uri(), {.schema = name})) << name;
  }
}

TEST_F(PostgresStoreTest, RefusesANewerFormatAndLeavesItAsItIs) {
  const std::string table = schema_.name() + ".store";
  ASSERT_TRUE(PostgresSchema::execute("ALTER TABLE " + table +
                                      " DISABLE TRIGGER append_only; UPDATE " + table +
                                      " SET format = 2"));
  const auto opened = schema_.open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::kBadInput);
  EXPECT_THAT(opened.error().message(), HasSubstr("newer Tacit"));
}

TEST_F(PostgresStoreTest, EvenTheOwnerCannotChangeEntries) {
  ASSERT_TRUE(append(*store_, "one"));
  const std::string table = schema_.name() + ".entries";
  for (const std::string& statement :
       {"UPDATE " + table + " SET body = 'x'", "DELETE FROM " + table, "TRUNCATE " + table,
        "UPDATE " + schema_.name() + ".store SET format = 0"}) {
    const auto changed = PostgresSchema::execute(statement);
    ASSERT_FALSE(changed) << statement;
    EXPECT_THAT(changed.error().message(), HasSubstr("append-only"));
  }
  EXPECT_EQ(store_->read(0, 10)->size(), 1U);
}

TEST_F(PostgresStoreTest, ARoleThatMayOnlyReadAndInsertIsEnough) {
  const std::string role = schema_.name() + "_clerk";
  const std::string schema = schema_.name();
  ASSERT_TRUE(PostgresSchema::execute(
      "CREATE ROLE " + role + "; GRANT USAGE ON SCHEMA " + schema + " TO " + role +
      "; GRANT SELECT ON ALL TABLES IN SCHEMA " + schema + " TO " + role + "; GRANT INSERT ON " +
      schema + ".entries, " + schema + ".checkpoints, " + schema + ".releases TO " + role));
  // The session takes the role's rights, as if it had logged in as that role.
  const std::string uri = PostgresSchema::uri() + "&options=-crole%3D" + role;
  {
    auto clerk = open_postgres_store(uri, schema_.options());
    ASSERT_TRUE(clerk) << clerk.error().message();
    EXPECT_TRUE(append(**clerk, "entered by the clerk"));
    auto connection = postgres::Connection::open(uri);
    ASSERT_TRUE(connection);
    for (const std::string& statement :
         {"UPDATE " + schema + ".entries SET body = 'x'", "DELETE FROM " + schema + ".entries",
          "TRUNCATE " + schema + ".entries", "DROP TRIGGER append_only ON " + schema + ".entries",
          "ALTER TABLE " + schema + ".entries DISABLE TRIGGER ALL",
          "DROP TABLE " + schema + ".entries"}) {
      EXPECT_FALSE(connection->execute_all(statement)) << statement;
    }
  }
  ASSERT_TRUE(PostgresSchema::execute("DROP OWNED BY " + role + "; DROP ROLE " + role));
}

TEST_F(PostgresStoreTest, AppendsOnlyWhatFollowsTheHead) {
  ASSERT_TRUE(append(*store_, "one"));
  for (const std::uint64_t sequence : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}}) {
    const auto transaction = store_->begin();
    ASSERT_TRUE(transaction);
    const StoredEntry wrong = entry(sequence, "wrong");
    EXPECT_FALSE((*transaction)->append({&wrong, 1})) << sequence;
  }
  EXPECT_EQ(store_->head()->sequence, 1U);
}

TEST_F(PostgresStoreTest, ASecondWriterWaitsForTheFirst) {
  const auto other = schema_.open();
  ASSERT_TRUE(other);
  auto first = store_->begin();
  ASSERT_TRUE(first);
  const StoredEntry one = entry(1, "first");
  ASSERT_TRUE((*first)->append({&one, 1}));
  std::thread second([&] { EXPECT_TRUE(append(**other, "second")); });
  // Whatever the second does meanwhile, it has not seen the head before the first is done.
  ASSERT_TRUE((*first)->commit());
  first->reset();
  second.join();
  EXPECT_EQ(store_->read(1, 10).value(), std::vector{entry(2, "second")});
}

TEST_F(PostgresStoreTest, CommitsOnDiskWhateverTheSessionWasToldBefore) {
  // A trigger writes down the setting under which an entry arrives.
  const std::string schema = schema_.name();
  ASSERT_TRUE(PostgresSchema::execute(
      "CREATE TABLE " + schema + ".seen (setting text); CREATE FUNCTION " + schema +
      ".note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO " + schema +
      ".seen VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$; CREATE TRIGGER "
      "note BEFORE INSERT ON " +
      schema + ".entries FOR EACH ROW EXECUTE FUNCTION " + schema + ".note()"));
  for (const char* const setting : {"off", "local", "remote_write", "on", "remote_apply"}) {
    auto lax = open_postgres_store(
        PostgresSchema::uri() + "&options=-csynchronous_commit%3D" + setting, schema_.options());
    ASSERT_TRUE(lax) << lax.error().message();
    ASSERT_TRUE(append(**lax, setting));
  }
  auto connection = postgres::Connection::open(PostgresSchema::uri());
  ASSERT_TRUE(connection);
  const auto seen = connection->execute("SELECT setting FROM " + schema + ".seen");
  ASSERT_TRUE(seen);
  std::vector<std::string> settings;
  for (int row = 0; row < seen->size(); ++row) settings.emplace_back(*seen->bytes(row, 0));
  EXPECT_THAT(settings, ::testing::ElementsAre("on", "on", "on", "on", "remote_apply"));
}

TEST_F(PostgresStoreTest, ASessionKilledBetweenTransactionsIsReplaced) {
  const std::string name = schema_.name() + "_idle";
  const auto store = open_as(name);
  ASSERT_TRUE(append(*store, "one"));
  kill_sessions(name);
  EXPECT_TRUE(append(*store, "two"));
  kill_sessions(name);
  EXPECT_EQ(store->head()->sequence, 2U);
  kill_sessions(name);
  EXPECT_EQ(store->read(0, 10)->size(), 2U);
}

TEST_F(PostgresStoreTest, ASessionKilledWithinATransactionEntersNothing) {
  const std::string name = schema_.name() + "_busy";
  const auto store = open_as(name);
  {
    const auto transaction = store->begin();
    ASSERT_TRUE(transaction);
    const StoredEntry one = entry(1, "lost");
    ASSERT_TRUE((*transaction)->append({&one, 1}));
    kill_sessions(name);
    const auto committed = (*transaction)->commit();
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().kind, ErrorKind::kWorld);
    EXPECT_THAT(committed.error().message(), HasSubstr("may have been entered"));
  }
  EXPECT_EQ(store_->head()->sequence, 0U);
  EXPECT_TRUE(append(*store, "afterwards"));
  EXPECT_EQ(store_->head()->sequence, 1U);
}

TEST_F(PostgresStoreTest, ATransactionThatFailedIsNotCommitted) {
  ASSERT_TRUE(PostgresSchema::execute("ALTER TABLE " + schema_.name() +
                                      ".entries ADD CHECK (sequence < 2)"));
  {
    const auto transaction = store_->begin();
    ASSERT_TRUE(transaction);
    const StoredEntry one = entry(1, "one");
    const StoredEntry two = entry(2, "two");
    ASSERT_TRUE((*transaction)->append({&one, 1}));
    EXPECT_FALSE((*transaction)->append({&two, 1}));
    // The server answers this COMMIT with a ROLLBACK, and no error.
    const auto committed = (*transaction)->commit();
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().kind, ErrorKind::kWorld);
  }
  EXPECT_EQ(store_->head()->sequence, 0U);
}

// The connection goes while the commit is under way: before the server hears of it, or after.
class LostCommit : public PostgresStoreTest, public ::testing::WithParamInterface<bool> {};

TEST_P(LostCommit, IsNeverReportedAsDone) {
  const bool server_hears = GetParam();
  const auto options = postgres::parse_uri(PostgresSchema::uri());
  ASSERT_TRUE(options);
  std::string user;
  std::string database;
  int port = 0;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    const std::string keyword = option->keyword;
    if (option->val == nullptr) continue;
    if (keyword == "user") user = option->val;
    if (keyword == "dbname") database = option->val;
    if (keyword == "port") port = std::stoi(option->val);
  }
  CuttingProxy proxy(port, std::string("COMMIT\0", 7), server_hears);
  auto store =
      open_postgres_store("postgresql://" + user + "@127.0.0.1:" + std::to_string(proxy.port()) +
                              "/" + database + "?sslmode=disable",
                          schema_.options());
  ASSERT_TRUE(store) << store.error().message();
  const auto committed = append(**store, "cut");
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().kind, ErrorKind::kWorld);
  EXPECT_THAT(committed.error().message(), HasSubstr("may have been entered"));
  store->reset();
  // A transaction that begins now comes after the cut one, whichever way that went.
  ASSERT_TRUE(append(*store_, "after"));
  EXPECT_EQ(store_->head()->sequence, server_hears ? 2U : 1U);
}

INSTANTIATE_TEST_SUITE_P(PostgresStoreTest, LostCommit, ::testing::Bool(),
                         [](const auto& hears) { return hears.param ? "AfterIt" : "BeforeIt"; });

TEST_F(PostgresStoreTest, TlsOptionsOfTheUriAreUsed) {
  if (!PostgresSchema::uri().contains("sslmode=verify-full"))
    GTEST_SKIP() << "a server without TLS";
  auto connection = postgres::Connection::open(PostgresSchema::uri());
  ASSERT_TRUE(connection);
  const auto rows = connection->execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->bytes(0, 0), std::string_view("\1", 1));
  // Later words override earlier ones: another authority does not vouch for this server.
  const auto refused =
      open_postgres_store(PostgresSchema::uri() + "&sslrootcert=/etc/hostname", schema_.options());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kWorld);
}

TEST_F(PostgresStoreTest, ErrorsNeverRepeatAPassword) {
  std::string wrong = PostgresSchema::uri();
  wrong += "&password=hunter2";
  const auto refused = open_postgres_store(wrong, schema_.options());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kWorld);
  EXPECT_THAT(refused.error().message(), HasSubstr("password authentication failed"));
  EXPECT_THAT(refused.error().message(), Not(HasSubstr("hunter2")));
}

TEST(PostgresUri, ErrorsNeverRepeatAPassword) {
  for (const char* const uri :
       {"postgresql://tacit:hunter2@[::1/tacit", "postgresql://tacit:hunter2/x@127.0.0.1/tacit",
        "postgresql://tacit:12/hunter2@127.0.0.1/tacit", "postgresql://tacit:hunter2@127.0.0.1:1/t",
        "host=127.0.0.1 port=1 password=hunter2", "password='hunter2",
        "postgresql://tacit:%zzhunter2@127.0.0.1/tacit", "hunter2"}) {
    const auto opened = open_postgres_store(uri);
    ASSERT_FALSE(opened) << uri;
    const bool is_name_of_database = std::string_view(uri) == "hunter2";
    if (!is_name_of_database) {
      EXPECT_THAT(opened.error().message(), Not(HasSubstr("hunter2"))) << uri;
    }
  }
}

TEST(PostgresUri, AServerThatIsNotThereIsTheWorldsFailure) {
  const auto opened = open_postgres_store("postgresql://tacit@127.0.0.1:1/tacit");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().exit_status(), 3);
  EXPECT_THAT(opened.error().message(), HasSubstr("postgresql://tacit@127.0.0.1:1/tacit"));
}

}  // namespace
}  // namespace tacit
