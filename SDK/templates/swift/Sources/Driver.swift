import CMeterDriver
import MeterDriver

/// Reads the meter's stored readings: subscribe, ask for what is new, take it, finish.
struct Driver: MeterDriver {
  /// Must agree with fragment.json.
  static var identity: DriverIdentity {
    DriverIdentity(
      id: "org.example.template-meter", version: "0.1.0", vendor: "Template Vendor", capabilities: [.connect, .decode])
  }

  enum Phase: Equatable {
    case idle
    case subscribing
    case reading
    case ended
  }

  enum Token {
    static var measurement: UInt64 { 1 }
    static var controlPoint: UInt64 { 2 }
    static var request: UInt64 { 3 }
    static var silence: UInt64 { 4 }
    static var abort: UInt64 { 5 }
  }

  /// How long the meter may be silent while it sends its memory, nanoseconds.
  static var silenceLimit: UInt64 { 10_000_000_000 }

  var phase = Phase.idle
  var measurementHandle: UInt16 = 0
  var controlHandle: UInt16 = 0
  var subscriptionsLeft = 0
  var cursor: Identity?
  var transfer = Transfer()
  /// A packet could not be read: the cursor stays before it, and the person is told.
  var isDamaged = false
  var received: UInt64 = 0

  init(opening: borrowing Opening) throws(DriverError) {
    guard opening.purpose == .read || opening.purpose == .passive else { throw .unsupported }
  }

  static func decode(
    _ value: borrowing CharacteristicValue, opening: borrowing Opening, _ output: inout RecordOutput
  ) throws(DecodeError) {
    guard value.characteristic == 0x2a18 else { throw .unsupported }
    try Measurement(value.bytes).emit(&output)
  }
}

/// The hook that the library calls once.
@c(mh_swift_bundle)
public func registerDrivers() {
  Bundle.register(Driver.self)
}
