/// The receiver's tables in PostgreSQL. Times are milliseconds since 1970 in UTC.
enum PostgresSchema {
  struct Migration: Sendable {
    let name: String
    let sql: String
  }

  /// Append-only: what has run somewhere stays as it is.
  static let migrations = [
    Migration(
      name: "1 accounts, records and images",
      sql: """
        CREATE TABLE organization (
          id TEXT PRIMARY KEY,
          token_lookup BIGINT NOT NULL,
          token_digest BYTEA NOT NULL UNIQUE,
          created_at BIGINT NOT NULL
        );

        CREATE INDEX organization_token ON organization (token_lookup);

        -- Numbers are never given twice: a request that began before its user was deleted must not find the next one.
        CREATE TABLE account (
          number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          id TEXT NOT NULL UNIQUE,
          organization_id TEXT NOT NULL REFERENCES organization (id),
          uid TEXT NOT NULL,
          token_lookup BIGINT NOT NULL,
          token_digest BYTEA NOT NULL UNIQUE,
          status TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
          time_zone TEXT,
          country_code TEXT,
          created_at BIGINT NOT NULL,
          updated_at BIGINT NOT NULL,
          UNIQUE (organization_id, uid)
        );

        CREATE INDEX account_token ON account (token_lookup);

        -- space is what log_id is unique in, kind the type of the record. Numbers are the order of insertion.
        CREATE TABLE record (
          number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          id TEXT NOT NULL UNIQUE,
          account_number BIGINT NOT NULL REFERENCES account (number),
          space TEXT NOT NULL,
          kind TEXT NOT NULL,
          log_id TEXT NOT NULL,
          revision BIGINT NOT NULL,
          checksum TEXT NOT NULL,
          content TEXT NOT NULL,
          source_type TEXT,
          start_time BIGINT NOT NULL,
          created_at BIGINT NOT NULL,
          updated_at BIGINT NOT NULL,
          UNIQUE (account_number, space, log_id)
        );

        CREATE INDEX record_time ON record (account_number, kind, start_time);

        CREATE TABLE media (
          number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          id TEXT NOT NULL UNIQUE,
          record_number BIGINT NOT NULL REFERENCES record (number) ON DELETE CASCADE,
          checksum TEXT NOT NULL,
          content_type TEXT NOT NULL CHECK (content_type IN ('image/jpeg', 'image/png')),
          size BIGINT NOT NULL,
          created_at BIGINT NOT NULL,
          content BYTEA NOT NULL,
          UNIQUE (record_number, checksum)
        );
        """),
    Migration(
      name: "2 fleets of gateways",
      sql: """
        -- Who may speak to the message server: a gateway has an organisation, a receiver none. Answers come under the name,
        -- which is therefore nobody else's.
        CREATE TABLE fleet_key (
          number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          organization_id TEXT REFERENCES organization (id),
          name TEXT NOT NULL UNIQUE,
          public_key TEXT NOT NULL UNIQUE,
          created_at BIGINT NOT NULL
        );

        -- What came as a message and will never be a record. It is health data of its user, and goes with them.
        CREATE TABLE refused (
          number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          account_number BIGINT NOT NULL REFERENCES account (number),
          subject TEXT NOT NULL,
          message_id TEXT NOT NULL,
          reason TEXT NOT NULL,
          checksum TEXT NOT NULL,
          payload BYTEA NOT NULL,
          created_at BIGINT NOT NULL,
          UNIQUE (account_number, message_id, checksum)
        );
        """),
  ]

  /// Makes the tables, or brings them to this version, in one transaction.
  ///
  /// - Throws: `databaseTooNew` when a newer MeterHost has been here.
  static func prepare(
    _ session: PostgresSession, at address: PostgresAddress, migrations: [Migration] = migrations
  ) throws {
    try session.transaction(.everything) { database in
      if try database.row("SELECT 1 AS found FROM pg_namespace WHERE nspname = 'meterhost'") == nil {
        try database.execute("CREATE SCHEMA meterhost")
      }
      try database.execute(
        "CREATE TABLE IF NOT EXISTS migration (identifier TEXT PRIMARY KEY, number BIGINT NOT NULL UNIQUE)")
      let done = try Set(database.rows("SELECT identifier FROM migration").map { try $0["identifier"] as String })
      guard done.isSubset(of: migrations.map(\.name)) else {
        throw ReceiverError(
          .databaseTooNew,
          "The database \(address.name) was written by a newer MeterHost; use that version or another database")
      }
      for (index, migration) in migrations.enumerated() where !done.contains(migration.name) {
        try database.whileItTakesLong { try database.run(migration.sql) }
        try database.execute("INSERT INTO migration (identifier, number) VALUES ($1, $2)", migration.name, index + 1)
      }
    }
  }
}
