import DriverContract
import DriverProbe
import Foundation
import MeterBluetooth
import MeterDrivers
import Synchronization

/// What the checks of one driver share.
final class CheckContext: Sendable {
  let subject: Subject
  let seed: UInt64
  let isThorough: Bool
  /// The host's own workers.
  let host: DriverHost
  let trace = Trace()
  /// What the driver made of its meters, before anybody was unkind to it.
  let reads: [RecordedRead]
  /// Values to decode.
  let cases: [DecodeCase]
  /// What the driver does wrong when the values are simply decoded.
  private let decodeFault = Mutex<DriverFault?>(nil)
  /// What came of that, by groups.
  private let decoded = Mutex<[[[DecodeOutcome]]]>([])

  init(_ subject: Subject, seed: UInt64, isThorough: Bool, reads: [RecordedRead]) {
    self.isThorough = isThorough
    self.subject = subject
    self.seed = seed
    self.reads = reads
    host = DriverHost(configuration: subject.configuration)
    cases = DecodeCase.all(of: subject, reads: reads)
  }

  /// Decodes everything once, and notes what goes wrong.
  func prepare() async throws {
    for group in DecodeGroup.groups(cases) {
      do {
        let outcomes = try await probing { [self] probe in try decode(group, on: probe) }
        decoded.withLock { $0.append(outcomes) }
      } catch let fault as DriverFault {
        return decodeFault.withLock { $0 = fault }
      }
    }
  }

  /// What the values decoded to in the beginning, by groups.
  var firstOutcomes: [[[DecodeOutcome]]] { decoded.withLock { $0 } }

  /// What the driver's own `decode` made of what a meter sent, by the bytes.
  func decoded(_ meter: String) -> [[UInt8]: DecodeOutcome] {
    var found: [[UInt8]: DecodeOutcome] = [:]
    for (group, outcomes) in zip(DecodeGroup.groups(cases), firstOutcomes) {
      for (one, outcome) in zip(group.cases, outcomes.first ?? []) where one.source?.meter == meter {
        found[one.item.bytes] = outcome
      }
    }
    return found
  }

  /// Whether the driver breaks this rule when nothing special is tried.
  func breaksAnyway(_ rule: Rule) -> Bool {
    (reads.flatMap(\.tapes).compactMap(\.fault) + [decodeFault.withLock { $0 }].compactMap { $0 })
      .contains { $0.brokenRule == rule }
  }

  var driver: String { subject.id }

  /// Sessions that went well; only they can be compared with.
  var tapes: [SessionTape] { reads.flatMap(\.tapes).filter { $0.fault == nil && !$0.steps.isEmpty } }

  /// Why there is no session.
  var noSession: String {
    if let fault = reads.flatMap(\.tapes).compactMap(\.fault).first {
      return "the session with its own meter ended with a fault already (\(fault.rule ?? fault.code.rawValue))"
    }
    if let error = reads.compactMap(\.first.error).first { return "no session came about: \(error.message)" }
    if subject.entry.capabilities.isDisjoint(with: [.connect, .advertisementOnly]) {
      return "the driver has no sessions, it only decodes"
    }
    return "no virtual meter: name a script with --meter, or put one into the bundle's folder"
  }

  /// Why there is nothing to decode.
  var nothingToDecode: String {
    subject.entry.capabilities.contains(.decode)
      ? "no values: name them with --vectors, or put a vectors.json into the bundle's folder"
      : "the driver does not decode single values"
  }

  /// Why no vector is compared.
  var noVectors: String {
    subject.entry.capabilities.contains(.decode)
      ? "no vectors: name them with --vectors, or put a vectors.json into the bundle's folder" : nothingToDecode
  }

  /// Whether the driver was seen at its work, well done or not: a record came of a session, or had to come, a vector says
  /// what a value decodes to, or there is a display, a picture or an export. A session that had nothing to read shows none of it.
  var hasMaterial: Bool {
    let extensions = subject.entry.extensions
    return reads.contains(where: \.hasMaterial) || cases.contains { $0.vector != nil } || extensions.contains(.image)
      || !subject.exports.isEmpty
      || extensions.contains(.ocr) && subject.peripherals.contains { $0.kind == .ocr }
  }

  /// What a session is opened with when no meter is at hand.
  var plainOpening: DriverOpening {
    if let tape = tapes.first { return tape.opening }
    var opening = DriverOpening(assets: subject.bundle.assets)
    guard let peripheral = subject.peripherals.first else { return opening }
    opening.peripheralID = peripheral.id
    opening.parameters = peripheral.parameters(for: DeviceFacts()).map(\.driverParameter)
    return opening
  }

  /// Runs a body with a fresh probe, on a thread that may wait.
  func probing<Value: Sendable>(
    _ manner: ProbeManner = [], _ body: @escaping @Sendable (ProbeProcess) throws -> Value
  ) async throws -> Value {
    let subject = subject
    return try await onOwnThread {
      try body(try ProbeProcess(subject.bundle, manner: manner, configuration: subject.configuration))
    }
  }

  /// A player of a tape on a probe.
  func player(
    _ tape: SessionTape, on probe: ProbeProcess, session: UInt32 = 1, opening: DriverOpening? = nil
  ) -> TapePlayer {
    TapePlayer(tape, on: probe, driver: driver, session: session, trace: trace, opening: opening)
  }

  /// Decodes cases that share an opening; the outcomes are in their order.
  func decode(
    _ group: DecodeGroup, on probe: ProbeProcess, _ decoding: ProbeDecoding = .together
  ) throws(DriverFault) -> [[DecodeOutcome]] {
    trace.begin("decode", "\(group.items.count) values")
    var opening = group.opening
    opening.assets = subject.bundle.assets
    let runs: [Result<[DecodeOutcome], ProbeRefusal>]
    do throws(ProbeFailure) {
      runs = try probe.client.decode(driver: driver, opening, group.items, decoding)
    } catch { throw probe.fault(error) }
    var outcomes: [[DecodeOutcome]] = []
    for run in runs {
      do throws(ProbeRefusal) { outcomes.append(try run.get()) } catch {
        throw DriverFault(
          .brokeRule, driver: driver, rule: "R14",
          message: "decode refused good values as a whole (status \(error.status))")
      }
    }
    return outcomes
  }
}

/// Runs a body that waits for a process on a thread of its own.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    let thread = Thread { continuation.resume(with: Result(catching: body)) }
    thread.stackSize = 4 << 20
    thread.start()
  }
}
