import CMeterDriver
import MeterDriver

/// Reads LifeScan OneTouch meters with Bluetooth: Verio Flex, Verio Reflect, Select Plus Flex.
struct OneTouchDriver: MeterDriver {
  static var identity: DriverIdentity {
    DriverIdentity(
      id: "org.meterhost.onetouch", version: "0.1.0", vendor: "MeterHost", capabilities: [.connect, .decode])
  }

  /// LifeScan's own service af9df7a1-e595-11e3-96b4-0002a5d5c51b and its characteristics.
  enum UUID {
    static var service: BluetoothUUID { BluetoothUUID(0xaf9d_f7a1_e595_11e3, 0x96b4_0002_a5d5_c51b) }
    static var command: BluetoothUUID { BluetoothUUID(0xaf9d_f7a2_e595_11e3, 0x96b4_0002_a5d5_c51b) }
    static var reply: BluetoothUUID { BluetoothUUID(0xaf9d_f7a3_e595_11e3, 0x96b4_0002_a5d5_c51b) }
  }

  enum Phase: Equatable {
    case idle
    case pairing
    case subscribing
    /// The meter is being asked.
    case asking(Command)
    case ended
  }

  enum Token {
    static var subscription: UInt64 { 1 }
    static var write: UInt64 { 2 }
    static var patience: UInt64 { 3 }
  }

  /// How long the meter may take to answer; tidepool-org/uploader gives it 2 to 5 s.
  static var replyLimit: UInt64 { 5_000_000_000 }
  /// How long what is late may still come before a command is repeated.
  static var quietTime: UInt64 { 1_000_000_000 }

  let purpose: Purpose
  /// The driver's own parameter `command_prefix`: the byte before a command's payload.
  let prefix: UInt8
  /// Start of the wanted interval, seconds since 1970-01-01T00:00Z.
  let since: Int64?
  let setsClock: Bool
  let hostClockIsTrusted: Bool
  let utcOffset: Int64
  var isEncrypted: Bool
  var hasPaired = false
  var phase = Phase.idle
  var commandHandle: UInt16 = 0
  var writesWithResponse = true
  var replyHandle: UInt16 = 0
  var exchange = Exchange()
  var reading = Reading()

  init(opening: borrowing Opening) throws(DriverError) {
    purpose = opening.purpose
    guard purpose == .read || purpose == .passive || purpose == .pair else { throw .unsupported }
    prefix = opening.integer(MH_PARAM_VENDOR).flatMap { UInt8(exactly: $0) } ?? 0x03
    since = opening.sinceMicroseconds.map { $0 / 1_000_000 }
    hostClockIsTrusted = opening.hostClockIsSynchronised
    setsClock = opening.isOn(MH_PARAM_SET_CLOCK) && opening.hostClockIsSynchronised
    utcOffset = Int64(opening.utcOffsetSeconds)
    isEncrypted = opening.isEncrypted
  }
}

/// The hook that the library calls once.
@c(mh_swift_bundle)
public func registerDrivers() {
  Bundle.register(OneTouchDriver.self)
}
