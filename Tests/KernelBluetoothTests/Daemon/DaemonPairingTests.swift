import BluetoothWire
import Testing

@testable import KernelBluetooth

@Suite("Pairing through bluetoothd")
struct DaemonPairingTests {
  static let meter = BluetoothAddress(value: 0xF0F1_F2F3_F4F5, kind: .random)
  static let path = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5"

  static func device(
    paired: Bool = false, bonded: Bool? = nil, connected: Bool = true, address: String = "F0:F1:F2:F3:F4:F5"
  ) -> DaemonDevice? {
    var properties: [String: BusValue] = [
      "Address": .variant(.text(address)), "AddressType": .variant(.text("random")),
      "Paired": .variant(.truth(paired)), "Connected": .variant(.truth(connected)),
    ]
    if let bonded { properties["Bonded"] = .variant(.truth(bonded)) }
    return DaemonDevice(path: path, properties: .dictionary(properties))
  }

  /// A pairing that bluetoothd has begun.
  static func begun() -> DaemonPairing {
    var pairing = DaemonPairing(with: meter, path: path)
    #expect(pairing.start() == [.call(.look)])
    #expect(pairing.handle(.answered(.look, device())) == [.call(.registerAgent)])
    #expect(pairing.handle(.answered(.registerAgent, nil)) == [.call(.pair)])
    return pairing
  }

  /// One whose person was asked for the passkey.
  static func asked() -> DaemonPairing {
    var pairing = begun()
    #expect(pairing.handle(.asked(.passkey(path), 1)) == [.askPasskey(1)])
    return pairing
  }

  static func refused(_ name: String) -> DaemonPairing.Input { .refused(.pair, BusRefusal(name: name)) }

  @Test("Success is seen by the meter's properties: bluetoothd never answers the call")
  func success() {
    var pairing = Self.asked()
    #expect(pairing.handle(.answer(.passkey(123_456), 1)) == [.reply(1, .number(123_456))])
    #expect(pairing.handle(.changed) == [.call(.look)])
    #expect(
      pairing.handle(.answered(.look, Self.device(paired: true, bonded: true))) == [.end(.bonded(Self.meter))])
    #expect(pairing.handle(.changed) == [])
    #expect(pairing.handle(.cancel) == [])
  }

  @Test("A meter that changes its address is known by its own from then on")
  func identity() {
    var pairing = Self.begun()
    #expect(pairing.handle(.tick) == [.call(.look)])
    #expect(
      pairing.handle(.answered(.look, Self.device(paired: true, bonded: true, address: "C0:00:00:00:00:01")))
        == [.end(.bonded(BluetoothAddress(value: 0xC000_0000_0001, kind: .random)))])
  }

  @Test("An older bluetoothd tells pairings and bonds not apart; a newer one does")
  func bonds() {
    for (bonded, outcome) in [(nil, DaemonPairingOutcome.bonded(Self.meter)), (false, .notBonded)] {
      var pairing = Self.begun()
      #expect(pairing.handle(.answered(.pair, nil)) == [.call(.look)])
      #expect(pairing.handle(.answered(.look, Self.device(paired: true, bonded: bonded))) == [.end(outcome)])
    }
  }

  @Test("A change that comes while the properties are asked for is looked at, too")
  func changes() {
    var pairing = Self.begun()
    #expect(pairing.handle(.changed) == [.call(.look)])
    #expect(pairing.handle(.changed) == [])
    #expect(pairing.handle(.answered(.look, Self.device())) == [.call(.look)])
    #expect(pairing.handle(.answered(.look, Self.device())) == [])
  }

  @Test(
    "Refusals have their reasons",
    arguments: [
      ("org.bluez.Error.AuthenticationFailed", PairingMachine.Failure.notPairable),
      ("org.bluez.Error.AuthenticationRejected", .notPairable),
      ("org.bluez.Error.AuthenticationCanceled", .disconnected),
      ("org.bluez.Error.AuthenticationTimeout", .timeout), ("org.bluez.Error.ConnectionAttemptFailed", .disconnected),
      ("org.bluez.Error.AlreadyExists", .alreadyPaired), ("org.bluez.Error.InProgress", .status(.busy)),
      ("org.bluez.Error.Failed", .status(.failed)), ("org.freedesktop.DBus.Error.UnknownObject", .disconnected),
    ])
  func refusals(name: String, failure: PairingMachine.Failure) {
    var pairing = Self.begun()
    #expect(pairing.handle(Self.refused(name)) == [.end(.failed(failure))])
  }

  @Test(
    "What is not of the pairing is an error",
    arguments: [
      ("org.freedesktop.DBus.Error.AccessDenied", KernelBluetoothError.Code.noPermission),
      ("org.bluez.Error.NotReady", .poweredOff), ("org.freedesktop.DBus.Error.NoReply", .noAnswer),
      ("org.freedesktop.DBus.Error.ServiceUnknown", .noAnswer), ("", .refused), ("com.example.Odd", .refused),
    ])
  func errors(name: String, code: KernelBluetoothError.Code) {
    var pairing = Self.begun()
    guard case .fail(let error)? = pairing.handle(Self.refused(name)).first else { return #expect(Bool(false)) }
    #expect(error.code == code)
    #expect(pairing.handle(.tick) == [])
  }

  @Test("A wrong passkey and a person who refuses are told apart")
  func reasons() {
    var wrong = Self.asked()
    _ = wrong.handle(.answer(.passkey(1), 1))
    #expect(wrong.handle(Self.refused("org.bluez.Error.AuthenticationFailed")) == [.end(.failed(.authentication))])
    var refused = Self.asked()
    #expect(refused.handle(.answer(.passkey(nil), 1)) == [.reply(1, .rejected)])
    #expect(refused.handle(Self.refused("org.bluez.Error.AuthenticationFailed")) == [.end(.failed(.refused))])
    var impossible = Self.asked()
    #expect(impossible.handle(.answer(.passkey(1_000_000), 1)) == [.reply(1, .rejected)])
    var other = Self.begun()
    #expect(
      other.handle(.asked(.confirmation(Self.path, 42), 1)) == [.askConfirmation(1, number: 42)])
    #expect(other.handle(.answer(.confirmation(false), 1)) == [.reply(1, .rejected)])
    #expect(other.handle(Self.refused("org.bluez.Error.AuthenticationFailed")) == [.end(.failed(.refused))])
  }

  @Test("A number for the meter is shown once, and not without end")
  func numbers() {
    var pairing = Self.begun()
    #expect(pairing.handle(.asked(.display(Self.path, 7), 1)) == [.reply(1, .done), .show(7)])
    #expect(pairing.handle(.asked(.display(Self.path, 7), 2)) == [.reply(2, .done)])
    let shown = (0..<100).flatMap { number in pairing.handle(.asked(.display(Self.path, 100 + number), 3 + number)) }
      .filter { if case .show = $0 { true } else { false } }
    #expect(shown.count == 7)
  }

  @Test("The agent answers for this meter and this pairing only, and one question at a time")
  func agent() {
    var early = DaemonPairing(with: Self.meter, path: Self.path)
    _ = early.start()
    #expect(early.handle(.asked(.authorization(Self.path), 1)) == [.reply(1, .rejected)])
    var pairing = Self.asked()
    #expect(pairing.handle(.asked(.passkey(Self.path), 2)) == [.reply(2, .rejected)])
    #expect(pairing.handle(.asked(.passkey("/org/bluez/hci0/dev_00"), 3)) == [.reply(3, .rejected)])
    #expect(pairing.handle(.asked(.unknown, 4)) == [.reply(4, .rejected)])
    #expect(pairing.handle(.asked(.authorization(Self.path), 5)) == [.reply(5, .done)])
    #expect(pairing.handle(.asked(.cancel, 6)) == [.reply(6, .done)])
    #expect(pairing.handle(.answer(.passkey(1), 1)) == [])
    #expect(pairing.handle(.asked(.passkey(Self.path), 7)) == [.askPasskey(7)])
  }

  @Test("A meter that is paired, is not there, or has no link is not paired")
  func beginnings() {
    var paired = DaemonPairing(with: Self.meter, path: Self.path)
    _ = paired.start()
    #expect(paired.handle(.answered(.look, Self.device(paired: true))) == [.end(.failed(.alreadyPaired))])
    var unknown = DaemonPairing(with: Self.meter, path: Self.path)
    var commands = unknown.start()
    for _ in 0..<20 where commands.last == .call(.look) {
      #expect(unknown.handle(.refused(.look, BusRefusal(name: "org.freedesktop.DBus.Error.UnknownObject"))) == [])
      commands = unknown.handle(.tick)
    }
    #expect(commands == [.end(.failed(.disconnected))])
    var late = DaemonPairing(with: Self.meter, path: Self.path)
    _ = late.start()
    #expect(late.handle(.answered(.look, Self.device(connected: false))) == [])
    #expect(late.handle(.tick) == [.call(.look)])
    #expect(late.handle(.answered(.look, Self.device())) == [.call(.registerAgent)])
  }

  @Test("A link that goes ends the pairing, after bluetoothd had its chance to say why")
  func lostLink() {
    var pairing = Self.asked()
    for expected in [[], [DaemonPairing.Command.end(.failed(.disconnected))]] {
      #expect(pairing.handle(.tick) == [.call(.look)])
      #expect(pairing.handle(.answered(.look, Self.device(connected: false))) == expected)
    }
    var told = Self.asked()
    _ = told.handle(.answer(.passkey(1), 1))
    _ = told.handle(.changed)
    #expect(told.handle(.answered(.look, Self.device(connected: false))) == [])
    #expect(told.handle(Self.refused("org.bluez.Error.AuthenticationFailed")) == [.end(.failed(.authentication))])
    var removed = Self.begun()
    _ = removed.handle(.tick)
    #expect(
      removed.handle(.refused(.look, BusRefusal(name: "org.freedesktop.DBus.Error.UnknownObject")))
        == [.end(.failed(.disconnected))])
  }

  @Test("Who gives up has bluetoothd give up; a bond that was faster counts")
  func cancellation() {
    var early = DaemonPairing(with: Self.meter, path: Self.path)
    _ = early.start()
    #expect(early.handle(.cancel) == [.end(.failed(.cancelled))])
    for (input, answer, outcome) in [
      (DaemonPairing.Input.answered(.cancelPairing, nil), Self.device(), DaemonPairingOutcome.failed(.cancelled)),
      (Self.refused("org.bluez.Error.AuthenticationCanceled"), Self.device(), .failed(.cancelled)),
      (
        .refused(.cancelPairing, BusRefusal(name: "org.bluez.Error.DoesNotExist")),
        Self.device(paired: true, bonded: true), .bonded(Self.meter)
      ),
    ] {
      var pairing = Self.asked()
      #expect(pairing.handle(.cancel) == [.call(.cancelPairing)])
      #expect(pairing.handle(.cancel) == [])
      #expect(pairing.handle(input) == [.call(.look)])
      #expect(pairing.handle(.answered(.look, answer)) == [.end(outcome)])
    }
  }

  @Test("Properties that were asked for before bluetoothd gave up do not end the pairing")
  func lateLook() {
    var pairing = Self.asked()
    #expect(pairing.handle(.tick) == [.call(.look)])
    #expect(pairing.handle(.cancel) == [.call(.cancelPairing)])
    #expect(pairing.handle(.answered(.look, Self.device())) == [])
    #expect(pairing.handle(.answered(.cancelPairing, nil)) == [.call(.look)])
    #expect(pairing.handle(Self.refused("org.bluez.Error.AuthenticationCanceled")) == [])
    #expect(pairing.handle(.answered(.look, Self.device())) == [.end(.failed(.cancelled))])
  }

  @Test("Silence ends a pairing, at every point")
  func silence() {
    func last(_ pairing: inout DaemonPairing, answering: Bool) -> DaemonPairing.Command? {
      var last: DaemonPairing.Command?
      for _ in 0..<1000 {
        for command in pairing.handle(.tick) {
          last = command
          if answering, command == .call(.look) { _ = pairing.handle(.answered(.look, Self.device())) }
        }
      }
      return last
    }
    var mute = DaemonPairing(with: Self.meter, path: Self.path)
    _ = mute.start()
    #expect(last(&mute, answering: false) == .fail(.daemonSilent))
    var registering = DaemonPairing(with: Self.meter, path: Self.path)
    _ = registering.start()
    _ = registering.handle(.answered(.look, Self.device()))
    #expect(last(&registering, answering: true) == .fail(.daemonSilent))
    var pairing = Self.begun()
    #expect(last(&pairing, answering: true) == .fail(.daemonSilent))
    var slow = Self.begun()
    for _ in 0..<359 {
      #expect(slow.handle(.tick) == [.call(.look)])
      #expect(slow.handle(.answered(.look, Self.device())) == [])
    }
    #expect(slow.handle(.tick) == [.call(.cancelPairing)])
    #expect(slow.handle(.answered(.cancelPairing, nil)) == [.call(.look)])
    #expect(slow.handle(.answered(.look, Self.device())) == [.end(.failed(.timeout))])
  }

  @Test("Properties of other types than they should be are an error")
  func properties() {
    var pairing = Self.begun()
    _ = pairing.handle(.tick)
    #expect(pairing.handle(.answered(.look, nil)) == [.fail(.daemonUnknown)])
    let good: [String: BusValue] = [
      "Address": .variant(.text("F0:F1:F2:F3:F4:F5")), "AddressType": .variant(.text("random")),
      "Paired": .variant(.truth(true)), "Connected": .variant(.truth(true)), "Bonded": .variant(.truth(true)),
    ]
    #expect(DaemonDevice(path: Self.path, properties: .dictionary(good)) != nil)
    for key in good.keys {
      for value in [BusValue.truth(true), .variant(.number(1)), .variant(.text("")), .variant(.path("/")), .other] {
        let bad = good.merging([key: value]) { $1 }
        #expect(DaemonDevice(path: Self.path, properties: .dictionary(bad)) == nil, "\(key) \(value)")
      }
    }
    #expect(DaemonDevice(path: Self.path, properties: .list([])) == nil)
    #expect(DaemonDevice(path: Self.path, properties: nil) == nil)
  }

  @Test("Paths are made of names of adapters only")
  func paths() {
    #expect(DaemonDevice.path(of: Self.meter, at: "hci0") == Self.path)
    for name in ["", "hci0/x", "hci 0", "../hci0", "hci\u{0}", "HCI0", "hcié"] {
      #expect(DaemonDevice.path(of: Self.meter, at: name) == nil)
    }
  }
}
