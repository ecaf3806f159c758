import HostPrimitives
import StrictJSON

/// What is shown of each metric of each meter: the newest value, so that a backlog does not run through the display.
struct LatestKeeper: Sendable {
  struct Place: Sendable, Hashable {
    let meter: String
    let metric: String
  }

  private struct Shown: Sendable {
    let microseconds: Int64
    let logID: String
    let revision: Int
    /// Nil of a value that an earlier connection has left on the broker.
    let json: [UInt8]?
  }

  private var shown: [Place: Shown] = [:]

  /// More places than these are not kept: the oldest ones are forgotten, and shown anew with their next reading.
  private static let limit = 4_096

  /// What is known, with its payload.
  var payloads: [(place: Place, json: [UInt8])] {
    shown.compactMap { place, shown in shown.json.map { (place, $0) } }
      .sorted { ($0.place.meter, $0.place.metric) < ($1.place.meter, $1.place.metric) }
  }

  /// Every place that something is shown at.
  var places: [Place] { Array(shown.keys) }

  /// The payload that a value is shown with; nil when a newer one is there.
  mutating func show(_ value: LatestValue, of meter: String) -> [UInt8]? {
    show(value, value.json, at: Place(meter: meter, metric: value.metric))
  }

  /// The payload that tells when the newest reading was measured; nil when a newer one is there.
  mutating func show(measured value: LatestValue, of meter: String) -> [UInt8]? {
    show(value, value.measuredJSON, at: Place(meter: meter, metric: LatestValue.measured))
  }

  private mutating func show(_ value: LatestValue, _ json: [UInt8], at place: Place) -> [UInt8]? {
    if let old = shown[place] {
      let isSame = old.logID == value.logID
      guard isSame ? old.revision <= value.revision : old.microseconds <= value.microseconds else { return nil }
    }
    if shown.count >= Self.limit, let oldest = shown.min(by: { $0.value.microseconds < $1.value.microseconds })?.key {
      shown[oldest] = nil
    }
    shown[place] = Shown(microseconds: value.microseconds, logID: value.logID, revision: value.revision, json: json)
    return json
  }

  /// Takes away what is shown of a reading that its meter has taken back; the places that show nothing now.
  mutating func takeBack(_ logID: String, of meter: String) -> [Place] {
    let places = shown.filter { $0.key.meter == meter && $0.value.logID == logID }.map(\.key)
    for place in places { shown[place] = nil }
    return places
  }

  /// Forgets what is shown of a meter; the places.
  mutating func forget(_ meter: String) -> [Place] {
    let places = shown.keys.filter { $0.meter == meter }
    for place in places { shown[place] = nil }
    return places
  }

  /// Notes what the broker holds of an earlier connection. It may be of anybody: what cannot be believed is passed.
  ///
  /// - Parameter now: In microseconds since 1970-01-01T00:00Z.
  mutating func note(_ payload: [UInt8], at place: Place, now: Int64) {
    guard shown[place] == nil, shown.count < Self.limit,
      let document = try? JSONDocument(payload, rules: JSONRules(size: 4_096, depth: 2)),
      let time = document.root.member("time")?.asString, let moment = WrittenTime(time)?.utcMicroseconds,
      // A value of the future would keep every later one away.
      moment <= now + 86_400_000_000
    else { return }
    shown[place] = Shown(
      microseconds: moment, logID: document.root.member("log_id")?.asString ?? "",
      revision: document.root.member("revision")?.numeral.flatMap { Int($0) } ?? 0, json: nil)
  }
}
