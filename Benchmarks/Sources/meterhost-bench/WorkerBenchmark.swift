import DriverRuntime
import CReference
import Foundation
import MeterDrivers

/// What a process of its own costs a session: starting it, and every event.
struct WorkerBenchmark {
  private let options: Options
  private let sessions: Int
  private let events: Int
  private let workers: Int

  init(_ options: Options) {
    self.options = options
    sessions = options.count(200, smoke: 2)
    events = options.count(5_000, smoke: 10)
    workers = options.count(20, smoke: 1)
  }

  func run(_ report: inout Report) async throws {
    let bundle = try BundleVerifier.verify(
      path: "\(options.stage)/lib/meterhost/drivers/libmh-glucose.so", expectedHash: nil,
      rules: BundleRules(allowsMissingHash: true))
    try await measureStart(bundle, &report)
    try await measureEvents(bundle, &report)
    try await measureMemory(bundle, &report)
    try IsolationPeers(options).measure(&report)
    let medians = Dictionary(report.measurements.map { ($0.name, $0.median) }, uniquingKeysWith: { $1 })
    for (name, limit) in Self.goals {
      if let measured = medians[name] { report.goals.append(Goal("worker", name, limit: limit, measured: measured)) }
    }
  }

  private static let goals: [(String, Double)] = [
    (throughWorker, 15), (fromSpare, 1), (fromNothing, 10), (memory, 4),
  ]
  private static let (throughWorker, fromSpare) = ("event through the worker, us", "waiting worker to open session, ms")
  private static let (fromNothing, memory) = (
    "spawn to open session, ms", "private memory of a worker with a session, MiB"
  )

  private func measureStart(_ bundle: VerifiedBundle, _ report: inout Report) async throws {
    let (cold, closed) = try await starts(of: bundle, spares: 0)
    let (warm, _) = try await starts(of: bundle, spares: 1)
    let nothing = try ProcessRuns(helper: options.processes, rounds: sessions, programs: [["/bin/true"]])
    report.measurements += [
      Measurement("worker", Self.fromNothing, unit: "ms", cold),
      Measurement("worker", Self.fromSpare, unit: "ms", warm),
      Measurement("worker", "close to process gone", unit: "ms", closed),
      Measurement("worker", "spawn to end of /bin/true", unit: "ms", nothing.milliseconds[0]),
    ]
  }

  /// Milliseconds from the wish for a session to its being open, and from its end to the end of its process.
  private func starts(of bundle: VerifiedBundle, spares: Int) async throws -> (opened: [Double], closed: [Double]) {
    let host = host(.worker, spares: spares)
    if spares > 0 { host.prepare() }
    var (opened, closed): ([Double], [Double]) = ([], [])
    for _ in 0..<sessions {
      // A spare starts in the time in which a gateway listens for the next meter.
      if spares > 0 { try await Task.sleep(for: .milliseconds(20)) }
      let start = ContinuousClock.now
      let session = try await host.open(bundle, driver: "org.meterhost.glucose", opening: DriverOpening())
      let ready = ContinuousClock.now
      await session.close()
      opened.append((ready - start).nanoseconds / 1e6)
      closed.append((ContinuousClock.now - ready).nanoseconds / 1e6)
    }
    return (opened, closed)
  }

  /// What nobody else uses of a worker that waits for its meter's next packet, after one event.
  private func measureMemory(_ bundle: VerifiedBundle, _ report: inout Report) async throws {
    var sizes: [Double] = []
    for _ in 0..<workers {
      let before = try children()
      let session = try await host(.worker).open(bundle, driver: "org.meterhost.glucose", opening: DriverOpening())
      let event = DriverEvent(sequence: 1, monotonicNanoseconds: 0, unixMicroseconds: 0, fact: .timer)
      _ = try await session.handle(event)
      for child in try children().subtracting(before) {
        let statm = try String(contentsOfFile: "/proc/\(child)/statm", encoding: .utf8).split(separator: " ")
        guard statm.count > 2, let resident = Double(statm[1]), let shared = Double(statm[2]) else {
          throw BenchmarkError("/proc/\(child)/statm is not what it was")
        }
        sizes.append((resident - shared) * Double(getpagesize()) / 1_048_576)
      }
      await session.close()
    }
    guard !sizes.isEmpty else { throw BenchmarkError("no worker was seen among this process's children") }
    report.measurements.append(Measurement("worker", Self.memory, unit: "MiB", sizes))
  }

  private func children() throws -> Set<String> {
    var found: Set<String> = []
    for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
      let list = (try? String(contentsOfFile: "/proc/self/task/\(thread)/children", encoding: .utf8)) ?? ""
      found.formUnion(list.split(separator: " ").map(String.init))
    }
    return found
  }

  private func measureEvents(_ bundle: VerifiedBundle, _ report: inout Report) async throws {
    var echo = bench_echo()
    guard bench_echo_start(&echo) == 0 else { throw BenchmarkError("no process for the bare socket") }
    var bare: [Double] = []
    for _ in 0..<events {
      var status: Int32 = 0
      bare.append(nanoseconds { status = bench_echo_round(&echo) } / 1e3)
      guard status == 0 else { throw BenchmarkError("the bare socket failed with errno \(status)") }
    }
    bench_echo_stop(&echo)
    report.measurements += [
      Measurement("worker", Self.throughWorker, unit: "us", try await events(bundle, .worker)),
      Measurement("worker", "event in process, us", unit: "us", try await events(bundle, .inProcess)),
      Measurement("worker", "one value through the worker, us", unit: "us", try values(bundle, .worker)),
      Measurement("worker", "one value in process, us", unit: "us", try values(bundle, .inProcess)),
      Measurement("worker", "64 bytes through a bare socket", unit: "us", bare),
    ]
  }

  /// An event that the driver has nothing to do for: what is left is the way there and back.
  private func events(
    _ bundle: VerifiedBundle, _ isolation: DriverHostConfiguration.Isolation
  ) async throws -> [Double] {
    let session = try await host(isolation).open(bundle, driver: "org.meterhost.glucose", opening: DriverOpening())
    var times: [Double] = []
    for sequence in 1...UInt64(events) {
      let event = DriverEvent(sequence: sequence, monotonicNanoseconds: 0, unixMicroseconds: 0, fact: .timer)
      let start = ContinuousClock.now
      _ = try await session.handle(event)
      times.append((ContinuousClock.now - start).nanoseconds / 1e3)
    }
    await session.close()
    return times
  }

  /// One Glucose Measurement at a time, checked: what a plugin's call costs, there and back.
  private func values(_ bundle: VerifiedBundle, _ isolation: DriverHostConfiguration.Isolation) throws -> [Double] {
    let decoder = try host(isolation).decoder(bundle, driver: "org.meterhost.glucose", opening: DriverOpening())
    var input = try DecodeInput([
      DecodeItem(characteristic: 0x2a18, receivedMicroseconds: 0, bytes: IsolationPeers.value)
    ])
    var times: [Double] = []
    var records = 0
    for _ in 0..<events {
      let start = ContinuousClock.now
      try decoder.withDecoded(&input) { records += $0.records.count }
      times.append((ContinuousClock.now - start).nanoseconds / 1e3)
    }
    guard records == events else { throw BenchmarkError("a value was not decoded") }
    return times
  }

  private func host(_ isolation: DriverHostConfiguration.Isolation, spares: Int = 0) -> DriverHost {
    DriverHost(
      configuration: DriverHostConfiguration(isolation: isolation, workerPath: options.worker, spares: spares))
  }
}
