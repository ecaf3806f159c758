import Foundation

/// Measures MeterHost beside peers in the same run.
@main
enum Bench {
  static func main() async {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      var report = Report()
      for benchmark in options.benchmarks {
        switch benchmark {
        case .decode: try DecodeBenchmark(options).run(&report)
        case .read: try await ReadBenchmark(options).run(&report)
        case .list: try ListBenchmark(options).run(&report)
        case .worker: try await WorkerBenchmark(options).run(&report)
        case .drain: try await DrainBenchmark(options).run(&report)
        }
      }
      try report.print(asJSON: options.isJSON)
    } catch {
      FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
      exit(1)
    }
  }
}
