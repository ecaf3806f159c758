import BluetoothWire
import Testing

@testable import KernelBluetooth

@Suite("Pairing with the kernel")
struct PairingMachineTests {
  static let meter = BluetoothAddress(value: 0xF0F1_F2F3_F4F5, kind: .random)
  static let other = BluetoothAddress(value: 0x00AA_0200_0001)

  static func key(_ kind: LongTermKey.Kind, of peer: BluetoothAddress = meter) -> LongTermKey {
    LongTermKey(
      peer: peer, kind: kind, isCentral: false, size: 16, diversifier: 0, random: 0,
      value: Array(repeating: 1, count: 16))
  }

  @Test("Just Works is agreed to without a question")
  func justWorks() {
    var machine = PairingMachine(with: Self.meter)
    #expect(
      machine.handle(.event(.confirmationRequest(Self.meter, number: nil))) == [.send(.confirm(Self.meter, true))])
    #expect(machine.handle(.event(.longTermKey(Self.key(.unauthenticatedCurve), isToBeKept: true))) == [])
    #expect(machine.handle(.ended(.success)) == [.end(.bonded([Self.key(.unauthenticatedCurve)], nil))])
    #expect(machine.handle(.ended(.success)) == [])
  }

  @Test("A passkey is asked for and sent")
  func passkey() {
    var machine = PairingMachine(with: Self.meter)
    #expect(machine.handle(.event(.passkeyRequest(Self.meter))) == [.askPasskey])
    #expect(machine.handle(.answer(.passkey(123_456))) == [.send(.passkey(Self.meter, 123_456))])
    _ = machine.handle(.event(.longTermKey(Self.key(.authenticatedCurve), isToBeKept: true)))
    #expect(machine.handle(.ended(.success)) == [.end(.bonded([Self.key(.authenticatedCurve)], nil))])
  }

  @Test("Legacy pairing brings a key for each direction")
  func legacy() {
    var machine = PairingMachine(with: Self.meter)
    let keys = [Self.key(.authenticated), Self.key(.unauthenticated)]
    for key in keys { _ = machine.handle(.event(.longTermKey(key, isToBeKept: true))) }
    #expect(machine.handle(.ended(.success)) == [.end(.bonded(keys, nil))])
  }

  @Test("A number is compared")
  func comparison() {
    var machine = PairingMachine(with: Self.meter)
    #expect(machine.handle(.event(.confirmationRequest(Self.meter, number: 42))) == [.askConfirmation(42)])
    #expect(machine.handle(.answer(.confirmation(true))) == [.send(.confirm(Self.meter, true))])
  }

  @Test("A wrong passkey, a meter that does not pair, and a refusal are told apart")
  func failures() {
    var wrong = PairingMachine(with: Self.meter)
    _ = wrong.handle(.event(.passkeyRequest(Self.meter)))
    _ = wrong.handle(.answer(.passkey(1)))
    #expect(wrong.handle(.ended(.authenticationFailed)) == [.end(.failed(.authentication))])
    var closed = PairingMachine(with: Self.meter)
    #expect(closed.handle(.ended(.authenticationFailed)) == [.end(.failed(.notPairable))])
    var refused = PairingMachine(with: Self.meter)
    _ = refused.handle(.event(.passkeyRequest(Self.meter)))
    #expect(refused.handle(.answer(.passkey(nil))) == [.send(.passkey(Self.meter, nil))])
    #expect(refused.handle(.ended(.authenticationFailed)) == [.end(.failed(.refused))])
    var different = PairingMachine(with: Self.meter)
    _ = different.handle(.event(.confirmationRequest(Self.meter, number: 42)))
    #expect(different.handle(.answer(.confirmation(false))) == [.send(.confirm(Self.meter, false))])
    #expect(different.handle(.ended(.authenticationFailed)) == [.end(.failed(.refused))])
  }

  @Test("Giving up asks the kernel to, once, and takes no answer any more")
  func cancelling() {
    var machine = PairingMachine(with: Self.meter)
    _ = machine.handle(.event(.passkeyRequest(Self.meter)))
    #expect(machine.handle(.cancel) == [.send(.cancelPairing(Self.meter))])
    #expect(machine.handle(.cancel) == [])
    #expect(machine.handle(.answer(.passkey(1))) == [])
    #expect(machine.handle(.ended(.cancelled)) == [.end(.failed(.cancelled))])
  }

  @Test("Another meter's pairing is not this one's")
  func others() {
    var machine = PairingMachine(with: Self.meter)
    #expect(machine.handle(.event(.passkeyRequest(Self.other))) == [])
    #expect(machine.handle(.event(.confirmationRequest(Self.other, number: nil))) == [])
    _ = machine.handle(.event(.longTermKey(Self.key(.authenticated, of: Self.other), isToBeKept: true)))
    #expect(machine.handle(.answer(.passkey(1))) == [])
    #expect(machine.handle(.ended(.success)) == [.end(.notBonded)])
  }

  @Test("A meter that changes its address is known by its identity")
  func identity() {
    var machine = PairingMachine(with: Self.meter)
    let identity = IdentityKey(peer: Self.other, value: Array(0..<16))
    _ = machine.handle(.event(.identityKey(identity, address: Self.meter, isToBeKept: true)))
    let key = Self.key(.unauthenticatedCurve, of: Self.other)
    _ = machine.handle(.event(.longTermKey(key, isToBeKept: true)))
    #expect(machine.handle(.ended(.success)) == [.end(.bonded([key], identity))])
  }

  @Test("Keys that belong to no bond are not kept")
  func passingKeys() {
    var machine = PairingMachine(with: Self.meter)
    _ = machine.handle(.event(.longTermKey(Self.key(.debug), isToBeKept: false)))
    #expect(machine.handle(.ended(.success)) == [.end(.notBonded)])
  }
}
