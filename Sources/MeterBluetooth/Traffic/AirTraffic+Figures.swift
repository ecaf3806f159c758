package import BluetoothWire
import Synchronization

/// The numbers of the traffic on the radios at one moment.
package struct AirFigures: Sendable, Hashable {
  /// A radio that is there, or was.
  package struct Adapter: Sendable, Hashable {
    /// For people, such as `hci0`.
    package let name: String
    /// Whether it can be used now.
    package let isUp: Bool
    /// Links that it has or is making.
    package let connections: Int
    /// Links that it holds at the same time; 0 where it is not known.
    package let slots: Int
    /// The meters that the links are for, by address.
    package let meters: [BluetoothAddress]

    package init(name: String, isUp: Bool, connections: Int, slots: Int = 0, meters: [BluetoothAddress] = []) {
      (self.name, self.isUp, self.connections, self.slots) = (name, isUp, connections, slots)
      self.meters = meters
    }
  }

  /// By name.
  package var adapters: [Adapter]
  /// Advertisements that were heard since the traffic began.
  package var advertisements: Int

  package init(adapters: [Adapter] = [], advertisements: Int = 0) {
    (self.adapters, self.advertisements) = (adapters, advertisements)
  }
}

extension AirTraffic {
  /// The numbers of this moment; it waits for nothing.
  package var figures: AirFigures {
    state.withLock { state in
      let there = state.names.map { name, id in
        let scheduled = state.schedule.adapters.first { $0.properties.id == id }
        let works = scheduled?.links.works ?? []
        return AirFigures.Adapter(
          name: name, isUp: true, connections: works.count, slots: scheduled?.properties.slots ?? 0,
          meters: works.compactMap { state.schedule.works[$0]?.work.meter })
      }
      let gone = state.gone.map { AirFigures.Adapter(name: $0, isUp: false, connections: 0) }
      return AirFigures(adapters: (there + gone).sorted { $0.name < $1.name }, advertisements: state.advertisements)
    }
  }
}

extension AirTraffic.State {
  /// How many radios that are gone are remembered: each plug may get another name.
  private static let goneLimit = 16

  mutating func noteGone(_ name: String) { if gone.count < Self.goneLimit { gone.insert(name) } }
}
