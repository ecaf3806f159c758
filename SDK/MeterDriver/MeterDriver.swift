import CMeterDriver

/// A driver for Bluetooth LE meters: a value that turns events into output and does no input or output of its own.
///
/// The host creates one value per session, hands it one ``Event`` at a time and carries out what it put into the
/// ``Output``. Register the type with ``Bundle/register(_:)`` in the module's `mh_swift_bundle` function.
public protocol MeterDriver {
  /// Who the driver is; must agree with its entry in the registry.
  static var identity: DriverIdentity { get }

  /// Starts a session.
  ///
  /// - Throws: ``DriverError`` when the driver cannot serve this purpose or meter; nothing is kept then.
  init(opening: borrowing Opening) throws(DriverError)

  /// Handles one fact. What is put into `output` is one unit: it is committed as a whole before anything of it
  /// reaches the meter (rule R25).
  ///
  /// - Throws: ``DriverError``. Output and storage writes of an event that throws are dropped, so throw before you
  ///   change the driver's own state. After ``DriverError/protocolViolation`` and ``DriverError/unsupported`` the session
  ///   goes on, after any other error it ends.
  mutating func handle(_ event: borrowing Event, _ output: inout Output) throws(DriverError)

  /// Whether ``decode(_:opening:_:)`` takes service data of advertisements; `false` unless a driver says otherwise.
  static var decodesServiceData: Bool { get }

  /// Decodes one characteristic value for tools, tests and benchmarks (rule R14). Pure: no session, no clock.
  ///
  /// - Throws: ``DecodeError``: why this value yields no record. Records of a value that throws are dropped.
  static func decode(
    _ value: borrowing CharacteristicValue, opening: borrowing Opening, _ output: inout RecordOutput
  ) throws(DecodeError)

  /// Adds the functions that tools call by name beside reading meters (rule R19); none unless a driver says otherwise.
  static func declare(_ functions: inout FunctionList)
}

extension MeterDriver {
  /// Characteristic values only.
  public static var decodesServiceData: Bool { false }
}

/// The constant facts about a driver.
public struct DriverIdentity {
  /// The id in the registry, such as `org.example.scale`.
  public let id: StaticString
  /// A semantic version.
  public let version: StaticString
  /// Who made the driver.
  public let vendor: StaticString
  /// What the driver can do.
  public let capabilities: Capabilities

  /// Describes a driver.
  public init(id: StaticString, version: StaticString, vendor: StaticString, capabilities: Capabilities) {
    self.id = id
    self.version = version
    self.vendor = vendor
    self.capabilities = capabilities
  }
}

/// What a driver can do (`MH_CAP_*`).
public struct Capabilities: OptionSet {
  /// The bits as the contract numbers them.
  public let rawValue: UInt64

  /// Takes the contract's bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Reads meters over a connection.
  public static var connect: Capabilities { Capabilities(rawValue: 1) }
  /// Reads meters from their advertisements alone.
  public static var advertisementOnly: Capabilities { Capabilities(rawValue: 2) }
  /// Decodes single characteristic values.
  public static var decode: Capabilities { Capabilities(rawValue: 4) }
}

/// Why a session cannot start or an event was not handled.
public enum DriverError: Error {
  /// The driver does not know this purpose, event or characteristic.
  case unsupported
  /// The meter sent bytes that its protocol does not allow. The session goes on.
  case protocolViolation
  /// An argument is outside what the contract allows.
  case invalidArgument
  /// The host refuses the service: over a limit, or not granted.
  case denied
  /// There is no memory.
  case outOfMemory

  var status: Int32 {
    switch self {
    case .unsupported: MH_E_UNSUPPORTED
    case .protocolViolation: MH_E_PROTOCOL
    case .invalidArgument: MH_E_ARG
    case .denied: MH_E_DENIED
    case .outOfMemory: MH_E_MEMORY
    }
  }
}

/// Why a characteristic value yields no record.
public enum DecodeError: Error {
  /// The bytes end at this offset although their own flags announce more.
  case truncated(at: Int)
  /// The bytes are not what the characteristic's definition allows.
  case malformed
  /// The bytes are well formed and hold no reading: NaN, a filler, a value that cannot be.
  case noValue
  /// The driver does not know this characteristic.
  case unsupported

  @inlinable
  var status: Int32 {
    switch self {
    case .truncated, .malformed: -3
    case .noValue: -9
    case .unsupported: -2
    }
  }
}
