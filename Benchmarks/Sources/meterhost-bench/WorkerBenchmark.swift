import CReference
import Foundation
import MeterDrivers

/// What a process of its own costs a session: starting it, and every event.
struct WorkerBenchmark {
  private static let sessions = 200
  private static let events = 5000

  private let options: Options

  init(_ options: Options) { self.options = options }

  func run(_ report: inout Report) async throws {
    let bundle = try BundleVerifier.verify(
      path: "\(options.stage)/lib/meterhost/drivers/libmh-glucose.so", expectedHash: nil,
      rules: BundleRules(allowsMissingHash: true))
    try await measureStart(bundle, &report)
    try await measureEvents(bundle, &report)
  }

  private func measureStart(_ bundle: VerifiedBundle, _ report: inout Report) async throws {
    let host = host(.worker)
    var opened: [Double] = []
    var closed: [Double] = []
    for _ in 0..<Self.sessions {
      let start = ContinuousClock.now
      let session = try await host.open(bundle, driver: "org.meterhost.glucose", opening: DriverOpening())
      let ready = ContinuousClock.now
      await session.close()
      opened.append((ready - start).nanoseconds / 1e6)
      closed.append((ContinuousClock.now - ready).nanoseconds / 1e6)
    }
    let nothing = try ProcessRuns(helper: options.processes, rounds: Self.sessions, programs: [["/bin/true"]])
    report.measurements += [
      Measurement("worker", "spawn to open session", unit: "ms", opened),
      Measurement("worker", "close to process gone", unit: "ms", closed),
      Measurement("worker", "spawn to end of /bin/true", unit: "ms", nothing.milliseconds[0]),
    ]
  }

  private func measureEvents(_ bundle: VerifiedBundle, _ report: inout Report) async throws {
    var echo = bench_echo()
    guard bench_echo_start(&echo) == 0 else { throw BenchmarkError("no process for the bare socket") }
    var bare: [Double] = []
    for _ in 0..<Self.events {
      var status: Int32 = 0
      bare.append(nanoseconds { status = bench_echo_round(&echo) } / 1e3)
      guard status == 0 else { throw BenchmarkError("the bare socket failed with errno \(status)") }
    }
    bench_echo_stop(&echo)
    report.measurements += [
      Measurement("worker", "event through the worker", unit: "us", try await events(bundle, .worker)),
      Measurement("worker", "event in process", unit: "us", try await events(bundle, .inProcess)),
      Measurement("worker", "64 bytes through a bare socket", unit: "us", bare),
    ]
  }

  /// An event that the driver has nothing to do for: what is left is the way there and back.
  private func events(
    _ bundle: VerifiedBundle, _ isolation: DriverHostConfiguration.Isolation
  ) async throws -> [Double] {
    let session = try await host(isolation).open(bundle, driver: "org.meterhost.glucose", opening: DriverOpening())
    var times: [Double] = []
    for sequence in 1...UInt64(Self.events) {
      let event = DriverEvent(sequence: sequence, monotonicNanoseconds: 0, unixMicroseconds: 0, fact: .timer)
      let start = ContinuousClock.now
      _ = try await session.handle(event)
      times.append((ContinuousClock.now - start).nanoseconds / 1e3)
    }
    await session.close()
    return times
  }

  private func host(_ isolation: DriverHostConfiguration.Isolation) -> DriverHost {
    DriverHost(configuration: DriverHostConfiguration(isolation: isolation, workerPath: options.worker))
  }
}
