import BluetoothWire
import MeterBluetooth
import Testing

@testable import GatewayAPI
@testable import GatewayEngine

/// What the radios do, as it is told.
@Suite("Radios as they are told") struct RadioShowTests {
  @Test func whoHasTheConnectionsIsSaid() {
    let figures = AirFigures(adapters: [
      AirFigures.Adapter(
        name: "hci0", isUp: true, connections: 1, slots: 4, meters: [BluetoothAddress(value: 0xC026_DF00_0001)]),
      AirFigures.Adapter(name: "hci1", isUp: false, connections: 0),
    ])
    let told = RadioDescription(figures).adapters
    #expect(told.map(\.name) == ["hci0", "hci1"] && told.map(\.isUp) == [true, false])
    #expect(told[0].slots == 4 && told[0].connections == 1 && told[0].meters == ["C0:26:DF:00:00:01"])
    #expect(told[1].slots == 0 && told[1].meters.isEmpty)
  }
}
