internal import Crypto
package import Foundation
import HostPrimitives

/// A reading's name: the idempotency key of every delivery.
///
/// `stored` and `summary` names are UUIDv8 (RFC 9562 section 5.8) made of the first 128 bits of a SHA-256, so that every
/// gateway computes the same name for the same reading. `live` names are random UUIDv4 (section 5.4): their version
/// says that a second gateway has another name for the same reading and nobody can tell.
public struct LogID: Sendable, Hashable {
  /// Bytes 0 to 7, big-endian.
  let high: UInt64
  /// Bytes 8 to 15, big-endian.
  let low: UInt64

  /// The scheme that all names are made by; a change makes every reading of every meter new.
  package static let scheme = "meterhost-log-id-1"

  /// The name of a reading that a meter can resend.
  ///
  /// - Parameters:
  ///   - meter: The meter's identity.
  ///   - identity: The driver's identity bytes: sequence, uncorrected device time, raw primary values.
  package static func stored(meter: MeterIdentity, identity: [UInt8]) -> LogID {
    digest(.stored, [meter.stableBytes, identity])
  }

  /// The name of a record of another program's export.
  ///
  /// - Parameters:
  ///   - source: What the export comes from.
  ///   - identity: What names the record in it.
  package static func imported(source: [UInt8], identity: [UInt8]) -> LogID {
    digest(.stored, [source, identity])
  }

  /// The random name of a reading without sequence number and clock.
  package static func live() -> LogID {
    var generator = SystemRandomNumberGenerator()
    return LogID(high: generator.next(), low: generator.next(), version: 4)
  }

  /// The random name of one of the readings of a submission: the same one when the submission is sent again because
  /// nobody could say what had become of it.
  ///
  /// - Parameters:
  ///   - submission: A random value that only this submission has.
  ///   - number: Which of its readings.
  package static func live(submission: UUID, number: Int) -> LogID {
    let hash = digest(.live, [Array("\(submission.uuidString) \(number)".utf8)])
    return LogID(high: hash.high, low: hash.low, version: 4)
  }

  /// The name of a sum over an interval; it stays while the sum grows.
  ///
  /// - Parameters:
  ///   - source: What is summed up, such as a meter's stable bytes or an import's name.
  ///   - kind: The sum's kind, such as `steps`.
  ///   - interval: The local day or interval in ISO 8601, such as `2026-03-29`.
  package static func summary(source: [UInt8], kind: String, interval: String) -> LogID {
    digest(.summary, [source, Array(kind.utf8), Array(interval.utf8)])
  }

  /// The name of a reading that came under the name of another one, with other values: the same on every gateway, and
  /// the same when its context changes.
  static func collision(of record: Record) -> LogID {
    digest(.stored, [Array("collision".utf8), Array(record.logID.description.utf8), record.primaryHash])
  }

  private static func digest(_ identityClass: IdentityClass, _ parts: [[UInt8]]) -> LogID {
    var frames = ByteFrames()
    frames.append(scheme)
    frames.append(identityClass.rawValue)
    for part in parts { frames.append(part) }
    let hash = Array(SHA256.hash(data: frames.bytes))
    let words = [hash[0..<8], hash[8..<16]].map { UInt64(bigEndianBytes: $0) }
    return LogID(high: words[0], low: words[1], version: 8)
  }

  private init(high: UInt64, low: UInt64, version: UInt64) {
    self.high = high & ~0xF000 | version << 12
    self.low = low & ~(0b11 << 62) | 0b10 << 62
  }

  /// The name that a UUID spells, nil when the text is no UUID.
  public init?(_ text: String) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
    let digits = groups.joined()
    guard digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
      let high = UInt64(digits.prefix(16), radix: 16), let low = UInt64(digits.suffix(16), radix: 16)
    else { return nil }
    self.high = high
    self.low = low
  }
}

extension LogID: CustomStringConvertible {
  /// The UUID in lower case.
  public var description: String {
    String(unsafeUninitializedCapacity: 36) { text in
      var length = 0
      for (index, word) in [high, low].enumerated() {
        for digit in 0..<16 {
          // Groups of 8, 4, 4, 4 and 12 digits.
          if [8, 12, 16, 20].contains(index * 16 + digit) {
            text[length] = UInt8(ascii: "-")
            length += 1
          }
          text[length] = Hexadecimal.digit(of: UInt8(truncatingIfNeeded: word >> (60 - 4 * UInt64(digit))))
          length += 1
        }
      }
      return length
    }
  }
}

extension LogID: Codable {
  /// Reads the UUID's text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let logID = LogID(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a UUID: \(text.prefix(64))")
    }
    self = logID
  }

  /// Writes the UUID's text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
