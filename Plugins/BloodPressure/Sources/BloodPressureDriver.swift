import CMeterDriver
import MeterDriver

/// Reads monitors of the Bluetooth SIG Blood Pressure Profile.
struct BloodPressureDriver: MeterDriver {
  static var identity: DriverIdentity {
    DriverIdentity(
      id: "org.meterhost.blood-pressure", version: "0.1.0", vendor: "MeterHost", capabilities: [.connect, .decode])
  }

  enum Phase: Equatable {
    case idle
    case pairing
    case subscribing
    case measuring
    case ended
  }

  enum Token {
    static var measurement: UInt64 { 1 }
    static var intermediate: UInt64 { 2 }
    static var silence: UInt64 { 3 }
  }

  /// Monitors end an idle link by themselves within seconds: they have the first word, whatever lies between the records
  /// of their memory.
  static var limitAfterReading: UInt64 { 10_000_000_000 }
  /// Three measurements with a minute's rest between them, whose mean is the reading, take less.
  static var limitWithoutReading: UInt64 { 300_000_000_000 }

  let purpose: Purpose
  let quirks: Quirks
  let isEncrypted: Bool
  var phase = Phase.idle
  var measurementHandle: UInt16 = 0
  var intermediateHandle: UInt16 = 0
  var subscriptionsLeft = 0
  var received: UInt64 = 0
  /// The cuff is filling or emptying: a reading is to come.
  var isMeasuring = false
  /// The status of the last failed measurement that the monitor reported.
  var failedStatus: UInt16?

  init(opening: borrowing Opening) throws(DriverError) {
    purpose = opening.purpose
    guard purpose == .read || purpose == .passive || purpose == .pair else { throw .unsupported }
    quirks = Quirks(opening)
    isEncrypted = opening.isEncrypted
  }

  static func decode(
    _ value: borrowing CharacteristicValue, opening: borrowing Opening, _ output: inout RecordOutput
  ) throws(DecodeError) {
    switch value.characteristic {
    case 0x2a35:
      let quirks = Quirks(opening)
      try BloodPressureMeasurement(value.bytes, quirks).emit(quirks, &output)
    case 0x2a36: try BloodPressureMeasurement(value.bytes, Quirks(opening)).emitIntermediate(&output)
    case 0x2a49:
      var reader = ByteReader(value.bytes)
      let features = try reader.uint16()
      output.begin()
      output.add(OwnMetric.features, code: Int64(features))
      output.end(.diagnostic, .live)
    default: throw .unsupported
    }
  }
}

/// The hook that the library calls once.
@c(mh_swift_bundle)
public func registerDrivers() {
  Bundle.register(BloodPressureDriver.self)
}
