import BluetoothWire
import Foundation
import HostPrimitives
import Synchronization
import TestSupport
import Testing

@testable import KernelBluetooth

@Suite("Beside bluetoothd", .serialized, .enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"))
struct BluetoothDaemonTests {
  static let meter = DaemonPairingTests.meter
  static let failed = "org.bluez.Error.AuthenticationFailed"

  static let nobody = DaemonPairingPerson(passkey: { nil }, confirms: { _ in false }, show: { _ in })

  static func person(_ digits: UInt32?) -> DaemonPairingPerson {
    DaemonPairingPerson(passkey: { digits }, confirms: { $0 == digits }, show: { _ in })
  }

  /// As bluetoothd does: it asks its agent, pairs when the answer is 123456, and leaves the call unanswered.
  static let asksForPasskey: StandInDaemon.Handler = { message, desk in
    guard message.member == "Pair" else { return nil }
    try desk.askAgent(of: message.sender, "RequestPasskey", [.path(message.path)]) { desk, answer in
      if answer == .success([.number(123_456)]) { try? desk.change(["Paired": true, "Bonded": true]) }
    }
    return .keepSilent
  }

  @Test("Nothing is there: no bus, a bus without bluetoothd, and then with it")
  func running() async throws {
    #expect(await !BluetoothDaemon(bus: "unix:path=/nonexistent/bus").isRunning())
    #expect(await !BluetoothDaemon(bus: "nonsense").isRunning())
    let bus = try PrivateBus()
    let daemon = BluetoothDaemon(bus: bus.address)
    #expect(await !daemon.isRunning())
    await #expect(throws: KernelBluetoothError.daemonGone) { try await daemon.protection(of: Self.meter, at: "hci0") }
    let standIn = try StandInDaemon(bus)
    #expect(await daemon.isRunning())
    standIn.stop()
    bus.end()
    #expect(await !daemon.isRunning())
  }

  @Test("A bus that says nothing is left alone: it may have a bluetoothd")
  func muteBus() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "mh-mute-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let listener = try MuteListener(folder.appending(path: "bus").path)
    #expect(await BluetoothDaemon(bus: "unix:path=\(listener.path)").isRunning())
  }

  @Test("Only a bus that is not there is no bus")
  func absentBus() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "mh bus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "bus").path
    let escaped = path.replacingOccurrences(of: " ", with: "%20")
    #expect(BusAddress.isAbsent("unix:path=\(escaped),guid=00"))
    do {
      let listener = try MuteListener(path)
      #expect(!BusAddress.isAbsent("unix:path=\(escaped),guid=00"))
      #expect(!BusAddress.isAbsent("unix:path=/nonexistent/bus;unix:guid=00,path=\(escaped)"))
      withExtendedLifetime(listener) {}
    }
    #expect(BusAddress.isAbsent("unix:path=\(escaped)"), "what a bus has left behind is none")
    #expect(!BusAddress.isAbsent("unix:abstract=/nonexistent/bus"))
    #expect(!BusAddress.isAbsent("tcp:host=localhost,port=1"))
    #expect(!BusAddress.isAbsent("unix:path=%2"))
    #expect(BusAddress.isAbsent("nonsense"))
  }

  @Test("A bond is bluetoothd's to tell")
  func protection() async throws {
    let bus = try PrivateBus()
    let standIn = try StandInDaemon(bus)
    let daemon = BluetoothDaemon(bus: bus.address)
    #expect(try await daemon.protection(of: Self.meter, at: "hci0") == nil)
    standIn.state.withLock { $0.properties?["Paired"] = .variant(.truth(true)) }
    #expect(try await daemon.protection(of: Self.meter, at: "hci0") == nil)
    standIn.state.withLock { $0.properties?["Bonded"] = .variant(.truth(true)) }
    #expect(try await daemon.protection(of: Self.meter, at: "hci0") == .encrypted)
    #expect(try await daemon.protection(of: Self.meter, at: "hci1") == nil)
    #expect(try await daemon.protection(of: Self.meter, at: "no adapter") == nil)
    let `public` = BluetoothAddress(value: Self.meter.value)
    #expect(try await daemon.protection(of: `public`, at: "hci0") == nil)
    // Known by the address that it had before it told its own.
    standIn.state.withLock { $0.path = "/org/bluez/hci0/dev_40_00_00_00_00_01" }
    #expect(try await daemon.protection(of: Self.meter, at: "hci0") == .encrypted)
    standIn.state.withLock { $0.properties = nil }
    #expect(try await daemon.protection(of: Self.meter, at: "hci0") == nil)
  }

  @Test("What is forgotten is forgotten, and forgetting it again is no error")
  func forgetting() async throws {
    let bus = try PrivateBus()
    let standIn = try StandInDaemon(bus)
    let daemon = BluetoothDaemon(bus: bus.address)
    try await daemon.forget(Self.meter, at: "hci0")
    #expect(standIn.asked == ["RemoveDevice"])
    try await daemon.forget(Self.meter, at: "hci0")
    try await daemon.forget(Self.meter, at: "no adapter")
  }

  @Test("A passkey pairs, on a call that is never answered")
  func pairing() async throws {
    let bus = try PrivateBus()
    let standIn = try StandInDaemon(bus, Self.asksForPasskey)
    let daemon = BluetoothDaemon(bus: bus.address)
    #expect(try await daemon.pair(with: Self.meter, at: "hci0", asking: Self.person(123_456)) == .bonded(Self.meter))
    #expect(standIn.asked == ["RegisterAgent", "Pair"])
    #expect(try await daemon.pair(with: Self.meter, at: "hci0", asking: Self.nobody) == .failed(.alreadyPaired))
  }

  @Test(
    "A wrong passkey, and a person who refuses",
    arguments: [(1, .authentication), (nil, .refused)] as [(UInt32?, PairingMachine.Failure)])
  func refusal(digits: UInt32?, failure: PairingMachine.Failure) async throws {
    let bus = try PrivateBus()
    let standIn = try StandInDaemon(bus) { message, desk in
      guard message.member == "Pair" else { return nil }
      try desk.askAgent(of: message.sender, "RequestPasskey", [.path(message.path)]) { desk, _ in
        desk.settle?(.refuse(Self.failed))
      }
      return .later
    }
    let daemon = BluetoothDaemon(bus: bus.address)
    #expect(
      try await daemon.pair(with: Self.meter, at: "hci0", asking: Self.person(digits)) == .failed(failure))
    #expect(standIn.asked == ["RegisterAgent", "Pair"])
  }

  @Test("Numbers are compared and shown")
  func numbers() async throws {
    let bus = try PrivateBus()
    let standIn = try StandInDaemon(bus) { message, desk in
      guard message.member == "Pair" else { return nil }
      let path = BusValue.path(message.path)
      try desk.askAgent(of: message.sender, "DisplayPasskey", [path, .number(7), .number(0)]) { _, _ in }
      try desk.askAgent(of: message.sender, "RequestConfirmation", [path, .number(42)]) { desk, answer in
        if answer == .success([]) { try? desk.change(["Paired": true]) }
      }
      return .keepSilent
    }
    let daemon = BluetoothDaemon(bus: bus.address)
    let (shown, show) = AsyncStream<UInt32>.makeStream()
    let person = DaemonPairingPerson(passkey: { nil }, confirms: { $0 == 42 }, show: { show.yield($0) })
    #expect(try await daemon.pair(with: Self.meter, at: "hci0", asking: person) == .notBonded)
    #expect(await shown.first { _ in true } == 7)
    standIn.stop()
  }

  @Test("Nobody but bluetoothd asks the person")
  func stranger() async throws {
    let bus = try PrivateBus()
    let address = bus.address
    _ = try StandInDaemon(bus) { message, desk in
      guard message.member == "Pair" else { return nil }
      let soon = SystemClock().now + .seconds(10)
      let stranger = try BusConnection.open(address, until: soon)
      let answer = try stranger?.ask(
        BusCall(
          destination: message.sender, path: AgentRequest.path, interface: AgentRequest.interface,
          member: "RequestPasskey", arguments: [.path(message.path)]), until: soon)
      return .refuse(
        answer == .failure(BusRefusal(name: "org.bluez.Error.Rejected")) ? "org.bluez.Error.AlreadyExists" : "")
    }
    let daemon = BluetoothDaemon(bus: bus.address)
    #expect(
      try await daemon.pair(with: Self.meter, at: "hci0", asking: Self.person(1)) == .failed(.alreadyPaired))
  }

  @Test("Who gives up while the person is asked has bluetoothd give up")
  func cancellation() async throws {
    let bus = try PrivateBus()
    let (asked, ask) = AsyncStream<Void>.makeStream()
    let standIn = try StandInDaemon(bus) { message, desk in
      switch message.member {
      case "Pair":
        try desk.askAgent(of: message.sender, "RequestPasskey", [.path(message.path)]) { _, _ in }
        return .keepSilent
      case "CancelPairing": return .answer([])
      default: return nil
      }
    }
    let person = DaemonPairingPerson(
      passkey: {
        ask.yield()
        // Until the pairing is over and nobody wants to know any more.
        await withTaskCancellationHandler {
          await AsyncStream<Void> { _ in }.first { _ in true }
        } onCancel: {
        }
        return nil
      }, confirms: { _ in false }, show: { _ in })
    let daemon = BluetoothDaemon(bus: bus.address)
    let pairing = Task { try await daemon.pair(with: Self.meter, at: "hci0", asking: person) }
    _ = await asked.first { _ in true }
    pairing.cancel()
    #expect(try await pairing.value == .failed(.cancelled))
    #expect(standIn.asked == ["RegisterAgent", "Pair", "CancelPairing"])
  }

  @Test("bluetoothd that dies in the middle is an error", arguments: ["GetAll", "RegisterAgent", "Pair"])
  func death(member: String) async throws {
    let bus = try PrivateBus()
    _ = try StandInDaemon(bus) { message, _ in message.member == member ? .die : nil }
    let daemon = BluetoothDaemon(bus: bus.address)
    await #expect(throws: KernelBluetoothError.daemonGone) {
      try await daemon.pair(with: Self.meter, at: "hci0", asking: Self.nobody)
    }
  }

  @Test("So is a bus that ends")
  func busEnd() async throws {
    let bus = try PrivateBus()
    let (asked, ask) = AsyncStream<Void>.makeStream()
    _ = try StandInDaemon(bus) { message, _ in
      if message.member == "Pair" { ask.yield() }
      return nil
    }
    let daemon = BluetoothDaemon(bus: bus.address)
    let pairing = Task { try await daemon.pair(with: Self.meter, at: "hci0", asking: Self.nobody) }
    _ = await asked.first { _ in true }
    bus.end()
    await #expect(throws: KernelBluetoothError.daemonGone) { try await pairing.value }
  }

  @Test(
    "Nonsense is an error",
    arguments: [
      [], [BusValue.text("x")], [.number(1)], [.list([.text("x")])], [.dictionary([:])], [.variant(.truth(true))],
      [.dictionary(["Paired": .variant(.text("yes"))])], [.dictionary(["Paired": .variant(.variant(.truth(true)))])],
      [(0..<12).reduce(BusValue.truth(true)) { value, _ in .variant(value) }],
    ])
  func nonsense(answer: [BusValue]) async throws {
    let bus = try PrivateBus()
    _ = try StandInDaemon(bus) { message, _ in message.member == "GetAll" ? .answer(answer) : nil }
    let daemon = BluetoothDaemon(bus: bus.address)
    await #expect(throws: KernelBluetoothError.daemonUnknown) {
      try await daemon.protection(of: Self.meter, at: "hci0")
    }
    await #expect(throws: KernelBluetoothError.daemonUnknown) {
      try await daemon.pair(with: Self.meter, at: "hci0", asking: Self.nobody)
    }
    await #expect(throws: KernelBluetoothError.daemonUnknown) { try await daemon.forget(Self.meter, at: "hci0") }
  }

  @Test("A list of devices that has no end is an error")
  func flood() async throws {
    let bus = try PrivateBus()
    let standIn = try StandInDaemon(bus) { message, _ in
      guard message.member == "GetManagedObjects" else { return nil }
      return .answer([.list(Array(repeating: .text(""), count: 150_000))])
    }
    standIn.state.withLock { $0.properties = nil }
    let daemon = BluetoothDaemon(bus: bus.address)
    await #expect(throws: KernelBluetoothError.daemonUnknown) {
      try await daemon.protection(of: Self.meter, at: "hci0")
    }
  }

  @Test("Refusals are told with their cure")
  func refusals() async throws {
    for (name, code) in [
      ("org.freedesktop.DBus.Error.AccessDenied", KernelBluetoothError.Code.noPermission),
      ("org.bluez.Error.NotReady", .poweredOff), ("com.example.Odd", .refused),
    ] {
      let bus = try PrivateBus()
      _ = try StandInDaemon(bus) { message, _ in message.member == "GetAll" ? .refuse(name) : nil }
      let error = await #expect(throws: KernelBluetoothError.self) {
        try await BluetoothDaemon(bus: bus.address).protection(of: Self.meter, at: "hci0")
      }
      #expect(error?.code == code)
    }
  }
}

/// A socket that takes connections, as the kernel does for it, and says nothing.
private final class MuteListener {
  let path: String
  private let descriptor: Int32

  init(_ path: String) throws {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, listen(descriptor, 8) == 0 else { throw PrivateBus.Failure(reason: "no socket at \(path)") }
  }

  deinit { close(descriptor) }
}
