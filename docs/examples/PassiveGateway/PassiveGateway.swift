// Reads chosen meters whenever they advertise, and delivers: what docs/embed-the-library.md explains.
// Usage: example-passive-gateway INSTALLATION STATE RECEIVER [ID...]
// Without ids it goes on with those that were chosen last. RECEIVER_TOKEN begins the session; METERHOST_AIR names the folder of
// virtual meters, without which the machine's Bluetooth adapters are used.
import BluetoothWire
import Dispatch
import Foundation
import MeterBluetooth
import MeterCore
import CurlHTTP
import InformSink
import MeterDrivers

@main
struct PassiveGateway {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let ids = arguments.dropFirst(4).compactMap { UInt32($0) }
    guard arguments.count > 3, ids.count == arguments.count - 4 else {
      return print("usage: example-passive-gateway INSTALLATION STATE RECEIVER [ID...]")
    }
    let registry = try Registry.load(RegistrySources(base: arguments[1] + "/lib/meterhost/registry.json"))
    let bundles = BundleCatalog(registry: registry)
    let drivers = DriverHost(
      configuration: DriverHostConfiguration(workerPath: arguments[1] + "/libexec/meterhost/meterhost-worker"))
    let store = try MeterStore(folder: URL(fileURLWithPath: arguments[2]))
    try beginSession(in: store)

    // One traffic for all that is done with the radios: a `PeripheralController` on the same one reads for a person, and
    // passive reading waits meanwhile.
    let (traffic, adapters) = try await radios(of: store)
    let manager = PassiveManager(traffic: traffic, store: store) {
      PassiveManager.Catalogue(registry: registry, bundles: bundles, drivers: drivers)
    }
    let events = manager.events()
    if ids.isEmpty { try manager.start() } else { try manager.choose(ids) }
    let telling = Task { for await event in events { tell(event) } }

    let uploader = DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(arguments[3]), transport: CurlTransport())
    let uploading = Task { await uploader.run() }

    await untilAskedToEnd()
    manager.stop()
    // What is under way commits what it has; the choice stays.
    await manager.settle(within: .seconds(5))
    telling.cancel()
    uploading.cancel()
    await uploading.value
    await adapters?.close()
  }

  /// Without a session nothing is read passively: nobody could say whose the readings are.
  private static func beginSession(in store: MeterStore) throws {
    guard let token = ProcessInfo.processInfo.environment["RECEIVER_TOKEN"] else { return }
    let user = SessionUser(userID: "patient-1", organizationID: "clinic")
    let start = try store.startSession(user, token: AccessToken(token))
    if let file = start.ended?.recoveryFile { print("the session before left \(file.path)") }
  }

  /// - Returns: The adapters, too, which are closed last.
  private static func radios(of store: MeterStore) async throws -> (AirTraffic, KernelAdapters?) {
    let bonds = StoreBonds(store)
    if let folder = ProcessInfo.processInfo.environment["METERHOST_AIR"] {
      return (AirTraffic(VirtualRadio(air: VirtualAir(folder: folder), bonds: bonds)), nil)
    }
    let adapters = KernelAdapters(bonds: bonds)
    try await adapters.open()
    return (AirTraffic(adapters), adapters)
  }

  private static func tell(_ event: PassiveEvent) {
    switch event {
    case .isReady(let peripheral, let meter): print("\(peripheral) \(meter): time to measure")
    case .didRead(let peripheral, let meter, let summary):
      print("\(peripheral) \(meter): \(summary.records.count) new, \(summary.revised.count) changed")
    case .didFail(let peripheral, let meter, let error):
      print("\(peripheral) \(meter.map { "\($0)" } ?? "-"): \(error.code.rawValue): \(error.message)")
    }
  }

  /// Waits for SIGINT or SIGTERM.
  private static func untilAskedToEnd() async {
    let (asked, post) = AsyncStream<Void>.makeStream()
    let sources = [SIGINT, SIGTERM].map { number in
      // A source hears of it only when it does not end the process.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { post.finish() }
      source.resume()
      return source
    }
    for await _ in asked {}
    for source in sources { source.cancel() }
  }
}
