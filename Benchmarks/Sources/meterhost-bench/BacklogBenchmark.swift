import Foundation
import Glibc
import MeterCore

/// A reading like those of a glucose meter.
enum BacklogRecord {
  private static let meter = MeterIdentity(
    serial: "GM-0042", model: "Acme Gluco", systemID: nil, address: "C0:FF:EE:00:00:01")

  static func make(_ number: Int) -> Record {
    let moment = 1_704_067_200_000_000 + Int64(number % 1_000_000) * 60_000_000
    let time = RecordTime(
      startMicroseconds: moment, endMicroseconds: moment, civilMicroseconds: nil, utcOffsetSeconds: 3600,
      zoneSource: .gateway, kind: .utc)
    let source = RecordSource(
      peripheralID: 1000, manufacturer: "Acme", model: "Gluco", deviceID: "GM-0042", driverID: "org.example.bench",
      driverVersion: "1.0.0")
    let value = RecordValue(
      metric: 1, unit: 2, number: ReportedNumber(mantissa: Int64(80 + number % 100), exponent: 0))
    return Record(
      logID: .stored(meter: meter, identity: Array("bench \(number)".utf8)), identityClass: .stored, type: .diabetes,
      time: time, deviceSequence: UInt64(number), values: [value], source: source)
  }
}

/// A gateway that was offline for years: a million readings wait.
struct BacklogBenchmark {
  private static let unit = 500

  private let options: Options
  private let records: Int

  init(_ options: Options) {
    self.options = options
    records = options.count(1_000_000, smoke: 2 * Self.unit)
  }

  func run(_ report: inout Report) async throws {
    let folder = URL(fileURLWithPath: options.queueFolder).appending(path: "meterhost-backlog-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let state = folder.appending(path: "state")
    try await fill(state, &report)
    var (starts, pages, peaks): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<5 {
      let said = try output(of: CommandLine.arguments[0], ["--backlog-turn", state.path, "\(records)"])
      let numbers = said.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
      guard numbers.count > 3 else { throw BenchmarkError("the turn wrote “\(said)”") }
      starts.append(numbers[0])
      peaks.append(numbers[1])
      pages += numbers[2...]
    }
    let start = Measurement("backlog", "start with 1,000,000 waiting", unit: "ms", starts)
    let page = Measurement("backlog", "a page of 100, anywhere", unit: "ms", pages)
    report.measurements += [
      start, page, Measurement("backlog", "peak memory of start and listing", unit: "MiB", peaks),
    ]
    report.goals += [
      Goal("backlog", "start, ms", limit: 1000, measured: start.median),
      Goal("backlog", "a page of 100, 99th percentile, ms", limit: 50, measured: page.percentile99),
    ]
    for (step, name) in [("end", "end of the session"), ("recover", "recovery of what it left")] {
      let said = try output(of: CommandLine.arguments[0], ["--backlog-\(step)", state.path, "\(records)"])
      let numbers = said.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
      guard numbers.count == 2 else { throw BenchmarkError("the \(name) wrote “\(said)”") }
      report.measurements += [
        Measurement("backlog", name, unit: "s", [numbers[0]]),
        Measurement("backlog", "\(name), peak memory", unit: "MiB", [numbers[1]]),
      ]
    }
  }

  private func fill(_ state: URL, _ report: inout Report) async throws {
    let store = try MeterStore(folder: state)
    let user = SessionUser(userID: "bench", organizationID: "bench")
    let generation = try store.startSession(user, token: AccessToken("bench-token-0123456789abcdef")).session.generation
    let intake = Intake(store)
    var memory: [Double] = []
    let start = ContinuousClock.now
    for first in stride(from: 0, to: records, by: Self.unit) {
      let entries = (first..<(first + Self.unit)).map { IntakeEntry.record(BacklogRecord.make($0)) }
      _ = try await intake.take(entries, of: generation)
      if (first + Self.unit).isMultiple(of: records / 10) { memory.append(Self.residentMebibytes()) }
    }
    let seconds = (ContinuousClock.now - start).nanoseconds / 1e9
    report.measurements += [
      Measurement("backlog", "commits of \(Self.unit)", unit: "records/s", [Double(records) / seconds]),
      Measurement("backlog", "memory at each tenth of it", unit: "MiB", memory),
    ]
    let growth = (memory.last ?? .nan) - (memory.first ?? .nan)
    report.goals.append(
      Goal("backlog", "memory flat: growth from 100,000 to 1,000,000, MiB", limit: 8, measured: growth))
  }

  /// What `run` starts: opens the folder, pages through it, and prints times and peak memory.
  static func turn(_ state: String, records: Int) throws {
    var store: MeterStore?
    let start = try nanoseconds { store = try MeterStore(folder: URL(fileURLWithPath: state)) }
    guard let store else { return }
    var pages: [Double] = []
    for place in [0, records / 4, records / 2, records / 4 * 3, records - 200] {
      for after in [place, place + 100] {
        pages.append(try nanoseconds { _ = try store.queueSnapshot(after: Int64(after), limit: 100) } / 1e6)
      }
    }
    print(([start / 1e6, peakMebibytes()] + pages).map { "\($0)" }.joined(separator: " "))
  }

  /// Ends the session with all that waits, or takes what that has left back, and prints seconds and peak memory.
  static func endOrRecover(_ state: String, records: Int, ends: Bool) throws {
    let folder = URL(fileURLWithPath: state)
    let store = try MeterStore(folder: folder)
    let taken = try nanoseconds {
      if ends {
        guard try store.endSession()?.unsynced == records else { throw BenchmarkError("the end has lost readings") }
      } else {
        let user = SessionUser(userID: "bench", organizationID: "bench")
        _ = try store.startSession(user, token: AccessToken("bench-token-0123456789abcdef"))
        let kept = try FileManager.default.contentsOfDirectory(
          at: folder.appending(path: "recovery"), includingPropertiesForKeys: nil)
        guard let file = kept.first, try Intake(store).recover(file).pending.count == records else {
          throw BenchmarkError("the recovery has lost readings")
        }
      }
    }
    print(taken / 1e9, peakMebibytes())
  }

  private static func peakMebibytes() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_maxrss) / 1024
  }

  private static func residentMebibytes() -> Double {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return text.split(separator: " ").dropFirst().first.flatMap { Double($0) }.map { $0 * 4096 / 1_048_576 } ?? .nan
  }
}
