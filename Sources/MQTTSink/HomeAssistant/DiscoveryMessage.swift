import MeterCore
import StrictJSON

/// What Home Assistant is told of a device (device discovery, homeassistant 2025.4.4 `components/mqtt/discovery.py`).
///
/// Readings have no `availability`: this morning's weight is true when the gateway is off.
struct DiscoveryMessage: Sendable {
  /// The device's id in Home Assistant and the level of its topic.
  let device: String
  let json: [UInt8]

  /// The gateway: whether it is connected, and what waits.
  static func gateway(_ setting: MQTTSinkSetting, _ topics: MQTTTopics) -> DiscoveryMessage {
    let device = "meterhost_\(setting.gateway ?? "gateway")"
    var json = JSONWriter()
    json.object { json in
      json.object("device") { json in
        json.array("identifiers") { $0.member(nil, device) }
        json.member("name", "MeterHost \(setting.gateway ?? "")")
        json.member("manufacturer", "MeterHost")
        json.member("sw_version", HostVersion.current)
      }
      origin(&json)
      json.object("components") { json in
        json.object("connected") { json in
          json.member("platform", "binary_sensor")
          json.member("unique_id", "\(device)_connected")
          json.member("name", "Connected")
          json.member("device_class", "connectivity")
          json.member("entity_category", "diagnostic")
          json.member("state_topic", topics.status)
          json.member("payload_on", "online")
          json.member("payload_off", "offline")
        }
        for (key, name) in [("pending", "Waiting"), ("held", "Held"), ("dead", "Refused")] {
          json.object(key) { json in
            json.member("platform", "sensor")
            json.member("unique_id", "\(device)_\(key)")
            json.member("name", name)
            json.member("entity_category", "diagnostic")
            json.member("state_class", "measurement")
            json.member("state_topic", topics.state)
            json.member("value_template", "{{ value_json.\(key) }}")
            json.array("availability") { $0.object { $0.member("topic", topics.status) } }
          }
        }
      }
    }
    return DiscoveryMessage(device: device, json: json.bytes)
  }

  /// The id of a meter's device: the same for every gateway that reads it, unless each is to have its own.
  static func device(_ meter: String, _ setting: MQTTSinkSetting) -> String {
    "meterhost_\(meter)" + (setting.isUniquePerGateway ? "_\(setting.gateway ?? "gateway")" : "")
  }

  static func meter(
    _ name: String, _ meter: AnnouncedMeters.Meter, _ setting: MQTTSinkSetting, _ topics: MQTTTopics
  ) -> DiscoveryMessage {
    let device = device(name, setting)
    var json = JSONWriter()
    json.object { json in
      json.object("device") { json in
        json.array("identifiers") { $0.member(nil, device) }
        json.member("name", meter.model ?? name)
        if let manufacturer = meter.manufacturer { json.member("manufacturer", manufacturer) }
        if let model = meter.model { json.member("model", model) }
        if !meter.deviceID.isEmpty { json.member("serial_number", meter.deviceID) }
        json.member("via_device", "meterhost_\(setting.gateway ?? "gateway")")
      }
      origin(&json)
      json.member("qos", integer: 1)
      json.object("components") { json in
        for (metric, ucum) in meter.metrics.sorted(by: { $0.key < $1.key }) {
          json.object(metric) {
            sensor(metric, MetricDisplay(metric, ucum: ucum), device, topics.latest(name, metric), &$0)
          }
        }
        measured(device, topics.latest(name, LatestValue.measured), &json)
        json.object("reading") { json in
          json.member("platform", "event")
          json.member("unique_id", "\(device)_reading")
          json.member("name", "Reading")
          json.array("event_types") { json in
            for type in ReadingEvent.allCases { json.member(nil, type.rawValue) }
          }
          json.member("state_topic", topics.events(name))
        }
      }
    }
    return DiscoveryMessage(device: device, json: json.bytes)
  }

  private static func sensor(
    _ metric: String, _ display: MetricDisplay, _ device: String, _ topic: String, _ json: inout JSONWriter
  ) {
    json.member("platform", "sensor")
    json.member("unique_id", "\(device)_\(metric)")
    json.member("name", display.name)
    if let deviceClass = display.deviceClass { json.member("device_class", deviceClass) }
    if let unit = display.unit { json.member("unit_of_measurement", unit) }
    if let precision = display.precision { json.member("suggested_display_precision", integer: Int64(precision)) }
    if display.isDiagnostic { json.member("entity_category", "diagnostic") }
    json.member("state_class", "measurement")
    json.member("state_topic", topic)
    json.member("value_template", "{{ value_json.value }}")
    json.member("json_attributes_topic", topic)
    json.member(
      "json_attributes_template",
      "{{ {'time': value_json.time, 'qualifier': value_json.qualifier, 'log_id': value_json.log_id} | tojson }}")
  }

  private static func measured(_ device: String, _ topic: String, _ json: inout JSONWriter) {
    json.object(LatestValue.measured) { json in
      json.member("platform", "sensor")
      json.member("unique_id", "\(device)_measured")
      json.member("name", "Measured")
      json.member("device_class", "timestamp")
      json.member("state_topic", topic)
      json.member("value_template", "{{ value_json.value }}")
    }
  }

  private static func origin(_ json: inout JSONWriter) {
    json.object("origin") { json in
      json.member("name", "MeterHost")
      json.member("sw_version", HostVersion.current)
    }
  }
}
