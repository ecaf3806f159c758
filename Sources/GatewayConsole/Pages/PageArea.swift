/// A part of the console that its navigation leads to.
enum PageArea: String, Sendable, Hashable, CaseIterable {
  case overview, readings, delivery, meters, drivers, log, imports, displays

  var path: String {
    switch self {
    case .overview: "/"
    case .imports: "/import"
    default: "/\(rawValue)"
    }
  }

  var label: String {
    switch self {
    case .overview: "Overview"
    case .readings: "Readings"
    case .delivery: "Delivery"
    case .meters: "Meters"
    case .drivers: "Drivers"
    case .log: "Log and doctor"
    case .imports: "Import"
    case .displays: "Displays"
    }
  }
}
