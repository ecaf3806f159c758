import GatewayAPI

/// A radio as a line: how many connections it has left, and who has the others.
struct RadioRow: Sendable {
  let name: String
  let state: String
  let mark: String
  /// `1 of 4 taken, 3 free`.
  let connections: String
  /// The meters that have them.
  let meters: String

  /// - Parameter names: Known meters by their addresses.
  init(_ adapter: RadioDescription.Adapter, names: [String: String]) {
    name = adapter.name.clipped(to: 60)
    state = adapter.isUp ? "works" : "cannot be used"
    let isFull = adapter.isUp && adapter.slots > 0 && adapter.connections >= adapter.slots
    mark = !adapter.isUp ? "failed" : isFull ? "waits" : "works"
    connections =
      adapter.slots > 0
      ? "\(adapter.connections) of \(adapter.slots) taken, \(max(0, adapter.slots - adapter.connections)) free"
      : "\(adapter.connections) taken"
    let users = adapter.meters.prefix(8).map { names[$0] ?? $0 }
    meters = users.isEmpty ? "nobody" : users.joined(separator: ", ").clipped
  }

  /// The radios with their meters by name.
  static func all(_ radios: RadioDescription?, meters: [KnownMeterDescription]) -> [RadioRow] {
    let names = Dictionary(meters.compactMap { meter in meter.address.map { ($0, meter.name) } }) { first, _ in first }
    return (radios?.adapters ?? []).map { RadioRow($0, names: names) }
  }
}
