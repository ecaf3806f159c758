import CMeterDriver
import MeterDriver

/// What the registry says about a monitor that departs from the profile.
struct Quirks {
  /// The driver's own parameters, as its registry entry declares them.
  enum Parameter {
    static var bigEndianTail: UInt32 { 0x8000 }
    static var unannouncedUser: UInt32 { 0x8001 }
    static var mayBeBigEndian: UInt32 { 0x8002 }
  }

  /// Pulse and measurement status come with their high byte first.
  let bigEndianTail: Bool
  /// The user id is there although flag bit 3 does not announce it.
  let unannouncedUser: Bool
  /// Other monitors of this maker send their tail so; whether this one does is not known.
  let mayBeBigEndian: Bool
  /// The times that the monitor sends mean nothing.
  let noClock: Bool

  init(_ opening: borrowing Opening) {
    bigEndianTail = opening.isOn(Parameter.bigEndianTail)
    unannouncedUser = opening.isOn(Parameter.unannouncedUser)
    mayBeBigEndian = opening.isOn(Parameter.mayBeBigEndian)
    noClock = opening.isOn(MH_PARAM_NO_CLOCK)
  }
}
