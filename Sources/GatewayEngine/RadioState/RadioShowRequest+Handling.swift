package import GatewayAPI
import BluetoothWire
import MeterBluetooth

extension RadioShowRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) async -> RadioDescription {
    RadioDescription(await owner.radios.figures)
  }
}

extension RadioDescription {
  init(_ figures: AirFigures) {
    self.init(
      adapters: figures.adapters.map { adapter in
        Adapter(
          name: adapter.name, isUp: adapter.isUp, slots: adapter.slots, connections: adapter.connections,
          meters: adapter.meters.map(\.description))
      })
  }
}
