public import DriverContract

extension SessionMachine {
  /// What carries the session.
  public enum Medium: Sendable, Hashable {
    /// A link to the meter.
    case connection
    /// The meter's advertisements: nothing can be sent, and whatever needs a link is a fault of the driver (R11).
    case advertisements
  }

  /// A fact from the outside.
  public enum Input: Sendable {
    /// A radio fact or an answer of the caller.
    case fact(DriverFact, token: UInt64)
    /// The driver's answer to the event that was delivered last.
    case unit(DriverUnit)
    /// The driver crashed, hung or broke the contract: the event that it was handling has produced nothing.
    case driverFault(DriverFault)
    /// The commit that was asked for last is on disk.
    case committed
    /// Of the commit that was asked for last so much was known, or left in the meter; told before ``committed``.
    case knew(records: Int, bytes: Int)
    /// The commit that was asked for last failed: nothing of it is on disk.
    case commitFailed
    /// The GATT procedure that was started last has ended with this fact for the driver.
    case procedureDone(DriverFact, token: UInt64)
    /// The pairing that was started last has failed: the session ends (`MH_DO_PAIR`).
    case pairingFailed
    /// The link is gone; `reason` is the HCI error code (Core Specification, Vol 1 Part F).
    case linkLost(reason: UInt8)
    /// The caller gives up; the driver may use up to this long to end in an orderly way.
    case cancel(graceNanoseconds: UInt64)
    /// The timer that ``Command/startTimer(token:serial:nanoseconds:from:)`` started has run out.
    case timer(token: UInt64, serial: UInt64)
    /// The time that ``Command/startGrace(nanoseconds:)`` or an overall limit granted is over.
    case deadline(Deadline)
  }

  /// What a timer counts from.
  public enum TimerStart: Sendable, Hashable {
    /// The event by which the driver asked for it.
    case event
    /// This moment.
    case now
  }

  /// Which time limit ran out.
  public enum Deadline: Sendable, Hashable {
    /// The driver did not end in time after a cancellation, or the meter did not take what a driver that ended still sent.
    case grace
    /// Nothing came from the meter for too long.
    case reading
    /// The session as a whole took too long.
    case session
  }

  /// What the surroundings have to do, in this order.
  public enum Command: Sendable {
    /// Hand this to the driver; answer with ``Input/unit(_:)``.
    case deliver(DriverFact, token: UInt64)
    /// Put these units on disk in one transaction; answer with ``Input/committed`` or ``Input/commitFailed``.
    case commit([DriverUnit])
    /// Start this GATT procedure; answer with ``Input/procedureDone(_:token:)``.
    case procedure(Procedure)
    /// Send a write command; there is no answer.
    case writeNoResponse(handle: UInt16, value: [UInt8])
    /// Confirm the oldest unconfirmed indication.
    case confirmIndication
    /// Start or replace the timer of this token; answer with ``Input/timer(token:serial:)``.
    case startTimer(token: UInt64, serial: UInt64, nanoseconds: UInt64, from: TimerStart)
    /// Stop the timer of this token.
    case cancelTimer(token: UInt64)
    /// Start the time after which the session is broken off; answer with ``Input/deadline(_:)``.
    case startGrace(nanoseconds: UInt64)
    /// The moment to measure.
    case ready
    /// The driver's progress; `total` 0 is unknown.
    case progress(done: UInt64, total: UInt64)
    /// Ask the person; the answer is the fact `userInput` with the prompt's token.
    case ask(DriverAction)
    /// Records that are progress and not results.
    case provisional([DriverRecord])
    /// Close the link.
    case disconnect
    /// The session is over; nothing follows.
    case end(Outcome)
  }

  /// A GATT procedure; only one runs at a time (R11).
  public enum Procedure: Sendable, Hashable {
    /// Write the CCCD by the characteristic's properties, or clear it.
    case subscribe(handle: UInt16, enable: Bool, token: UInt64)
    /// Read a value to its end.
    case read(handle: UInt16, token: UInt64)
    /// Write a value and wait for the response.
    case write(handle: UInt16, value: [UInt8], token: UInt64)
    /// Tell the meter the largest PDU that the driver wants, in bytes (Core Vol 3 Part F 3.4.2).
    case exchangeMTU(UInt16, token: UInt64)
    /// Raise the security of the link.
    case pair(DriverPairing, token: UInt64)
  }

  /// How a session ended.
  public enum Outcome: Sendable {
    /// The driver has read everything that was wanted.
    case finished
    /// The meter closed the link after at least one event was handled, and the driver did not object.
    case meterDisconnected(reason: UInt8)
    /// The driver gave up with a code of the contract's list.
    case failed(DriverFailureCode, subcode: UInt64, text: String)
    /// The driver refused an event with a status that ends a session.
    case driverRefused(status: Int32)
    /// The driver crashed, hung or broke the contract.
    case driverFault(DriverFault)
    /// The store refused a commit; what was committed before stays.
    case commitFailed
    /// The caller gave up.
    case cancelled
    /// The meter was silent for too long.
    case readingTimeout
    /// The meter went on and on.
    case sessionTimeout
    /// The meter has sent more than any meter holds; what came up to then is on disk.
    case recordLimit
  }
}

extension SessionMachine.Outcome {
  /// In one word, without anything that a meter or a driver has said.
  var word: String {
    switch self {
    case .finished: "finished"
    case .cancelled: "cancelled"
    case .meterDisconnected: "meter_disconnected"
    case .failed(let code, _, _): "failed_\(code)"
    case .driverRefused: "driver_refused"
    case .driverFault: "driver_fault"
    case .commitFailed: "commit_failed"
    case .readingTimeout: "reading_timeout"
    case .sessionTimeout: "session_timeout"
    case .recordLimit: "record_limit"
    }
  }
}
