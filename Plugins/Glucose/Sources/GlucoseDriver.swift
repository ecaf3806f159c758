import CMeterDriver
import MeterDriver

/// Reads meters of the Bluetooth SIG Glucose Profile.
struct GlucoseDriver: MeterDriver {
  static var identity: DriverIdentity {
    DriverIdentity(
      id: "org.meterhost.glucose", version: "0.1.0", vendor: "MeterHost", capabilities: [.connect, .decode])
  }

  enum Phase: Equatable {
    case idle
    case pairing
    case subscribing
    case reporting
    /// The meter says that it is through, and may not be.
    case lingering
    case aborting
    case ended
  }

  enum Token {
    static var measurement: UInt64 { 1 }
    static var context: UInt64 { 2 }
    static var controlPoint: UInt64 { 3 }
    static var request: UInt64 { 4 }
    static var abort: UInt64 { 5 }
    static var inactivity: UInt64 { 6 }
  }

  /// How long the meter may be silent inside a procedure, and how long its answer to an abort may take.
  static var inactivityLimit: UInt64 { 10_000_000_000 }
  static var abortLimit: UInt64 { 5_000_000_000 }
  /// How long records may come behind an answer that overtook them.
  static var lingeringLimit: UInt64 { 1_000_000_000 }

  let purpose: Purpose
  let quirks: Quirks
  let isEncrypted: Bool
  var phase = Phase.idle
  var measurementHandle: UInt16 = 0
  var contextHandle: UInt16 = 0
  var controlPointHandle: UInt16 = 0
  var subscriptionsLeft = 0
  var transfer: Transfer?
  var numbers = NumberLog()
  /// Whether this user has read the meter before this session.
  var hasCursor = false
  /// Something has come since the request was sent.
  var hasHeard = false
  /// The record that the cursor names has come: the memory is the one that was read before.
  var hasCursorRecord = false
  /// The request that is under way has been sent twice.
  var hasAskedAgain = false
  /// The host keeps what is written, and takes all that is sent: not in a session that wants a part of the memory.
  let isRemembered: Bool
  var received: UInt64 = 0

  init(opening: borrowing Opening) throws(DriverError) {
    purpose = opening.purpose
    guard purpose == .read || purpose == .passive || purpose == .pair else { throw .unsupported }
    quirks = Quirks(opening)
    isEncrypted = opening.isEncrypted
    isRemembered = opening.sinceMicroseconds == nil && opening.untilMicroseconds == nil && opening.limit == 0
  }

  static func decode(
    _ value: borrowing CharacteristicValue, opening: borrowing Opening, _ output: inout RecordOutput
  ) throws(DecodeError) {
    switch value.characteristic {
    case 0x2a18:
      let noClock = opening.isOn(MH_PARAM_NO_CLOCK)
      let contextDecides = opening.isOn(MH_PARAM_CONTEXT_DECIDES)
      let measurement = try GlucoseMeasurement(value.bytes)
      // Alone, this packet does not say whether it is glucose or ketone (rule R26).
      if contextDecides, measurement.contextFollows { throw .noValue }
      // Nor does one of a multi-meter that sends ketone alike, and no meter shows a glucose as low as this.
      if measurement.mayBeUnmarked, measurement.isBelowGlucose { throw .noValue }
      try measurement.emit(nil, noClock: noClock, ketoneMealCode: nil, &output)
    case 0x2a34:
      let context = try GlucoseContext(value.bytes)
      output.begin()
      context.add(to: &output)
      output.identify(context.sequence)
      output.end(.context, .stored, sequence: UInt64(context.sequence))
    case 0x2a52: try decodeControlPoint(value.bytes, &output)
    case 0x2a51: try decodeFeatures(value.bytes, &output)
    default: throw .unsupported
    }
  }
}

/// The hook that the library calls once.
@c(mh_swift_bundle)
public func registerDrivers() {
  Bundle.register(GlucoseDriver.self)
}
