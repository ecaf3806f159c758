import Foundation
import GRDB
import MeterDrivers
import TestSupport
import VirtualMeter

@testable import MeterBluetooth
@testable import MeterCore

/// A host on the bench: a real store, real bundles, and meters within reach. With drivers in real workers its folder is on a real
/// disk, else in memory.
final class ReadBench: Sendable {
  let store: MeterStore
  let radio: any Radio
  let controller: PeripheralController
  let traffic: AirTraffic
  private let staged: StagedRegistry
  let drivers: DriverHost
  private let folder: TemporaryFolder

  init(
    _ radio: any Radio, staged: StagedRegistry? = nil, isolation: DriverHostConfiguration.Isolation = .worker,
    worker: String = BuildProducts.worker.path
  ) throws {
    let staged = try staged ?? StagedRegistry.shared.get()
    self.staged = staged
    traffic = AirTraffic(radio, clock: .ofTest)
    // The same SQLite on the same system calls; a disk is waited for where a real process stands before it as well.
    folder = try TemporaryFolder(inMemory: isolation == .inProcess)
    store = try MeterStore(folder: folder.url.appending(path: "state"))
    self.radio = radio
    drivers = DriverHost(configuration: DriverHostConfiguration(isolation: isolation, workerPath: worker))
    controller = PeripheralController(
      registry: staged.registry, bundles: staged.bundles, drivers: drivers, store: store, traffic: traffic)
    try start("ada")
  }

  convenience init(
    _ meters: VirtualMeter..., staged: StagedRegistry? = nil,
    isolation: DriverHostConfiguration.Isolation = .worker
  ) throws {
    try self.init(BenchRadio(meters), staged: staged, isolation: isolation)
  }

  /// Starts a session for this user.
  func start(_ user: String) throws {
    _ = try store.startSession(SessionUser(userID: user, organizationID: "clinic"), token: AccessToken("token"))
  }

  /// Reads to the end; `each` sees every event when it happens.
  func read(
    _ peripheral: UInt32, _ options: ReadOptions = .vouched,
    each: @Sendable (ReadEvent) async throws -> Void = { _ in }
  ) async throws -> ReadResult {
    var result = ReadResult()
    for await event in try controller.read(peripheral: peripheral, options: options) {
      try await each(event)
      result.add(event)
    }
    return result
  }

  /// Passive reading on the bench's radio and store.
  func passive(_ options: ReadOptions = .vouched) -> PassiveManager {
    let (registry, bundles, drivers) = (staged.registry, staged.bundles, drivers)
    return PassiveManager(traffic: traffic, store: store, options: options) {
      PassiveManager.Catalogue(registry: registry, bundles: bundles, drivers: drivers)
    }
  }

  /// What waits in the queue, in the words of the expected readings.
  var readings: [Reading] {
    get throws { try store.queueSnapshot().compactMap { entry in entry.record.map { Reading($0, entry.state) } } }
  }

  /// The keys that drivers have stored.
  func storedKeys() throws -> [String] {
    try store.database.read { db in try String.fetchAll(db, sql: "SELECT key FROM storage ORDER BY key") }
  }

  /// Makes the n-th change that a commit makes to the database fail, until ``mendDisk()``.
  func breakDisk(atChange number: Int) throws {
    try store.database.write { db in
      try db.execute(sql: "CREATE TABLE fuse (n INTEGER)")
      try db.execute(sql: "INSERT INTO fuse VALUES (?)", arguments: [number])
      for (name, event) in [("a", "INSERT ON record"), ("b", "INSERT ON storage"), ("c", "UPDATE ON storage")] {
        try db.execute(
          sql: """
            CREATE TRIGGER fuse_\(name) BEFORE \(event) BEGIN
              UPDATE fuse SET n = n - 1;
              SELECT RAISE(ABORT, 'injected') FROM fuse WHERE n <= 0;
            END
            """)
      }
    }
  }

  /// Makes every event take long to be logged.
  func slowLog() throws {
    try store.database.write { db in
      try db.execute(
        sql: """
          CREATE VIEW many AS WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 300000)
            SELECT count(*) AS n FROM number
          """)
      try db.execute(sql: "CREATE TRIGGER slow BEFORE INSERT ON event BEGIN SELECT n FROM many; END")
    }
  }

  func mendDisk() throws {
    try store.database.write { db in
      for name in ["a", "b", "c"] { try db.execute(sql: "DROP TRIGGER fuse_\(name)") }
      try db.execute(sql: "DROP TABLE fuse")
    }
  }
}

extension ReadOptions {
  /// The defaults on a host whose clock somebody vouches for: the machine that tests may have no time source.
  static var vouched: ReadOptions {
    var options = ReadOptions()
    options.takesHistory = true
    options.clockTrust = .vouched
    return options
  }

  static func with(_ change: (inout ReadOptions) -> Void) -> ReadOptions {
    var options = vouched
    change(&options)
    return options
  }
}
