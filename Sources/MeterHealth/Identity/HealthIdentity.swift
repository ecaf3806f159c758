import HostPrimitives
import MeterCore

/// What names something of an export, the same at every import of every export that has it.
///
/// The name is made of what no setting changes: what it is, its start and end in whole seconds of UTC (Apple cuts the fractions off),
/// and, where several values have these, which of them it is in ascending order. Not of names of sources and devices, languages,
/// offsets, units and values: an export prints a value in the unit that the user has chosen, with six digits.
package enum HealthIdentity: Sendable, Hashable {
  /// One record of an export.
  case imported(source: [UInt8], identity: [UInt8])
  /// A sum or a night of a local day; it may grow.
  case summary(source: [UInt8], kind: String, interval: String)

  /// A sample without a name of its own.
  ///
  /// - Parameters:
  ///   - word: What it is; never changes.
  ///   - start: Microseconds since 1970-01-01T00:00Z.
  ///   - ordinal: Which of several values of one word, start and end.
  package static func sample(
    _ word: String, start: Int64, end: Int64, ordinal: Int = 0, of family: HealthFamily
  ) -> HealthIdentity {
    var bytes = ByteFrames()
    bytes.append(word)
    bytes.append(start.dividedDown(by: 1_000_000).quotient)
    bytes.append(end.dividedDown(by: 1_000_000).quotient)
    bytes.append(Int64(ordinal))
    return .imported(source: family.identitySource, identity: bytes.bytes)
  }

  /// What and when samples without names of their own are: what their names are made of but for the ordinal.
  package struct Place: Sendable, Hashable {
    /// What they are; never changes.
    package let word: String
    /// When, in whole seconds.
    package let seconds: Seconds

    package init(_ word: String, start: Int64, end: Int64) {
      self.word = word
      seconds = Seconds(start: start, end: end)
    }

    /// The name of one of them.
    package func identity(_ ordinal: Int, of family: HealthFamily) -> HealthIdentity {
      .sample(
        word, start: seconds.start * 1_000_000, end: seconds.end * 1_000_000, ordinal: ordinal, of: family)
    }
  }

  /// Start and end in whole seconds since 1970-01-01T00:00Z.
  package struct Seconds: Sendable, Hashable {
    package let start: Int64
    package let end: Int64

    /// - Parameter start: Microseconds since 1970-01-01T00:00Z, as the end is.
    package init(start: Int64, end: Int64) {
      self.start = start.dividedDown(by: 1_000_000).quotient
      self.end = end.dividedDown(by: 1_000_000).quotient
    }
  }

  /// A sample by the name that it has itself, such as a UUID.
  package static func named(_ name: String, _ word: String, of family: HealthFamily) -> HealthIdentity {
    var bytes = ByteFrames()
    bytes.append("id")
    bytes.append(word)
    bytes.append(name)
    return .imported(source: family.identitySource, identity: bytes.bytes)
  }

  /// A sum of a local day.
  package static func day(_ day: String, kind: String, of family: HealthFamily, source key: String? = nil)
    -> HealthIdentity
  {
    var bytes = ByteFrames()
    bytes.append(family.rawValue)
    if let key { bytes.append(key) }
    return .summary(source: bytes.bytes, kind: kind, interval: day)
  }
}

extension HealthFamily {
  /// Names the scheme; a change makes every record of every export new.
  fileprivate var identitySource: [UInt8] {
    switch self {
    case .apple: Array("apple-1".utf8)
    case .healthConnect: Array("health-connect-1".utf8)
    case .samsung: Array("samsung-1".utf8)
    }
  }

  /// Whether samples are named by their own ids. Apple's exports have none that stays.
  package var hasStableNames: Bool { self != .apple }
}

extension ByteFrames {
  /// Adds a number as eight bytes, big-endian.
  fileprivate mutating func append(_ number: Int64) {
    append((0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
  }
}
