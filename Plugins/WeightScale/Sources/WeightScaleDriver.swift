import CMeterDriver
import MeterDriver

/// Reads scales of the Bluetooth SIG Weight Scale Profile.
struct WeightScaleDriver: MeterDriver {
  static var identity: DriverIdentity {
    DriverIdentity(
      id: "org.meterhost.weight-scale", version: "0.1.0", vendor: "MeterHost", capabilities: [.connect, .decode])
  }

  enum Phase: Equatable {
    case idle
    /// Waiting for an encrypted link before anything else, or before a refused subscription is tried again.
    case securing
    case readingClock
    case settingClock
    case openingControlPoint
    case askingPerson
    case consenting
    case subscribing
    case measuring
    case ended
  }

  enum Token {
    static var weight: UInt64 { 1 }
    static var composition: UInt64 { 2 }
    static var controlPoint: UInt64 { 3 }
    static var consent: UInt64 { 4 }
    static var clock: UInt64 { 5 }
    static var question: UInt64 { 6 }
    static var silence: UInt64 { 7 }
  }

  /// The person steps on within this time after the scale called.
  static var noReadingLimit: UInt64 { 120_000_000_000 }
  /// A scale measures the body for some seconds after the weight.
  static var compositionLimit: UInt64 { 20_000_000_000 }
  /// A scale that has sent its memory is silent; one that is still sending pauses for less.
  static var idleLimit: UInt64 { 3_000_000_000 }
  /// How long the answer of the User Control Point may take (User Data Service 1.0, 3.2.2: 30 s).
  static var controlPointLimit: UInt64 { 30_000_000_000 }

  let purpose: Purpose
  let quirks: Quirks
  let userSlot: UInt8?
  /// The host keeps what is written to `user/`: not in a session that wants a part of the memory (rule R23).
  let isRemembered: Bool
  /// Nil: the clock is left alone.
  let clockOffsetSeconds: Int32?
  var isEncrypted: Bool
  var phase = Phase.idle
  var weightHandle: UInt16 = 0
  var compositionHandle: UInt16 = 0
  var controlHandle: UInt16 = 0
  var clockHandle: UInt16 = 0
  var clockIsReadable = false
  /// Something was said of the clock in this session.
  var hasToldClock = false
  var subscriptionsLeft = 0
  /// The act of weighing that the last packets belong to.
  var act: Act?
  /// It was kept under the earlier key.
  var isOfEarlierKey = false
  /// The code that the scale is being asked to accept.
  var code: ConsentCode?
  /// This session has sent a measurement.
  var hasHeard = false
  var hasResult = false

  init(opening: borrowing Opening) throws(DriverError) {
    purpose = opening.purpose
    guard purpose == .read || purpose == .passive || purpose == .pair else { throw .unsupported }
    quirks = Quirks(opening)
    userSlot = opening.userSlot
    isRemembered = opening.sinceMicroseconds == nil && opening.untilMicroseconds == nil && opening.limit == 0
    isEncrypted = opening.isEncrypted
    clockOffsetSeconds =
      opening.isOn(MH_PARAM_SET_CLOCK) && opening.hostClockIsSynchronised ? opening.utcOffsetSeconds : nil
  }

  static func decode(
    _ value: borrowing CharacteristicValue, opening: borrowing Opening, _ output: inout RecordOutput
  ) throws(DecodeError) {
    let quirks = Quirks(opening)
    guard !quirks.hasVendorPayload else { throw .unsupported }
    switch value.characteristic {
    case 0x2a9d:
      let weight = try WeightMeasurement(value.bytes, quirks)
      output.begin()
      weight.add(to: &output)
      weight.identify(weight.time, &output)
      endRecord(weight.time, user: weight.user, &output)
    case 0x2a9c:
      let composition = try BodyComposition(value.bytes, quirks)
      guard composition.isBelievable() else { throw .noValue }
      output.begin()
      composition.add(to: &output, with: .everything)
      composition.end(&output)
    case 0x2a9f: try decodeControlPoint(value.bytes, &output)
    case 0x2a2b: try decodeCurrentTime(value.bytes, &output)
    case 0x2a9e: try decodeFeatures(value.bytes, WeightScaleMetric.weightFeatures, &output)
    case 0x2a9b: try decodeFeatures(value.bytes, WeightScaleMetric.compositionFeatures, &output)
    default: throw .unsupported
    }
  }
}

/// What the registry says about a scale that departs from the profile.
struct Quirks {
  /// Grams of one step of the weight in 2A9D.
  let weightStep: Int64
  /// The scale's characteristics hold a vendor's bytes under the profile's UUIDs.
  let hasVendorPayload: Bool
  /// The user index and code under which the scale hands everybody's measurements out.
  let guest: (user: UInt8, code: ConsentCode)?
  /// The times that the scale sends mean nothing.
  let noClock: Bool

  init(_ opening: borrowing Opening) {
    let step = opening.integer(MH_PARAM_VENDOR) ?? 5
    weightStep = (1...1000).contains(step) ? step : 5
    hasVendorPayload = opening.isOn(MH_PARAM_VENDOR + 1)
    let user = opening.integer(MH_PARAM_VENDOR + 2).flatMap { UInt8(exactly: $0) }
    let code = opening.integer(MH_PARAM_VENDOR + 3).flatMap { ConsentCode(number: $0) }
    if let user, let code { guest = (user, code) } else { guest = nil }
    noClock = opening.isOn(MH_PARAM_NO_CLOCK)
  }
}

/// The hook that the library calls once.
@c(mh_swift_bundle)
public func registerDrivers() {
  Bundle.register(WeightScaleDriver.self)
}
