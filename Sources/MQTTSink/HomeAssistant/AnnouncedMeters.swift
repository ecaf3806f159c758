import HostPrimitives
import MeterCore
import StrictJSON

/// What a gateway has announced to Home Assistant, as it stands on the broker for the gateway's next connection: a sink keeps nothing itself.
struct AnnouncedMeters: Sendable, Hashable {
  struct Meter: Sendable, Hashable {
    var deviceID: String
    var manufacturer: String?
    var model: String?
    /// Metrics by name, with their units in UCUM.
    var metrics: [String: String] = [:]
    /// Whether the gateway has known it as one of its meters: one that it knows no longer was forgotten.
    var isKnown = false
  }

  /// Whose readings they are: a digest, no name.
  var owner = ""
  /// By their level in topics.
  var meters: [String: Meter] = [:]

  /// More meters are not announced.
  static let limit = 256

  init() {}

  /// Notes what a reading shows; whether anything is new.
  ///
  /// - Parameter known: The meters that the gateway knows, where that has been told.
  mutating func note(_ values: [LatestValue], of meter: MeterOfReading, known: Set<String> = []) -> Bool {
    guard meters[meter.name] != nil || meters.count < Self.limit else { return false }
    var entry = meters[meter.name] ?? Meter(deviceID: meter.deviceID)
    entry.manufacturer = meter.manufacturer ?? entry.manufacturer
    entry.model = meter.model ?? entry.model
    entry.isKnown = entry.isKnown || known.contains(meter.deviceID)
    for value in values { entry.metrics[value.metric] = value.ucum }
    return meters.updateValue(entry, forKey: meter.name) != entry
  }

  /// Compares with the meters that the gateway knows: those that it has forgotten, and whether anything else has changed.
  mutating func compare(with known: Set<String>) -> (forgotten: [String], isChanged: Bool) {
    var (forgotten, isChanged): ([String], Bool) = ([], false)
    for (name, meter) in meters where !meter.deviceID.isEmpty {
      if known.contains(meter.deviceID) {
        if !meter.isKnown {
          meters[name]?.isKnown = true
          isChanged = true
        }
      } else if meter.isKnown {
        forgotten.append(name)
      }
    }
    return (forgotten.sorted(), isChanged)
  }

  // MARK: JSON

  var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("owner", owner)
      json.array("meters") { json in
        for (name, meter) in meters.sorted(by: { $0.key < $1.key }) {
          json.object { json in
            json.member("name", name)
            json.member("device", meter.deviceID)
            if let manufacturer = meter.manufacturer { json.member("manufacturer", manufacturer) }
            if let model = meter.model { json.member("model", model) }
            json.member("known", flag: meter.isKnown)
            json.object("metrics") { json in
              for (metric, ucum) in meter.metrics.sorted(by: { $0.key < $1.key }) { json.member(metric, ucum) }
            }
          }
        }
      }
    }
    return json.bytes
  }

  /// What stands on the broker; nil of what no gateway has written. Names that would lead to other topics are passed.
  init?(json: [UInt8]) {
    guard let document = try? JSONDocument(json, rules: JSONRules(size: 256 << 10, depth: 5)),
      let owner = document.root.member("owner")?.asString, let list = document.root.member("meters")
    else { return nil }
    self.owner = owner
    for element in list.elements.prefix(Self.limit) {
      guard let name = element.member("name")?.asString, TopicName(name, limit: 64).text == name, !name.isEmpty else {
        continue
      }
      var meter = Meter(deviceID: element.member("device")?.asString ?? "")
      meter.manufacturer = element.member("manufacturer")?.asString
      meter.model = element.member("model")?.asString
      meter.isKnown = element.member("known")?.asBool ?? false
      for (key, value) in element.member("metrics")?.members ?? [] {
        guard let metric = key.asString, let ucum = value.asString, TopicName(metric, limit: 64).text == metric else {
          continue
        }
        meter.metrics[metric] = ucum
      }
      meters[name] = meter
    }
  }
}
