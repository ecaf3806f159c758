import CPostgres
import HostPrimitives

/// One connection to a PostgreSQL server. It belongs to one thread at a time.
final class PostgresConnection {
  private let handle: OpaquePointer
  /// How long the server may say nothing when it owes something, in milliseconds: one that stands still, or a network that is gone,
  /// would keep a request for ever. Below 0 it is waited for without end.
  private var silence: Int32

  /// No statement of a request takes so long: it waits 10 s for a lock.
  static let silence: Int32 = 60_000
  /// How long connecting may take, in milliseconds.
  static let patience: Int32 = 10_000

  /// Connects and prepares the session.
  ///
  /// - Throws: `databaseUnreachable`, `databaseRefused`, `databaseEncoding`, `databaseNotDurable`.
  init(_ address: PostgresAddress, silence: Int32 = PostgresConnection.silence) throws(ReceiverError) {
    self.silence = silence
    guard let handle = mh_postgres_connect(address.text, Self.patience) else {
      throw ReceiverError(.databaseFailure, "There is no memory for a connection to the database")
    }
    self.handle = handle
    guard isOpen else {
      throw ReceiverError(
        connecting: String(cString: mh_postgres_message(handle)),
        password: String(cString: mh_postgres_password(handle)), to: address)
    }
    let encoding = mh_postgres_setting(handle, "server_encoding").map { String(cString: $0) } ?? "unknown"
    guard encoding == "UTF8" else {
      throw ReceiverError(
        .databaseEncoding,
        "The database \(address.name) stores text as \(encoding), which cannot hold every record; make one with "
          + "createdb --encoding=UTF8 --template=template0")
    }
    do {
      try prepare(address)
    } catch let failure as PostgresFailure {
      throw ReceiverError(failure, at: address)
    } catch let error as ReceiverError {
      throw error
    } catch {
      throw ReceiverError(.databaseFailure, "The database \(address.name) cannot be used", cause: error)
    }
  }

  deinit { mh_postgres_close(handle) }

  var isOpen: Bool { mh_postgres_is_open(handle) != 0 }

  /// A write that has returned must be on disk, so a server that pretends is refused.
  private func prepare(_ address: PostgresAddress) throws {
    try run(
      """
      SET synchronous_commit = on; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '60s';
      SET search_path = meterhost, pg_catalog
      """)
    let row = try row(
      "SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages")
    let settings: (String?, String?) = (try row?["fsync"], try row?["pages"])
    guard settings == ("on", "on") else {
      throw ReceiverError(
        .databaseNotDurable,
        "The server of the database \(address.name) runs with fsync or full_page_writes off: a power cut would lose what "
          + "was stored; set both on in postgresql.conf")
    }
  }

  /// Runs statements without arguments.
  func run(_ sql: String) throws(PostgresFailure) {
    guard let result = mh_postgres_run(handle, sql, silence) else { throw PostgresFailure(state: "", message: "") }
    defer { mh_postgres_free(result) }
    guard mh_postgres_status(result) != 0 else { throw Self.failure(result) }
  }

  /// Waits for the server as long as it takes, as for an index of a large table.
  func whileItTakesLong<Value>(_ body: () throws -> Value) rethrows -> Value {
    let before = silence
    silence = -1
    defer { silence = before }
    return try body()
  }

  private static func failure(_ result: OpaquePointer) -> PostgresFailure {
    PostgresFailure(
      state: String(cString: mh_postgres_sqlstate(result)), message: String(cString: mh_postgres_primary(result)))
  }
}

extension PostgresConnection: StoreTransaction {
  var hasLists: Bool { true }

  func execute(_ sql: String, _ arguments: [SQLValue]) throws {
    try forEachRow(sql, arguments) { _ in }
  }

  func forEachRow(_ sql: String, _ arguments: [SQLValue], _ body: (SQLRow) throws -> Void) throws {
    try send(sql, arguments)
    var names: [String] = []
    var failure: PostgresFailure?
    while let result = mh_postgres_next(handle, silence) {
      defer { mh_postgres_free(result) }
      switch mh_postgres_status(result) {
      case 0: failure = failure ?? Self.failure(result)
      case 2:
        if names.isEmpty {
          names = (0..<mh_postgres_columns(result)).map { String(cString: mh_postgres_name(result, $0)) }
        }
        do {
          for row in 0..<mh_postgres_rows(result) {
            try body(SQLRow(names: names, values: names.indices.map { Self.value(result, row, Int32($0)) }))
          }
        } catch {
          mh_postgres_cancel(handle, silence)
          throw error
        }
      default: break
      }
    }
    if let failure { throw failure }
  }

  private func send(_ sql: String, _ arguments: [SQLValue]) throws(PostgresFailure) {
    var bytes: [UInt8] = []
    var (types, lengths): ([UInt32], [Int32]) = ([], [])
    var offsets: [Int?] = []
    for argument in arguments {
      let start = bytes.count
      offsets.append(argument == .null ? nil : start)
      switch argument {
      // All columns that may be null are text.
      case .null: types.append(UInt32(MH_POSTGRES_TEXT))
      case .integer(let value):
        types.append(UInt32(MH_POSTGRES_INT8))
        bytes += value.bigEndianBytes
      case .text(let value):
        types.append(UInt32(MH_POSTGRES_TEXT))
        bytes.append(contentsOf: value.utf8)
      case .blob(let value):
        types.append(UInt32(MH_POSTGRES_BYTEA))
        bytes.append(contentsOf: value)
      case .integers(let values):
        types.append(UInt32(MH_POSTGRES_INT8_LIST))
        PostgresList.append(values.map { Optional($0.bigEndianBytes) }, of: MH_POSTGRES_INT8, to: &bytes)
      case .texts(let values):
        types.append(UInt32(MH_POSTGRES_TEXT_LIST))
        PostgresList.append(values.map { $0?.utf8 }, of: MH_POSTGRES_TEXT, to: &bytes)
      }
      lengths.append(Int32(bytes.count - start))
    }
    // An empty argument needs an address too: NULL is null.
    bytes.append(0)
    let isSent = bytes.withUnsafeBytes { buffer in
      let base = buffer.bindMemory(to: CChar.self).baseAddress
      let values = offsets.map { offset in offset.flatMap { base?.advanced(by: $0) } }
      return mh_postgres_send(handle, sql, Int32(arguments.count), types, values, lengths) != 0
    }
    guard isSent else { throw PostgresFailure(state: "", message: "") }
  }

  private static func value(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> SQLValue {
    var length: Int32 = 0
    guard let start = mh_postgres_value(result, row, column, &length) else { return .null }
    let bytes = UnsafeRawBufferPointer(start: start, count: Int(length))
    switch Int(mh_postgres_type(result, column)) {
    case MH_POSTGRES_BYTEA: return .blob(Array(bytes))
    case MH_POSTGRES_INT2, MH_POSTGRES_INT4, MH_POSTGRES_INT8:
      return .integer(Int64(twosComplement: bytes))
    default: return .text(String(decoding: bytes, as: UTF8.self))
    }
  }
}

/// An array of one dimension in PostgreSQL's binary form (`array_recv` in its arrayfuncs.c).
private enum PostgresList {
  static func append(_ elements: [(some Collection<UInt8>)?], of type: Int, to bytes: inout [UInt8]) {
    let hasNull = elements.contains { $0 == nil }
    bytes += Int32(elements.isEmpty ? 0 : 1).bigEndianBytes
    bytes += Int32(hasNull ? 1 : 0).bigEndianBytes
    bytes += UInt32(type).bigEndianBytes
    guard !elements.isEmpty else { return }
    // How many there are, and the number of the first.
    bytes += Int32(elements.count).bigEndianBytes
    bytes += Int32(1).bigEndianBytes
    for element in elements {
      guard let element else {
        bytes += Int32(-1).bigEndianBytes
        continue
      }
      bytes += Int32(element.count).bigEndianBytes
      bytes.append(contentsOf: element)
    }
  }
}
