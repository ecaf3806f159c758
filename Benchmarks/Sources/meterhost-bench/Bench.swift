import Foundation
import Logging

/// Measures MeterHost beside peers in the same run.
@main
enum Bench {
  static func main() async {
    LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
    do {
      let arguments = CommandLine.arguments
      if try await isPart(of: arguments) { return }
      let options = try Options(Array(arguments.dropFirst()))
      var report = Report()
      for benchmark in options.benchmarks {
        switch benchmark {
        case .decode: try DecodeBenchmark(options).run(&report)
        case .read: try await ReadBenchmark(options).run(&report)
        case .list: try ListBenchmark(options).run(&report)
        case .worker: try await WorkerBenchmark(options).run(&report)
        case .drain: try await DrainBenchmark(options).run(&report)
        case .queue: try await QueueBenchmark(options).run(&report)
        case .backlog: try await BacklogBenchmark(options).run(&report)
        case .advertisements: try AdvertisementBenchmark(options).run(&report)
        }
      }
      try report.print(asJSON: options.isJSON)
    } catch {
      FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
      exit(1)
    }
  }

  /// Runs what a benchmark measures in a process of its own, which is this program again.
  private static func isPart(of arguments: [String]) async throws -> Bool {
    guard arguments.count > 3, let number = Int(arguments[3]) else { return false }
    let folder = arguments[2]
    switch arguments[1] {
    case "--queue-turn":
      try await QueueBenchmark.turn(number, in: folder, isSmoke: arguments.last == "--smoke")
    case "--backlog-turn": try BacklogBenchmark.turn(folder, records: number)
    case "--backlog-end": try BacklogBenchmark.endOrRecover(folder, records: number, ends: true)
    case "--backlog-recover": try BacklogBenchmark.endOrRecover(folder, records: number, ends: false)
    default: return false
    }
    return true
  }
}
