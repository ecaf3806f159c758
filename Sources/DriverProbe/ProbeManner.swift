import DriverRuntime
import CMeterDriver

/// How a probe runs a driver: as hosts of other builds would, and as no host does, so that faults show.
package struct ProbeManner: OptionSet, Sendable, Hashable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The host says that it is one minor later than this one (rule R4).
  package static let laterHost = ProbeManner(rawValue: 1 << 0)
  /// The host says that it is of the next major (rule R4).
  package static let otherMajor = ProbeManner(rawValue: 1 << 1)
  /// Tables are longer than the driver knows, and what lies behind its fields is no pointer and no number (rule R3).
  package static let growsTables = ProbeManner(rawValue: 1 << 2)
  /// Tables end where readable memory ends (rule R3).
  package static let guardsTables = ProbeManner(rawValue: 1 << 9)
  /// Values, texts and lists end where readable memory ends (rule R6).
  package static let guardsMemory = ProbeManner(rawValue: 1 << 3)
  /// What was lent is gone when the call has returned (rule R6).
  package static let takesBack = ProbeManner(rawValue: 1 << 4)
  /// Sinks that hold one record, and no more than every sink must (rule R13).
  package static let smallSinks = ProbeManner(rawValue: 1 << 5)
  /// Every call is made on another thread than the one before (rule R7).
  package static let changesThreads = ProbeManner(rawValue: 1 << 6)
  /// A host without extensions (rule R5).
  package static let withoutExtensions = ProbeManner(rawValue: 1 << 7)
  /// Storage is full: no key can be written (rule R23).
  package static let refusesKeys = ProbeManner(rawValue: 1 << 8)
}

/// How values to decode are handed over (rule R14).
package enum ProbeDecoding: UInt8, Sendable, Hashable {
  /// All in one call, as often as the sink is full.
  case together
  /// Each in a call of its own.
  case alone
  /// All in one call on each of three threads at the same time.
  case atOnce
}

/// What a process looks like from within.
package struct ProbedProcess: Sendable, Hashable {
  /// Bytes that malloc has handed out and nobody has given back.
  package var heap: UInt64 = 0
  /// A fingerprint of the environment.
  package var environment: UInt64 = 0
  /// Open descriptors.
  package var descriptors: UInt32 = 0
  /// Threads; 0: not known.
  package var threads: UInt32 = 0
  /// The rounding of floating-point numbers.
  package var rounding: Int32 = 0
  package var locale = ""
  /// Services that were asked for outside of a driver call (rule R7).
  package var servicesOutside: [String] = []
  /// Services beside log and asset that were asked for inside of `decode` (rule R14).
  package var servicesInDecode: [String] = []
}

/// What `mh_driver_entry` said to an index.
package struct ProbedEntry: Sendable, Hashable {
  /// `MH_OK`, `MH_END`, `MH_REFUSED` or something else.
  package var status: Int32
  /// Where the table lies; only good to be compared.
  package var table: UInt64
  /// Why it refused.
  package var reason: String
}

/// What one call of `event` came to.
package struct ProbedUnit: Sendable {
  /// Everything that it put out, unchecked.
  var raw: RawUnit
  /// CPU time of all its rounds in nanoseconds.
  package var cpuNanoseconds: Int64
}

/// What decoding came to, in one order of calls.
struct DecodedRun: Sendable {
  /// The values that one call got through, and their records.
  struct Round: Sendable {
    var slices: [mh_slice]
    var output: RawOutput
  }

  /// `MH_OK`, or what the driver refused the call with.
  var status: Int32
  var rounds: [Round]
}
