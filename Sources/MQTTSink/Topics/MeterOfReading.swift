import MeterCore

/// The meter of a reading as topics and Home Assistant know it.
struct MeterOfReading: Sendable, Hashable {
  /// Its level in topics: model and serial number.
  let name: String
  /// How the host knows it; empty of displays.
  let deviceID: String
  let manufacturer: String?
  let model: String?

  /// The meter; nil of a reading that names none, such as one that a person has entered.
  init?(_ source: RecordSource) {
    let words = [source.model, source.deviceID].compactMap(\.self).filter { !$0.isEmpty }
    let name = TopicName(words.joined(separator: "-"), limit: 64).text
    guard !name.isEmpty else { return nil }
    self.name = name
    deviceID = source.deviceID
    manufacturer = source.manufacturer
    model = source.model
  }
}
