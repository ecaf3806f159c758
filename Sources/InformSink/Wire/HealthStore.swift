import MeterCore

/// The health store that a record was exported from.
struct HealthStore: Sendable, Hashable {
  /// What receivers call it as a source.
  let type: String
  /// What people call it.
  let name: String

  /// By the last part of a driver's id, which may have its maker's name before it.
  private static let byDriver: [String: HealthStore] = [
    "apple-health": HealthStore(type: "apple_health", name: "Apple Health"),
    "health-connect": HealthStore(type: "health_connect", name: "Health Connect"),
    "samsung-health": HealthStore(type: "samsung_health", name: "Samsung Health"),
  ]

  private init(type: String, name: String) { (self.type, self.name) = (type, name) }

  /// Nil for what no export of a store has.
  init?(_ source: RecordSource) {
    let driver = source.driverID.split(separator: ".").last.map(String.init) ?? ""
    guard source.deviceID.isEmpty, let store = Self.byDriver[driver] else { return nil }
    self = store
  }
}

extension RecordSource {
  /// The source's `type` at receivers: `device` for a meter, else the health store, else what has made the record.
  var informType: String { deviceID.isEmpty ? HealthStore(self)?.type ?? driverID : "device" }
}
