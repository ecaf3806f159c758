import BluetoothWire
import MeterBluetooth
import VirtualMeter

/// A radio with one meter on the table: it is heard at once and whenever its link is free, and a bond with it exists.
///
/// Of a meter whose advertisements change, one round is heard, and then nothing more: how long a machine takes over it
/// says nothing about a driver.
struct BenchRadio: Radio {
  let meter: VirtualMeter

  func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> {
    AsyncThrowingStream { continuation in
      if meter.script.isAdvertisementOnly {
        for report in meter.advertisements { continuation.yield(report) }
        return continuation.finish()
      }
      let events = meter.events()
      let task = Task {
        continuation.yield(meter.advertisement)
        for await case .disconnected in events { continuation.yield(meter.advertisement) }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    // The last link of the meter may still be going.
    var events = meter.events().makeAsyncIterator()
    while true {
      do throws(VirtualMeterError) {
        return VirtualBearer(socket: try meter.connect())
      } catch {
        guard error.code == .busy else { throw BluetoothError(.connectionFailure, error.message, cause: error) }
      }
      while let event = await events.next() {
        if case .disconnected = event { break }
      }
    }
  }

  func isPaired(with address: BluetoothAddress) async -> Bool { true }
  func security(of address: BluetoothAddress) async -> UInt8 { 2 }
  func forget(_ address: BluetoothAddress) async throws(BluetoothError) {}

  func pair(
    with address: BluetoothAddress, asking person: PairingPerson
  ) async throws(BluetoothError) -> PairedLink { PairedLink(level: 2, identity: address) }
}
