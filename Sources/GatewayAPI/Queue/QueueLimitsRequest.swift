/// How much the queue holds and may hold, as `--json` shows it.
public struct QueueLimitsDescription: Sendable, Codable, Hashable {
  /// How many records have their content kept.
  public var usedRecords: Int
  /// How many bytes these contents have.
  public var usedBytes: Int64
  /// How many records may be kept.
  public var records: Int
  /// How many bytes their contents may have.
  public var bytes: Int64
  /// How long the oldest may wait for its receiver, in seconds; nil for any time.
  public var age: Int64?

  enum CodingKeys: String, CodingKey {
    case records, bytes, age
    case usedRecords = "used_records"
    case usedBytes = "used_bytes"
  }

  package init(usedRecords: Int, usedBytes: Int64, records: Int, bytes: Int64, age: Int64? = nil) {
    self.usedRecords = usedRecords
    self.usedBytes = usedBytes
    self.records = records
    self.bytes = bytes
    self.age = age
  }

  /// For people: `3 of 2000000 records, 0.1 of 2048.0 MiB`.
  public var text: String {
    "\(usedRecords) of \(records) records, \(Self.mebibytes(usedBytes)) of \(Self.mebibytes(bytes)) MiB"
  }

  /// Whether nine tenths of a limit are used.
  public var isNearlyFull: Bool { usedRecords >= records - records / 10 || usedBytes >= bytes - bytes / 10 }

  private static func mebibytes(_ bytes: Int64) -> String {
    // Rounded up, and without an overflow for any number.
    let tenths = (bytes >> 20) * 10 + (((bytes & 0xF_FFFF) * 10 + 0xF_FFFF) >> 20)
    return "\(tenths / 10).\(tenths % 10)"
  }
}

/// Shows how much the queue may hold, or sets it.
public struct QueueLimitsRequest: ControlRequest {
  /// The limits that hold then.
  public typealias Answer = QueueLimitsDescription

  /// Its name on the socket.
  public static let name = "queue.limits"
  /// How many records may be kept; nil leaves it.
  public var records: Int?
  /// How many bytes their contents may have; nil leaves it.
  public var bytes: Int64?
  /// How long the oldest record may wait, in seconds, 0 for any time; nil leaves it.
  public var age: Int64?

  /// Shows the limits, or sets those that are named.
  public init(records: Int? = nil, bytes: Int64? = nil, age: Int64? = nil) {
    (self.records, self.bytes, self.age) = (records, bytes, age)
  }
}
