import BluetoothWire

/// The meter's side of security on the virtual air: its bonds, and the level of the link that is up.
struct MeterSecurity: Sendable {
  /// What the script says about pairing; nil: the meter has none.
  private let pairing: MeterScript.Pairing?
  private let isAlwaysBonded: Bool
  private let needsSecurity: Bool
  private var bonds: Set<[UInt8]> = []
  private var awaitsPasskey = false
  /// Whether the person has put the meter into its pairing mode.
  var acceptsPairing: Bool
  /// 1 none, 2 encrypted, 3 authenticated.
  private(set) var level: UInt8 = 1

  private static let bondLimit = 64

  init(script: MeterScript) {
    pairing = script.pairing
    isAlwaysBonded = script.bonded
    needsSecurity =
      script.pairing != nil
      || script.services.contains { $0.characteristics.contains { $0.requires != .none } }
    acceptsPairing = script.pairing?.accepts ?? false
    startLink()
  }

  /// A new link is not encrypted, unless the script says that host and meter share a bond.
  mutating func startLink() {
    level = isAlwaysBonded ? 2 : 1
    awaitsPasskey = false
  }

  /// The meter forgets every host, as after a reset.
  mutating func forgetBonds() { bonds = [] }

  /// Answers one message of the host; nothing to what a host does not send.
  mutating func answer(_ message: VirtualSecurity) -> VirtualSecurity? {
    switch message {
    case .start(let bond):
      guard let bond else { return needsSecurity ? .level(level) : .notNeeded }
      guard bonds.contains(bond) else { return .keyMissing }
      level = pairing?.passkey == nil ? 2 : 3
      return .level(level)
    case .pair:
      guard pairing != nil, acceptsPairing else { return .failed(VirtualSecurity.Reason.pairingNotSupported) }
      guard pairing?.passkey != nil else { return bond(level: 2) }
      awaitsPasskey = true
      return .passkeyWanted
    case .passkey(let number):
      guard awaitsPasskey else { return .failed(VirtualSecurity.Reason.unspecified) }
      awaitsPasskey = false
      return number == pairing?.passkey ? bond(level: 3) : .failed(VirtualSecurity.Reason.confirmValueFailed)
    case .failed:
      awaitsPasskey = false
      return nil
    case .level, .notNeeded, .keyMissing, .passkeyWanted, .bonded: return nil
    }
  }

  private mutating func bond(level: UInt8) -> VirtualSecurity {
    let bond = (0..<VirtualSecurity.bondLength).map { _ in UInt8.random(in: 0...255) }
    if bonds.count >= Self.bondLimit { bonds = [] }
    bonds.insert(bond)
    self.level = level
    return .bonded(bond, level: level)
  }
}
