/// What the kernel answers to a management command (BlueZ, doc/mgmt-api.txt, "Error codes").
public struct ManagementStatus: RawRepresentable, Sendable, Hashable {
  /// The kernel's number.
  public let rawValue: UInt8

  /// A status from its number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// It is done.
  public static let success = Self(rawValue: 0x00)
  /// This kernel does not know the command.
  public static let unknownCommand = Self(rawValue: 0x01)
  /// There is no link to the peer.
  public static let notConnected = Self(rawValue: 0x02)
  /// It failed, and the kernel does not say why.
  public static let failed = Self(rawValue: 0x03)
  /// No link could be made.
  public static let connectFailed = Self(rawValue: 0x04)
  /// The peer and this host could not prove themselves to each other.
  public static let authenticationFailed = Self(rawValue: 0x05)
  /// There is no bond.
  public static let notPaired = Self(rawValue: 0x06)
  /// The kernel or the controller has no room.
  public static let noResources = Self(rawValue: 0x07)
  /// Nothing came in time.
  public static let timeout = Self(rawValue: 0x08)
  /// There is a link already.
  public static let alreadyConnected = Self(rawValue: 0x09)
  /// Something like it is under way.
  public static let busy = Self(rawValue: 0x0A)
  /// The adapter is in no state for it.
  public static let rejected = Self(rawValue: 0x0B)
  /// The adapter cannot do it.
  public static let notSupported = Self(rawValue: 0x0C)
  /// What was asked makes no sense to the kernel.
  public static let invalidParameters = Self(rawValue: 0x0D)
  /// The link went.
  public static let disconnected = Self(rawValue: 0x0E)
  /// The adapter is off.
  public static let notPowered = Self(rawValue: 0x0F)
  /// Somebody gave it up.
  public static let cancelled = Self(rawValue: 0x10)
  /// There is no such adapter.
  public static let invalidIndex = Self(rawValue: 0x11)
  /// The radio is switched off by rfkill.
  public static let blocked = Self(rawValue: 0x12)
  /// There is a bond already.
  public static let alreadyPaired = Self(rawValue: 0x13)
  /// The process may not do it.
  public static let permissionDenied = Self(rawValue: 0x14)

  /// What it means, for people.
  public var words: String {
    switch self {
    case .success: "done"
    case .unknownCommand: "the kernel does not know the command"
    case .notConnected: "there is no link"
    case .connectFailed: "no link could be made"
    case .authenticationFailed: "authentication failed"
    case .notPaired: "there is no bond"
    case .noResources: "the kernel or the controller has no room for it"
    case .timeout: "nothing came in time"
    case .alreadyConnected: "there is a link already"
    case .busy: "the adapter is busy"
    case .rejected: "the adapter is in no state for it"
    case .notSupported: "the adapter cannot do it"
    case .invalidParameters: "the kernel does not understand the parameters"
    case .disconnected: "the link went"
    case .notPowered: "the adapter is off"
    case .cancelled: "it was given up"
    case .invalidIndex: "there is no such adapter any more"
    case .blocked: "the radio is switched off by rfkill"
    case .alreadyPaired: "there is a bond already"
    case .permissionDenied: "this process may not do it"
    default: "status \(rawValue)"
    }
  }
}
