import GRDB

/// The receiver's tables in SQLite. Times are milliseconds since 1970 in UTC.
enum ReceiverSchema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 accounts and measurements") { database in
      try database.execute(
        sql: """
          CREATE TABLE organization (
            id TEXT NOT NULL PRIMARY KEY,
            token_lookup INTEGER NOT NULL,
            token_digest BLOB NOT NULL UNIQUE,
            created_at INTEGER NOT NULL
          ) STRICT;

          CREATE INDEX organization_token ON organization (token_lookup);

          CREATE TABLE account (
            number INTEGER NOT NULL PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            organization_id TEXT NOT NULL REFERENCES organization (id),
            uid TEXT NOT NULL,
            token_lookup INTEGER NOT NULL,
            token_digest BLOB NOT NULL UNIQUE,
            status TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            UNIQUE (organization_id, uid)
          ) STRICT;

          CREATE INDEX account_token ON account (token_lookup);

          -- number is the order of insertion and is never given twice, so that paging by it loses nothing.
          CREATE TABLE measurement (
            number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            account_number INTEGER NOT NULL REFERENCES account (number),
            log_id TEXT NOT NULL,
            revision INTEGER NOT NULL,
            checksum TEXT NOT NULL,
            content TEXT NOT NULL,
            start_time INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            UNIQUE (account_number, log_id)
          ) STRICT;

          CREATE INDEX measurement_time ON measurement (account_number, start_time);
          """)
    }
    migrator.registerMigration("2 locations of users") { database in
      try database.execute(
        sql: """
          -- number is never given twice: a request that began before its user was deleted must not find the next one.
          CREATE TABLE located_account (
            number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            organization_id TEXT NOT NULL REFERENCES organization (id),
            uid TEXT NOT NULL,
            token_lookup INTEGER NOT NULL,
            token_digest BLOB NOT NULL UNIQUE,
            status TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
            time_zone TEXT,
            country_code TEXT,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            UNIQUE (organization_id, uid)
          ) STRICT;

          INSERT INTO located_account
          SELECT number, id, organization_id, uid, token_lookup, token_digest, status, NULL, NULL, created_at, updated_at
          FROM account;

          DROP TABLE account;
          ALTER TABLE located_account RENAME TO account;

          CREATE INDEX account_token ON account (token_lookup);
          """)
    }
    migrator.registerMigration("3 records of every type") { database in
      try database.execute(
        sql: """
          -- space is what log_id is unique in, kind the type of the record.
          -- number is the order of insertion and is never given twice, so that paging by it loses nothing.
          CREATE TABLE record (
            number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            account_number INTEGER NOT NULL REFERENCES account (number),
            space TEXT NOT NULL,
            kind TEXT NOT NULL,
            log_id TEXT NOT NULL,
            revision INTEGER NOT NULL,
            checksum TEXT NOT NULL,
            content TEXT NOT NULL,
            start_time INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            UNIQUE (account_number, space, log_id)
          ) STRICT;

          INSERT INTO record
          SELECT number, id, account_number, 'inform', 'measurement', log_id, revision, checksum, content, start_time,
            created_at, updated_at
          FROM measurement ORDER BY number;

          DROP TABLE measurement;

          CREATE INDEX record_time ON record (account_number, kind, start_time);
          """)
    }
    migrator.registerMigration("4 images of records") { database in
      try database.execute(
        sql: """
          CREATE TABLE media (
            number INTEGER NOT NULL PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            record_number INTEGER NOT NULL REFERENCES record (number) ON DELETE CASCADE,
            checksum TEXT NOT NULL,
            content_type TEXT NOT NULL CHECK (content_type IN ('image/jpeg', 'image/png')),
            size INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            content BLOB NOT NULL,
            UNIQUE (record_number, checksum)
          ) STRICT;
          """)
    }
    migrator.registerMigration("5 sources of records") { database in
      try database.execute(
        sql: """
          -- What reads ask for; in the content it would be read out of every record.
          ALTER TABLE record ADD COLUMN source_type TEXT;
          UPDATE record SET source_type = json_extract(content, '$.source.type') WHERE space = 'inform';
          """)
    }
    migrator.registerMigration("6 fleets of gateways") { database in
      try database.execute(
        sql: """
          -- Who may speak to the message server: a gateway has an organisation, a receiver none. Answers come under the name,
          -- which is therefore nobody else's.
          CREATE TABLE fleet_key (
            number INTEGER NOT NULL PRIMARY KEY,
            organization_id TEXT REFERENCES organization (id),
            name TEXT NOT NULL UNIQUE,
            public_key TEXT NOT NULL UNIQUE,
            created_at INTEGER NOT NULL
          ) STRICT;

          -- What came as a message and will never be a record. It is health data of its user, and goes with them.
          CREATE TABLE refused (
            number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
            account_number INTEGER NOT NULL REFERENCES account (number),
            subject TEXT NOT NULL,
            message_id TEXT NOT NULL,
            reason TEXT NOT NULL,
            checksum TEXT NOT NULL,
            payload BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            UNIQUE (account_number, message_id, checksum)
          ) STRICT;
          """)
    }
    return migrator
  }
}
