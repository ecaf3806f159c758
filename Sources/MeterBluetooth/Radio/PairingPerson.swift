public import BluetoothWire

/// The person who takes part in a pairing (Core Specification, Vol 3 Part H 2.3.5).
public struct PairingPerson: Sendable {
  /// Asks for the six digits that the meter shows; nil when they refuse.
  public var passkey: @Sendable () async -> UInt32?
  /// Asks whether the meter shows this number, too.
  public var confirms: @Sendable (UInt32) async -> Bool
  /// Shows the number that is to be entered at the meter.
  public var show: @Sendable (UInt32) async -> Void

  /// A person who can be asked.
  public init(
    passkey: @escaping @Sendable () async -> UInt32?, confirms: @escaping @Sendable (UInt32) async -> Bool,
    show: @escaping @Sendable (UInt32) async -> Void
  ) {
    self.passkey = passkey
    self.confirms = confirms
    self.show = show
  }
}

/// What a pairing has made of a link.
public struct PairedLink: Sendable, Hashable {
  /// The link's security level, `MH_SECURITY_*`.
  public var level: UInt8
  /// The address by which the meter is known from now on: a meter that changes its address has told which is its own.
  public var identity: BluetoothAddress
  /// Whether there is a bond; without one the link is protected until it ends, and no longer.
  public var isBonded: Bool

  /// A link after its pairing.
  public init(level: UInt8, identity: BluetoothAddress, isBonded: Bool = true) {
    self.level = level
    self.identity = identity
    self.isBonded = isBonded
  }
}
