import Foundation

/// `meterhost peripherals list` as a whole process: what a person or a script waits for.
struct ListBenchmark {
  private let options: Options
  private let rounds: Int
  private let drivers: Int

  init(_ options: Options) {
    self.options = options
    rounds = options.count(30, smoke: 2)
    drivers = options.count(1_000, smoke: 50)
  }

  func run(_ report: inout Report) throws {
    let arguments = ["peripherals", "list", "--registry", options.registry]
    let many = try ManyDrivers(drivers, like: options.registry)
    defer { many.remove() }
    var named: [(name: String, command: [String])] = [("meterhost peripherals list", [options.program] + arguments)]
    let list = [options.program, "peripherals", "list"]
    named.append(
      ("the same, 1000 drivers in one file", list + ["--registry", many.oneFile, "--fragments", "/nowhere"]))
    named.append(
      ("the same, 1000 drivers in as many fragments", list + ["--registry", many.base, "--fragments", many.fragments]))
    if let other = options.otherProgram {
      named.append(("the same, other build", [other] + arguments))
    }
    named.append(("/bin/true", ["/bin/true"]))
    if let python = options.python {
      let program =
        "import json, sys\nfor p in json.load(open(sys.argv[1]))['peripherals']: print(p['id'], p['name'])"
      named.append(("Python prints the registry", [python, "-I", "-c", program, options.registry]))
    }
    let runs = try ProcessRuns(helper: options.processes, rounds: rounds, programs: named.map(\.command))
    for (index, program) in named.enumerated() {
      report.measurements += [
        Measurement("list", program.name, unit: "ms", runs.milliseconds[index]),
        Measurement("list", "\(program.name), peak memory", unit: "MiB", runs.mebibytes[index]),
      ]
    }
    for index in 0..<3 {
      let median = Measurement("list", "", unit: "ms", runs.milliseconds[index]).median
      report.goals.append(Goal("list", "\(named[index].name), ms", limit: 30, measured: median))
    }
  }
}

/// Runs of several programs in turn.
struct ProcessRuns {
  /// Wall time and peak memory of every run, by program.
  var milliseconds: [[Double]]
  var mebibytes: [[Double]]

  init(helper: String, rounds: Int, programs: [[String]]) throws {
    milliseconds = Array(repeating: [], count: programs.count)
    mebibytes = milliseconds
    for line in try output(of: helper, ["\(rounds)"] + programs.flatMap { ["--"] + $0 }).split(separator: "\n") {
      let fields = line.split(separator: " ").compactMap { Int($0) }
      guard fields.count == 4, programs.indices.contains(fields[0]) else {
        throw BenchmarkError("\(helper) wrote “\(line)”")
      }
      guard fields[3] == 0 else {
        throw BenchmarkError("\(programs[fields[0]].joined(separator: " ")) ended with status \(fields[3])")
      }
      milliseconds[fields[0]].append(Double(fields[1]) / 1e6)
      mebibytes[fields[0]].append(Double(fields[2]) / 1024)
    }
  }
}
