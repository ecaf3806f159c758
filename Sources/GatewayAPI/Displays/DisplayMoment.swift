public import MeterCore

/// When a display was read.
public struct DisplayMoment: Sendable, Codable, Hashable {
  /// Microseconds since 1970-01-01T00:00Z by this machine's clock.
  public var microseconds: Int64
  /// Whether the clock was right at that moment.
  public var isSynchronized: Bool
  /// Whether a person has said when it was measured, such as of a photograph; else the picture has just been taken.
  public var isStated: Bool
  /// The moment with its offset, as a person has said it; nil where nobody has.
  public var time: RecordTime?
  /// The boot in which it was read, and the time since then, in microseconds; nil where only the date is known.
  public var bootID: String?
  /// See ``bootID``.
  public var bootMicroseconds: Int64?

  enum CodingKeys: String, CodingKey {
    case microseconds, time
    case isSynchronized = "synchronized"
    case isStated = "stated"
    case bootID = "boot_id"
    case bootMicroseconds = "boot_microseconds"
  }

  /// A moment from its parts.
  public init(microseconds: Int64, isSynchronized: Bool, isStated: Bool = false) {
    self.microseconds = microseconds
    self.isSynchronized = isSynchronized
    self.isStated = isStated
  }

  /// The moment at which a person says that it was measured.
  public init(stated time: RecordTime, isSynchronized: Bool) {
    self.init(microseconds: time.startMicroseconds, isSynchronized: isSynchronized, isStated: true)
    self.time = time
  }
}

extension DisplayMoment {
  /// Reads a moment; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      microseconds: try container.decode(Int64.self, forKey: .microseconds),
      isSynchronized: try container.decode(Bool.self, forKey: .isSynchronized),
      isStated: try container.decode(.isStated, else: false))
    time = try container.decodeIfPresent(StatedTime.self, forKey: .time)?.time
    bootID = try container.decodeIfPresent(String.self, forKey: .bootID)
    bootMicroseconds = try container.decodeIfPresent(Int64.self, forKey: .bootMicroseconds)
  }

  /// Writes it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(microseconds, forKey: .microseconds)
    try container.encode(isSynchronized, forKey: .isSynchronized)
    try container.encode(isStated, forKey: .isStated)
    try container.encodeIfPresent(time.map(StatedTime.init), forKey: .time)
    try container.encodeIfPresent(bootID, forKey: .bootID)
    try container.encodeIfPresent(bootMicroseconds, forKey: .bootMicroseconds)
  }
}
