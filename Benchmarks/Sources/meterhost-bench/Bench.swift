import Foundation
import Logging

/// Measures MeterHost beside peers in the same run.
@main
enum Bench {
  static func main() async {
    LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
    do {
      let arguments = CommandLine.arguments
      if arguments.count == 4, arguments[1] == "--queue-turn" {
        return try await QueueBenchmark.turn(Int(arguments[2]) ?? 1, in: arguments[3])
      }
      if arguments.count == 3, arguments[1] == "--backlog-turn" { return try BacklogBenchmark.turn(arguments[2]) }
      if arguments.count == 3, ["--backlog-end", "--backlog-recover"].contains(arguments[1]) {
        return try BacklogBenchmark.endOrRecover(arguments[2], ends: arguments[1] == "--backlog-end")
      }
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
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
}
