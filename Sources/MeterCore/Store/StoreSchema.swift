internal import Foundation
internal import GRDB

/// The tables of the state database.
enum StoreSchema {
  static func migrator(_ vault: Vault) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in try db.execute(sql: v1) }
    migrator.registerMigration("assignment") { db in try db.execute(sql: assignment) }
    migrator.registerMigration("vault") { db in
      try db.execute(sql: self.vault)
      try encryptSecrets(db, vault)
    }
    migrator.registerMigration("queue") { db in try db.execute(sql: queue) }
    migrator.registerMigration("media") { db in try db.execute(sql: media) }
    migrator.registerMigration("sinks") { db in try db.execute(sql: sinks) }
    migrator.registerMigration("events") { db in try db.execute(sql: events) }
    migrator.registerMigration("clock") { db in try db.execute(sql: clock) }
    migrator.registerMigration("session options") { db in try db.execute(sql: sessionOptions) }
    migrator.registerMigration("offences") { db in try db.execute(sql: offences) }
    migrator.registerMigration("meters") { db in
      try db.execute(sql: meters)
      try MeterTable.fill(db)
    }
    migrator.registerMigration("weights") { db in try db.execute(sql: weights) }
    migrator.registerMigration("commits") { db in
      try db.execute(sql: commits)
      try CommitCount.begin(db)
      try settle(db)
    }
    // A weight that a scale was told is safe: the key under which it waited said where the next read goes on, and such keys are forgotten
    // when a read wants the history.
    migrator.registerMigration("pending") { db in
      try db.execute(sql: "UPDATE OR IGNORE storage SET key = 'user/pending/act' WHERE key = 'user/act'")
    }
    migrator.registerMigration("sink roles") { db in try db.execute(sql: sinkRoles) }
    migrator.registerMigration("health") { db in try db.execute(sql: health) }
    migrator.registerMigration("meter facts") { db in try db.execute(sql: meterFacts) }
    migrator.registerMigration("who is weighed") { db in try db.execute(sql: weighed) }
    return migrator
  }

  /// - `meter.shared`: whether several people stand on a scale that does not know them.
  /// - `session.body`: what the user has said of their body as JSON (``BodyProfile``); null for nothing.
  private static let weighed = """
    ALTER TABLE meter ADD COLUMN shared INTEGER;
    ALTER TABLE session ADD COLUMN body TEXT;
    """

  /// - `meter.battery`, `meter.battery_us`: how full the battery was in percent when the meter last said so, and when that was.
  /// - `meter.firmware`: the firmware that it last said to have.
  private static let meterFacts = """
    ALTER TABLE meter ADD COLUMN battery INTEGER;
    ALTER TABLE meter ADD COLUMN battery_us INTEGER;
    ALTER TABLE meter ADD COLUMN firmware TEXT;
    """

  /// - `session.health`: what is subscribed to of health exports; null for nothing.
  /// - `health_record`: what is remembered of the records of exports (``ImportedTrace``).
  /// - `health_alias`: further names of them.
  /// - `health_source`: each user's sources, in the order in which they were first ranked, and what is chosen for them.
  /// - `health_import`: imports, and what came of them.
  /// - `health_sample`: samples that came in pieces (``StoredHealthSample``).
  /// - `health_feed`: what brings exports by itself (``HealthFeed``).
  private static let health = """
    ALTER TABLE session ADD COLUMN health TEXT;
    CREATE TABLE health_record (
      owner TEXT NOT NULL, log_id TEXT NOT NULL,
      family TEXT NOT NULL, kind TEXT NOT NULL, word TEXT NOT NULL, start_us INTEGER NOT NULL, end_us INTEGER NOT NULL,
      source TEXT NOT NULL, content TEXT NOT NULL, exported_us INTEGER NOT NULL, vanished INTEGER NOT NULL,
      PRIMARY KEY (owner, log_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX health_record_time ON health_record (owner, family, start_us);
    CREATE TABLE health_alias (
      owner TEXT NOT NULL, alias TEXT NOT NULL, log_id TEXT NOT NULL, PRIMARY KEY (owner, alias)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE health_source (
      owner TEXT NOT NULL, family TEXT NOT NULL, key TEXT NOT NULL, place INTEGER NOT NULL,
      name TEXT NOT NULL, kind TEXT NOT NULL, chosen INTEGER, off INTEGER NOT NULL,
      PRIMARY KEY (owner, family, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE health_import (
      id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, digest TEXT NOT NULL, wish TEXT NOT NULL,
      name TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('running', 'done', 'partial', 'failed')),
      began_us INTEGER NOT NULL, ended_us INTEGER, report TEXT
    ) STRICT;
    CREATE INDEX health_import_digest ON health_import (owner, digest);
    CREATE TABLE health_sample (
      owner TEXT NOT NULL, family TEXT NOT NULL, day INTEGER NOT NULL, digest BLOB NOT NULL, content BLOB NOT NULL,
      PRIMARY KEY (owner, family, day, digest)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE health_feed (
      owner TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, content TEXT NOT NULL,
      PRIMARY KEY (owner, kind, name)
    ) STRICT, WITHOUT ROWID;
    """

  /// - `sink.role`: what it is to the session, whose own receiver has a row like any other; that one is always there.
  /// - `sink.kind`, `sink.setting`: of which kind it is, and its setting in that kind's own JSON; both are empty without a session.
  ///   The setting is empty as well where the first versions have written it into a file.
  /// - `sink.has_token`: whether there is a token among the credentials; not every kind has one.
  /// - `sink.paused`, `sink.last_...`: whether a person has stopped it, and what became of the last attempts.
  /// - `delivery.confirm_by_us`: of one in flight that somebody in between has, when it is sent again unless the receiver has said what
  ///   became of it; of one that is delivered, until when its content stays (``KeptRecords``).
  private static let sinkRoles = """
    ALTER TABLE sink ADD COLUMN role TEXT NOT NULL DEFAULT 'further' CHECK (role IN ('session', 'further'));
    ALTER TABLE sink ADD COLUMN kind TEXT NOT NULL DEFAULT 'inform';
    ALTER TABLE sink ADD COLUMN has_token INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE sink ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sink ADD COLUMN last_success_us INTEGER;
    ALTER TABLE sink ADD COLUMN last_error TEXT;
    ALTER TABLE sink ADD COLUMN last_error_us INTEGER;
    INSERT INTO sink (name, setting, token_serial, validated, role, kind, has_token)
      SELECT 'inform', coalesce(receiver, x''), token_serial, validated, 'session',
        iif(user_id IS NULL, '', 'inform'), user_id IS NOT NULL FROM session;
    ALTER TABLE session DROP COLUMN receiver;
    ALTER TABLE session DROP COLUMN token_serial;
    ALTER TABLE session DROP COLUMN validated;
    ALTER TABLE session DROP COLUMN token;
    ALTER TABLE delivery ADD COLUMN confirm_by_us INTEGER;
    """

  /// What earlier versions left undecided, and means damage, or a stranger, from here on: a repair's token without its session and rows
  /// of the user who was lost, and meters that were read before that was noted.
  private static func settle(_ db: Database) throws {
    if try SessionRow.fetch(db).user == nil { try TokenRow.remove(db) }
    try HiddenRows.allowStrangers(db)
    try db.execute(
      sql: """
        UPDATE meter SET read_us = coalesce(last_us, 0) WHERE read_us IS NULL AND storage_key IN (
          SELECT meter FROM known_meter UNION SELECT meter FROM storage UNION SELECT meter FROM assignment)
        """)
  }

  /// - `commits`: how many transactions there were (``CommitCount``).
  private static let commits = """
    CREATE TABLE commits (
      id INTEGER PRIMARY KEY CHECK (id = 1), folder TEXT NOT NULL CHECK (length(folder) = 36), number INTEGER NOT NULL
    ) STRICT;
    """

  /// - `weight`: what each user is known to weigh, in grams, and what nothing has confirmed yet (``WeightHistory``).
  /// - `meter.weighs_anybody`: whether the scale weighs infants, pets or things as well.
  /// - `meter.read_again`: after how many seconds a meter that goes on advertising is read passively again.
  private static let weights = """
    CREATE TABLE weight (
      owner TEXT NOT NULL, place INTEGER NOT NULL, grams INTEGER NOT NULL, time_us INTEGER NOT NULL,
      trusted INTEGER NOT NULL, PRIMARY KEY (owner, place)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE meter ADD COLUMN weighs_anybody INTEGER;
    ALTER TABLE meter ADD COLUMN read_again INTEGER;
    """

  /// - `meter`: the meters that this gateway knows, and what a person has set for each. `storage_key` is the name under which
  ///   other tables file what is a meter's; null of one that an earlier version has paired and that was never read. `chosen` is
  ///   the catalogue entry to read it as, `peripheral` the one that it was read as. A row has all of its columns, so that a
  ///   repair takes it for no other's.
  private static let meters = """
    CREATE TABLE meter (
      uuid TEXT PRIMARY KEY, storage_key TEXT,
      peripheral INTEGER, address TEXT, address_kind TEXT,
      first_us INTEGER, last_us INTEGER, read_us INTEGER,
      paired_us INTEGER, bond TEXT,
      sync_clock INTEGER, hold_off INTEGER, chosen INTEGER,
      name TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """

  /// - `offence`: faults of drivers (R24): one row a bundle and meter, and one with an empty meter where the bundle itself is
  ///   set aside.
  /// - `known_meter`: meters that have brought readings: only they can speak against a bundle one by one.
  private static let offences = """
    CREATE TABLE offence (
      bundle TEXT NOT NULL, meter TEXT NOT NULL,
      driver TEXT NOT NULL, meter_name TEXT NOT NULL, meter_known INTEGER NOT NULL,
      count INTEGER NOT NULL, first_us INTEGER NOT NULL, last_us INTEGER NOT NULL,
      set_aside_us INTEGER, until_us INTEGER,
      code TEXT NOT NULL, rule TEXT, message TEXT NOT NULL, recording TEXT,
      PRIMARY KEY (bundle, meter)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE known_meter (meter TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
    """

  /// - `session.receiver`: how its receiver is reached; null where an earlier version has written that into a file.
  /// - `session.zone`: the IANA name of the user's time zone.
  /// - `session.forgets_meters`: whether the end that has begun takes what is known of the meters along.
  private static let sessionOptions = """
    ALTER TABLE session ADD COLUMN receiver BLOB;
    ALTER TABLE session ADD COLUMN zone TEXT;
    ALTER TABLE session ADD COLUMN forgets_meters INTEGER NOT NULL DEFAULT 0;
    """

  /// - `untimed`: when since a boot a reading came whose date the host did not know.
  private static let clock = """
    CREATE TABLE untimed (
      record INTEGER PRIMARY KEY REFERENCES record (id) ON DELETE CASCADE,
      boot_id TEXT NOT NULL, boot_us INTEGER NOT NULL
    ) STRICT;
    """

  /// - `event`: what happened, each as JSON; ids without gaps are the cursors of those who listen.
  private static let events = """
    CREATE TABLE event (
      id INTEGER PRIMARY KEY AUTOINCREMENT, time_us INTEGER NOT NULL, content TEXT NOT NULL
    ) STRICT;
    """

  /// - `sink`: receivers beside the session's own; their tokens are among the credentials.
  /// - `acceptance`: the id that a receiver gave a record, where there are several; `seen` keeps the one of a single one.
  private static let sinks = """
    CREATE TABLE sink (
      name TEXT PRIMARY KEY, setting BLOB NOT NULL, token_serial INTEGER NOT NULL,
      validated INTEGER NOT NULL DEFAULT 0, refused INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE acceptance (
      owner TEXT NOT NULL, log_id TEXT NOT NULL, sink TEXT NOT NULL, receiver_id TEXT,
      PRIMARY KEY (owner, log_id, sink)
    ) STRICT, WITHOUT ROWID;
    """

  /// - `media`: images of records, by the checksum of their bytes; a row goes when every sink has the image.
  /// - `media_delivery`: what is to happen with an image at one sink. It waits until that sink has accepted the record,
  ///   whose id there is `record_id`.
  private static let media = """
    CREATE TABLE media (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      owner TEXT NOT NULL, log_id TEXT NOT NULL, checksum TEXT NOT NULL,
      content_type TEXT NOT NULL, content BLOB NOT NULL, committed_us INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX media_name ON media (owner, log_id, checksum);
    CREATE TRIGGER media_added AFTER INSERT ON media BEGIN
      UPDATE usage SET bytes = bytes + length(NEW.content);
    END;
    CREATE TRIGGER media_removed AFTER DELETE ON media BEGIN
      UPDATE usage SET bytes = bytes - length(OLD.content);
    END;

    CREATE TABLE media_delivery (
      media INTEGER NOT NULL REFERENCES media (id) ON DELETE CASCADE,
      sink TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('waiting', 'pending', 'inFlight', 'delivered', 'dead')),
      record_id TEXT, reason TEXT,
      attempts INTEGER NOT NULL DEFAULT 0,
      next_try_us INTEGER, last_error TEXT,
      PRIMARY KEY (media, sink)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX media_work ON media_delivery (sink, state, attempts, media);
    """

  /// - `usage`, `tally`: counts that triggers keep, so that neither a commit nor a start counts a million rows.
  /// - `setting`: switches that outlive the process.
  /// - `seen.discarded_us`: when a person threw the reading away, so that the meter's memory does not bring it back.
  private static let queue = """
    CREATE TABLE usage (
      id INTEGER PRIMARY KEY CHECK (id = 1), records INTEGER NOT NULL, bytes INTEGER NOT NULL
    ) STRICT;
    INSERT INTO usage SELECT 1, count(*), coalesce(sum(length(content)), 0) FROM record;
    CREATE TRIGGER record_added AFTER INSERT ON record BEGIN
      UPDATE usage SET records = records + 1, bytes = bytes + length(NEW.content);
    END;
    CREATE TRIGGER record_removed AFTER DELETE ON record BEGIN
      UPDATE usage SET records = records - 1, bytes = bytes - length(OLD.content);
    END;

    CREATE TABLE tally (
      sink TEXT NOT NULL, state TEXT NOT NULL, entries INTEGER NOT NULL, PRIMARY KEY (sink, state)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO tally SELECT sink, state, count(*) FROM delivery GROUP BY sink, state;
    CREATE TRIGGER delivery_added AFTER INSERT ON delivery BEGIN
      INSERT INTO tally VALUES (NEW.sink, NEW.state, 1) ON CONFLICT DO UPDATE SET entries = entries + 1;
    END;
    CREATE TRIGGER delivery_removed AFTER DELETE ON delivery BEGIN
      UPDATE tally SET entries = entries - 1 WHERE sink = OLD.sink AND state = OLD.state;
    END;
    CREATE TRIGGER delivery_moved AFTER UPDATE OF state ON delivery WHEN OLD.state <> NEW.state BEGIN
      UPDATE tally SET entries = entries - 1 WHERE sink = OLD.sink AND state = OLD.state;
      INSERT INTO tally VALUES (NEW.sink, NEW.state, 1) ON CONFLICT DO UPDATE SET entries = entries + 1;
    END;
    CREATE INDEX delivery_pending ON delivery (record) WHERE state = 'pending';
    CREATE INDEX delivery_rest ON delivery (state, record) WHERE state <> 'pending';

    CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    ALTER TABLE seen ADD COLUMN discarded_us INTEGER;
    """

  /// - `credential`: keys, licences, bonds and the session's token, each encrypted for its row (``Vault``).
  private static let vault = """
    CREATE TABLE credential (
      scope TEXT NOT NULL CHECK (scope IN ('gateway', 'peripheral', 'meter', 'session', 'bond')),
      subject TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, changed_us INTEGER NOT NULL,
      PRIMARY KEY (scope, subject, name)
    ) STRICT, WITHOUT ROWID;
    """

  /// What lay plain in the first schema: the token, and secrets of drivers that were written before they were encrypted.
  private static func encryptSecrets(_ db: Database, _ vault: Vault) throws {
    let secrets = try Row.fetchAll(
      db,
      sql: """
        SELECT owner, family, meter, key, value FROM storage
        WHERE key GLOB 'user/secret/*' OR key GLOB 'meter/secret/*'
        """)
    for row in secrets {
      let name = try StorageTable.SecretRow(
        owner: row["owner"], family: row["family"], meter: row["meter"], key: row["key"])
      let sealed = try vault.seal(Array(row["value"] as Data), .driver, for: name.parts, mayMakeKey: true)
      try db.execute(
        sql: "UPDATE storage SET value = ? WHERE owner = ? AND family = ? AND meter = ? AND key = ?",
        arguments: [sealed, name.owner, name.family, name.meter, name.key])
    }
    if let token = try String.fetchOne(db, sql: "SELECT token FROM session WHERE token IS NOT NULL") {
      try TokenRow(db: db, vault: vault).set(AccessToken(token))
      try db.execute(sql: "UPDATE session SET token = NULL")
    }
  }

  /// Whom a meter belongs to since when and, when it has changed hands, until when. It outlives the session, so that
  /// the next user does not inherit what the last one measured. The largest number stands for a moment that the host did not
  /// know (``MeterAssignment/unknownMoment``).
  private static let assignment = """
    CREATE TABLE assignment (
      id INTEGER PRIMARY KEY,
      meter TEXT NOT NULL, owner TEXT NOT NULL, slot INTEGER,
      since_us INTEGER, until_us INTEGER
    ) STRICT;
    CREATE INDEX assignment_meter ON assignment (meter);
    """

  /// - `session`: always one row; without a user it is the default user's. `ending` names the recovery file of an
  ///   end that has begun.
  /// - `record`: contents that a sink still needs. One row a log_id and owner, beside rows of suspects.
  /// - `delivery`: what is to happen with a record at one sink.
  /// - `seen`: every content that was ever committed, so that a meter that resends its memory causes nothing.
  /// - `storage`: the drivers' keys (R23); `meter/` keys have an empty owner.
  private static let v1 = """
    CREATE TABLE session (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      generation INTEGER NOT NULL,
      user_id TEXT, organization_id TEXT, token TEXT,
      token_serial INTEGER NOT NULL DEFAULT 0,
      validated INTEGER NOT NULL DEFAULT 0,
      ending TEXT
    ) STRICT;
    INSERT INTO session (id, generation) VALUES (1, 1);

    CREATE TABLE record (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      owner TEXT NOT NULL, log_id TEXT NOT NULL, revision INTEGER NOT NULL,
      suspect INTEGER NOT NULL DEFAULT 0,
      content BLOB NOT NULL, content_hash BLOB NOT NULL,
      committed_us INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX record_name ON record (owner, log_id) WHERE suspect = 0;

    CREATE TABLE delivery (
      record INTEGER NOT NULL REFERENCES record (id) ON DELETE CASCADE,
      sink TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('pending', 'inFlight', 'delivered', 'held', 'dead', 'excluded')),
      reason TEXT,
      revision INTEGER NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      next_try_us INTEGER, last_error TEXT,
      PRIMARY KEY (record, sink)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX delivery_work ON delivery (sink, state, attempts, record);

    CREATE TABLE seen (
      owner TEXT NOT NULL, log_id TEXT NOT NULL, revision INTEGER NOT NULL,
      content_hash BLOB NOT NULL, primary_hash BLOB NOT NULL,
      suspect INTEGER NOT NULL DEFAULT 0,
      seen_us INTEGER NOT NULL, delivered_us INTEGER, receiver_id TEXT,
      PRIMARY KEY (owner, log_id, suspect, revision)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE storage (
      owner TEXT NOT NULL, family TEXT NOT NULL, meter TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY (owner, family, meter, key)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE meter_cache (
      address TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (address, name)
    ) STRICT, WITHOUT ROWID;
    """
}
