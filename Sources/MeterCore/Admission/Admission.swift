package import DriverContract
public import HostErrors
package import Foundation

/// The host's clock when a record arrived.
public struct HostClockReading: Sendable, Hashable {
  /// Microseconds since 1970-01-01T00:00Z.
  public let utcMicroseconds: Int64
  /// Whether the clock was set from a trusted source since boot.
  public let isSynchronized: Bool

  /// A reading of the clock.
  public init(utcMicroseconds: Int64, isSynchronized: Bool) {
    self.utcMicroseconds = utcMicroseconds
    self.isSynchronized = isSynchronized
  }

  /// The clocks of this machine now; whether they are right, the kernel says.
  public static var now: HostClockReading {
    HostClockReading(
      utcMicroseconds: BootClock.now.utcMicroseconds, isSynchronized: HostClockTrust.kernel.isSynchronized)
  }

  /// Whether its date is one: a clock that shows a year before 2000 was never set, and one beyond 9999 is broken, whoever vouches
  /// for it.
  package var knowsDate: Bool { isSynchronized && Self.believable.contains(utcMicroseconds) }

  /// The dates that a clock which was set can show; a day of room for the offset.
  static let believable = RecordAdmission.earliestBelievable...(RecordTime.writable.upperBound - 86_400_000_000)
}

/// To whom a meter's readings belong.
package struct MeterAssignment: Sendable, Hashable {
  /// The meter's user slot; nil when the whole meter belongs to the user.
  package let slot: UInt16?
  /// Readings before this moment belong to somebody else; nil takes the meter's history, too, and ``unknownMoment`` nothing that
  /// has a time of its own.
  package let sinceMicroseconds: Int64?
  /// When the meter, or this slot of it, belonged to other users of this gateway.
  package let othersMicroseconds: [Range<Int64>]

  /// The moment at which a meter changed hands while the host did not know the date.
  static let unknownMoment = Int64.max

  /// An assignment from its parts.
  package init(slot: UInt16?, sinceMicroseconds: Int64?, othersMicroseconds: [Range<Int64>] = []) {
    self.slot = slot
    self.sinceMicroseconds = sinceMicroseconds
    self.othersMicroseconds = othersMicroseconds
  }
}

/// Which readings a caller wants, by their own time. What lies outside stays in the meter for a later read.
public struct ReadWindow: Sendable, Hashable {
  /// The first moment wanted, microseconds since 1970-01-01T00:00Z; nil: no bound.
  public var sinceMicroseconds: Int64?
  /// The first moment no longer wanted; nil: no bound.
  public var untilMicroseconds: Int64?
  /// How many readings, in the order in which the meter sends them; nil: all.
  public var limit: UInt32?

  /// Everything.
  public init() {}

  /// Whether a reading could be left out.
  package var isBounded: Bool { sinceMicroseconds != nil || untilMicroseconds != nil || limit != nil }

  func holds(_ microseconds: Int64) -> Bool {
    microseconds >= sinceMicroseconds ?? .min && (untilMicroseconds.map { microseconds < $0 } ?? true)
  }
}

/// Why a good reading is not taken. It stays in the meter, and a later read can have it; of a meter that may forget what was
/// read, it is held instead.
public enum LeaveReason: String, Sendable, Hashable, Codable {
  /// Taken before the meter was assigned to this user.
  case beforeAssignment = "before_assignment"
  /// Outside the interval that the caller wants.
  case outsideWindow = "outside_window"
  /// The caller wants no more.
  case overLimit = "over_limit"
}

/// What a record's admission depends on beside the record.
package struct AdmissionContext: Sendable {
  package let meter: MeterIdentity
  /// Where its records come from.
  package let source: RecordSource
  /// The zone of a meter that shows a time without an offset.
  package let zone: TimeZone
  /// Who says so: the user, or the gateway.
  package let zoneSource: RecordTime.ZoneSource
  /// To whom the meter's readings belong; nil: all of them to the session's user.
  package let assignment: MeterAssignment?
  /// Which readings the caller wants.
  package let window: ReadWindow
  /// What the meter's model can show.
  package let ranges: [ReportableRange]
  /// What the user has said of their body, so that more is computed of their weighings; nil: nothing is.
  package let body: BodyProfile?

  /// A context from its parts; the user's zone goes before the gateway's.
  package init(
    meter: MeterIdentity, source: RecordSource, gatewayZone: TimeZone, userZone: TimeZone? = nil,
    assignment: MeterAssignment? = nil,
    window: ReadWindow = ReadWindow(), ranges: [ReportableRange] = [], body: BodyProfile? = nil
  ) {
    self.meter = meter
    self.source = source
    zone = userZone ?? gatewayZone
    zoneSource = userZone == nil ? .gateway : .user
    self.assignment = assignment
    self.window = window
    self.ranges = ranges
    self.body = body
  }
}

/// What became of a reported record.
package enum Admission: Sendable, Hashable {
  /// Commit it with this disposition.
  case commit(CommitRecord)
  /// A good reading that is not this read's to take.
  case left(LeaveReason)
  /// Progress for events; never committed.
  case provisional(Record)
  /// Facts about the meter.
  case deviceInformation(DriverRecord)
  /// Protocol facts for tools; never committed.
  case diagnostic(DriverRecord)
  /// Was joined to the measurement of the same sequence in this batch.
  case joined(sequence: UInt64)
  /// A context without its measurement in this batch; the caller keeps it until the measurement comes.
  case unmatchedContext(DriverRecord)
  /// The driver broke the contract with this record.
  case rejected(AdmissionRejection)
}

/// Why a reported record cannot be a record: the driver is faulty.
public struct AdmissionRejection: HostError, Hashable {
  /// Stable names of the reasons.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// There is no measured value.
    case noValue = "no_value"
    /// A value is not finite, or its double and its decimal disagree.
    case inconsistentNumber = "inconsistent_number"
    /// The metric may not be reported in this unit.
    case unitNotAllowed = "unit_not_allowed"
    /// A coded value is no whole number, or a text stands where a number belongs.
    case wrongKind = "wrong_kind"
    /// A stored record or a sum has no identity bytes.
    case noIdentity = "no_identity"
    /// The time cannot be written as a date of the years 1 to 9999, or the end lies before the start.
    case impossibleTime = "impossible_time"
  }

  /// The reason.
  public let code: Code
  /// What is wrong with which value; it holds no health value.
  public let message: String

  /// It is the fault of the driver.
  public var kind: HostErrorKind { .failed }

  /// Code and message in one line.
  public var description: String { "\(code.rawValue): \(message)" }
}
