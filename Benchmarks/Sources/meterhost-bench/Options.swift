import Foundation

/// What to measure and where things are. `scripts/bench` fills in the places.
struct Options {
  enum Benchmark: String, CaseIterable {
    case decode, read, list, worker, drain, queue, backlog
    case advertisements = "adv-match"
  }

  var benchmarks: [Benchmark] = []
  var isJSON = false
  /// Whether the sizes are the smallest with which every figure comes: figures that show that a benchmark works, and no more.
  var isSmoke = false
  /// The installation that `scripts/build release` has staged.
  var stage = ""
  /// The glucose driver's test vectors.
  var vectors = ""
  /// The virtual meters' scripts.
  var meters = ""
  /// The helper that measures processes.
  var processes = ""
  /// A Python with the packages of peers/requirements.txt, and the script that measures them; nil: left out.
  var python: String?
  var peers = ""
  /// Another build of the program to measure beside the staged one; nil: left out.
  var otherProgram: String?

  /// Where the queues are put: a folder on the disk that is meant.
  var queueFolder = FileManager.default.temporaryDirectory.path
  /// The script that submits to persist-queue.
  var queueScript = ""

  /// The script that measures other hosts of plugins, and the folder of what they load; nil: left out.
  var isolationScript = ""
  var isolationPlugins: String?

  var program: String { "\(stage)/bin/meterhost" }
  var worker: String { "\(stage)/libexec/meterhost/meterhost-worker" }
  var registry: String { "\(stage)/lib/meterhost/registry.json" }

  /// How many of something this run takes.
  func count(_ full: Int, smoke: Int) -> Int { isSmoke ? smoke : full }

  init(_ arguments: [String]) throws(BenchmarkError) {
    var rest = arguments[...]
    func value(_ name: String) throws(BenchmarkError) -> String {
      guard let value = rest.popFirst() else { throw BenchmarkError("\(name) needs a value") }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": isJSON = true
      case "--smoke": isSmoke = true
      case "--stage": stage = try value(argument)
      case "--vectors": vectors = try value(argument)
      case "--meters": meters = try value(argument)
      case "--processes": processes = try value(argument)
      case "--python": python = try value(argument)
      case "--peers": peers = try value(argument)
      case "--queue-folder": queueFolder = try value(argument)
      case "--queue-script": queueScript = try value(argument)
      case "--isolation-script": isolationScript = try value(argument)
      case "--isolation-plugins": isolationPlugins = try value(argument)
      case "--other-program": otherProgram = try value(argument)
      default:
        guard let benchmark = Benchmark(rawValue: argument) else {
          throw BenchmarkError(
            "unknown argument \(argument); use scripts/bench [decode|read|list|worker|drain|queue|backlog|adv-match] [--json]"
          )
        }
        benchmarks.append(benchmark)
      }
    }
    if benchmarks.isEmpty { benchmarks = Benchmark.allCases }
  }
}
