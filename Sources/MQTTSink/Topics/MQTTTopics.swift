/// The topics of one gateway (docs/reference/mqtt.md). No user's name stands in any of them.
struct MQTTTopics: Sendable, Hashable {
  /// `meterhost/GATEWAY`.
  let base: String
  /// With what Home Assistant's begin; nil without discovery.
  let homeAssistant: String?

  init(_ setting: MQTTSinkSetting) {
    base = "\(setting.topics)/\(setting.gateway ?? "gateway")"
    homeAssistant = setting.homeAssistant
  }

  var status: String { "\(base)/status" }
  var state: String { "\(base)/state" }
  var readings: String { "\(base)/readings" }
  /// Where a receiver says what it has stored.
  ///
  /// - Parameter owner: Whose readings are confirmed there: a late word about another's reading of the same name is not heard.
  func confirm(_ owner: String) -> String { "\(base)/confirm/\(owner)" }
  /// What the gateway itself has announced, for its next connection.
  var announced: String { "\(base)/announced" }
  /// Every latest value.
  var allLatest: String { "\(base)/meters/+/latest/+" }

  func latest(_ meter: String, _ metric: String) -> String { "\(base)/meters/\(meter)/latest/\(metric)" }
  func events(_ meter: String) -> String { "\(base)/meters/\(meter)/events" }

  /// Meter and metric of a topic that ``latest(_:_:)`` gives; nil for any other.
  func latestParts(_ topic: String) -> (meter: String, metric: String)? {
    let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
    let head = base.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == head.count + 4, parts.prefix(head.count).elementsEqual(head), parts[head.count] == "meters",
      parts[head.count + 2] == "latest"
    else { return nil }
    return (String(parts[head.count + 1]), String(parts[head.count + 3]))
  }

  /// Where Home Assistant looks for a device.
  func discovery(_ device: String) -> String? { homeAssistant.map { "\($0)/device/\(device)/config" } }
  /// Where Home Assistant says that it has started.
  var birth: String? { homeAssistant.map { "\($0)/status" } }
}
