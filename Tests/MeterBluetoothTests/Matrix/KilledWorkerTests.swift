import Foundation
import MeterDrivers
import Synchronization
import TestSupport
import Testing
import VirtualMeter

@testable import MeterBluetooth

/// The process that runs the driver dies in the middle, as when the kernel is out of memory.
@Suite("A worker that is killed at every PDU", .jumpingTime, .timeLimit(.minutes(60)))
struct KilledWorkerTests {
  static let subjects: [MatrixMeter] = MatrixMeter.all.filter { subject in
    [
      "contour-next-one as 10000, newest first, deleted", "thermometer-with-clock as 4000, deleted",
      "omron-x4-smart as 10101", "weight-scale as 5000, deleted", "beurer-bf720 as 10200, deleted",
      "fora-glucose as 10300", "verio-flex as 10400", "select-plus-flex as 10402, forgets",
      "keyed-meter as 10500, deleted", "choicemmed-oximeter as 10310",
    ].contains(subject.testDescription)
  }

  @Test("loses nothing and delivers nothing twice", arguments: subjects)
  func everyPDU(subject: MatrixMeter) async throws {
    #expect(Self.subjects.count == 10)
    let total = try await DropMatrixTests.pdus(subject)
    var killed = 0
    // In the first half the worker has hardly started: by day only the second is looked at.
    for count in Nightly.isOn ? Array(1...total) : Array(stride(from: total / 2, through: total, by: total / 12)) {
      let worker = try KillableWorker()
      let bench = try MatrixBench(subject, isolation: .worker, worker: worker.path) { meter in
        TappedRadio(BenchRadio([meter])) { number in if number == count { worker.kill() } }
      }
      let broken = try await bench.read()
      let place = "\(subject.testDescription), killed at PDU \(count) of \(total)"
      #expect(
        broken.end == "completed"
          || broken.error?.code == .driverCrashed && broken.error?.message.contains("SIGKILL") == true,
        "\(place): \(broken.words) \(broken.error?.message ?? "")")
      if worker.isKilled { killed += 1 } else { #expect(broken.end == "completed", "\(place)") }
      try bench.checkQueue(place)
      try await bench.finish(place, brokenLinks: 1)
    }
    // The worker starts when the meter's database is known.
    #expect(killed >= 2, "\(subject.testDescription): \(killed) of \(total)")
  }
}

/// A worker that tells its process number; there may be a spare one.
final class KillableWorker: Sendable {
  private let folder: TemporaryFolder
  private let killed = Mutex(false)

  init() throws {
    folder = try TemporaryFolder()
    try WrittenProgram.write(
      "#!/bin/sh\necho $$ >> '\(pidFile.path)'\nexec '\(BuildProducts.worker.path)' \"$@\"\n", to: path)
  }

  var path: String { folder.url.appending(path: "worker").path }
  private var pidFile: URL { folder.url.appending(path: "pid") }

  var isKilled: Bool { killed.withLock { $0 } }

  /// Kills all that have started, and returns when they are dead.
  func kill() {
    guard let text = try? String(contentsOf: pidFile, encoding: .utf8) else { return }
    for pid in text.split(separator: "\n").compactMap({ Int32($0) }) where Glibc.kill(pid, SIGKILL) == 0 {
      killed.withLock { $0 = true }
      while let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8), !stat.contains(") Z") {
        sched_yield()
      }
    }
  }
}
