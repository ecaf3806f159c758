import CMeterDriver
import MeterDriver

/// Reads meters of the Bluetooth SIG Pulse Oximeter Profile.
struct OximeterDriver: MeterDriver {
  static var identity: DriverIdentity {
    DriverIdentity(
      id: "org.meterhost.oximeter", version: "0.1.0", vendor: "MeterHost", capabilities: [.connect, .decode])
  }

  enum Phase: Equatable {
    case idle
    case pairing
    case subscribing
    case measuring
    case ended
  }

  enum Token {
    static var spotCheck: UInt64 { 1 }
    static var continuous: UInt64 { 2 }
    static var silence: UInt64 { 3 }
    static var features: UInt64 { 4 }
  }

  /// A meter that has sent its results is silent; one that is still sending pauses for less.
  static var idleAfterReading: UInt64 { 3_000_000_000 }
  /// A measurement takes half a minute at most, but the person starts within this time.
  static var noReadingAfter: UInt64 { 120_000_000_000 }

  let purpose: Purpose
  let noClock: Bool
  let isEncrypted: Bool
  var phase = Phase.idle
  var spotCheckHandle: UInt16 = 0
  var continuousHandle: UInt16 = 0
  var subscriptionsLeft = 0
  var hasReading = false
  /// PLX Features (2A60) say that the meter's status never tells "validated" or "fully qualified".
  var cannotValidate = false
  var steady = SteadyValue()

  init(opening: borrowing Opening) throws(DriverError) {
    purpose = opening.purpose
    guard purpose == .read || purpose == .passive || purpose == .pair else { throw .unsupported }
    noClock = opening.isOn(MH_PARAM_NO_CLOCK)
    isEncrypted = opening.isEncrypted
  }

  static func decode(
    _ value: borrowing CharacteristicValue, opening: borrowing Opening, _ output: inout RecordOutput
  ) throws(DecodeError) {
    let noClock = opening.isOn(MH_PARAM_NO_CLOCK)
    switch value.characteristic {
    case 0x2a5e: try PulseOximetry(spotCheck: value.bytes).emit(noClock: noClock, isResult: true, &output)
    case 0x2a5f: try PulseOximetry(continuous: value.bytes).emit(noClock: noClock, isResult: false, &output)
    default: throw .unsupported
    }
  }
}

/// The hook that the library calls once.
@c(mh_swift_bundle)
public func registerDrivers() {
  Bundle.register(OximeterDriver.self)
}
