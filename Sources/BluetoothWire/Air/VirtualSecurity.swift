import HostPrimitives

/// Security on the virtual air: what stands for the link layer's encryption and the Security Manager there.
///
/// Its messages go over the ATT link's socket and begin with a byte that no ATT PDU begins with. A local socket needs no
/// cryptography: a bond is 16 random bytes that both sides keep, and the messages have the outcomes of real pairing (Core
/// Specification, Vol 3 Part H 3.5.5 for the reasons of failure), not its computations.
public enum VirtualSecurity: Sendable, Hashable {
  /// Host: the first message of a link, with the bond that it keeps for this meter, if any.
  case start(bond: [UInt8]?)
  /// Meter: the link has this security level (1 none, 2 encrypted, 3 authenticated).
  case level(UInt8)
  /// Meter: nothing on this meter needs security.
  case notNeeded
  /// Meter: it does not know that bond any more (HCI error 06, PIN or Key Missing).
  case keyMissing
  /// Host: pair.
  case pair
  /// Meter: it shows a passkey that a person has to enter.
  case passkeyWanted
  /// Host: what the person entered.
  case passkey(UInt32)
  /// Meter: paired; keep this bond. The link has this level from now on.
  case bonded([UInt8], level: UInt8)
  /// Either side: pairing failed for this reason (``Reason``).
  case failed(UInt8)

  /// Reasons for which pairing fails (Core Specification, Vol 3 Part H 3.5.5).
  public enum Reason {
    /// The passkey was not entered.
    public static let passkeyEntryFailed: UInt8 = 0x01
    /// The passkey is another one.
    public static let confirmValueFailed: UInt8 = 0x04
    /// The meter does not pair, or is not in its pairing mode.
    public static let pairingNotSupported: UInt8 = 0x05
    /// No other reason fits.
    public static let unspecified: UInt8 = 0x08
  }

  /// The first byte of every message: an opcode that ATT reserves (Core Specification, Vol 3 Part F 3.3.1).
  public static let marker: UInt8 = 0xFF
  /// Bytes of a bond.
  public static let bondLength = 16

  /// Whether a packet is a message of this kind.
  public static func isSecurity(_ packet: [UInt8]) -> Bool { packet.first == marker }

  /// The packet.
  public var encoded: [UInt8] {
    let body: [UInt8] =
      switch self {
      case .start(let bond): [1] + (bond ?? [])
      case .level(let level): [2, level]
      case .notNeeded: [3]
      case .keyMissing: [4]
      case .pair: [5]
      case .passkeyWanted: [6]
      case .passkey(let number): [7] + number.littleEndianBytes
      case .bonded(let bond, let level): [8, level] + bond
      case .failed(let reason): [9, reason]
      }
    return [Self.marker] + body
  }

  /// Reads a packet; nil when it is none of these messages.
  public init?(decoding packet: [UInt8]) {
    guard packet.count >= 2, packet[0] == Self.marker else { return nil }
    let body = Array(packet[2...])
    switch (packet[1], body.count) {
    case (1, 0): self = .start(bond: nil)
    case (1, Self.bondLength): self = .start(bond: body)
    case (2, 1): self = .level(body[0])
    case (3, 0): self = .notNeeded
    case (4, 0): self = .keyMissing
    case (5, 0): self = .pair
    case (6, 0): self = .passkeyWanted
    case (7, 4): self = .passkey(UInt32(littleEndianBytes: body))
    case (8, 1 + Self.bondLength): self = .bonded(Array(body[1...]), level: body[0])
    case (9, 1): self = .failed(body[0])
    default: return nil
    }
  }
}
