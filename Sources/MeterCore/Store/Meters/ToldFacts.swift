import HostPrimitives

/// What a meter has told of itself during a session and what people look for later. What it has not told is nil, and leaves what
/// was known.
package struct ToldFacts: Sendable, Hashable {
  /// How full its battery was, in percent, 0 to 100.
  package var batteryPercent: Int?
  /// Its firmware, as one line.
  package private(set) var firmware: String?

  /// Nothing was told.
  package init() {}

  /// The longest firmware that is kept, in bytes.
  package static let longestFirmware = 64

  /// Takes the meter's word for its firmware; what is empty says nothing.
  package mutating func take(firmware text: String) {
    let line = text.oneLine(atMost: Self.longestFirmware)
    let words = line.split(separator: " ").joined(separator: " ")
    if !words.isEmpty { firmware = words }
  }
}

/// How full the battery of a meter was when it last said so.
package struct MeterBattery: Sendable, Hashable {
  /// In percent, 0 to 100.
  package let percent: Int
  /// When it said so, microseconds since 1970-01-01T00:00Z by this machine's clock.
  package let toldMicroseconds: Int64

  /// - Returns: nil for what no meter can have said.
  init?(percent: Int64?, toldMicroseconds: Int64?) {
    guard let percent, let toldMicroseconds, (0...100).contains(percent) else { return nil }
    self.percent = Int(percent)
    self.toldMicroseconds = toldMicroseconds
  }
}
