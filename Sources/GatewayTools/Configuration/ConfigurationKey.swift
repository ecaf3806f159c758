/// What a configuration file can say. The raw value is its path in the file.
package enum ConfigurationKey: String, CaseIterable, Sendable {
  case state
  case registry
  case fragments
  case trust
  case worker
  case inProcess = "in_process"
  case log
  case radioAdapters = "radio.adapters"
  case radioAir = "radio.air"
  case runJSON = "run.json"
  case runMetrics = "run.metrics"
  case runMetricsPerMeter = "run.metrics_per_meter"
  case runConsole = "run.console"
  case runConsoleBehindProxy = "run.console_behind_proxy"
  case runConsoleCertificate = "run.console_certificate"
  case runConsoleKey = "run.console_key"

  /// What kind of value it takes.
  package enum Form: Sendable, Hashable {
    /// A path from the root.
    case path
    case flag
    /// Words, each at most so many bytes long, and how many of them.
    case words(length: Int, count: Int)
    /// A level, or levels of areas, as `METERHOST_LOG` has them.
    case logLevels
    /// A port of this machine, or an address and a port.
    case metricsAddress
    /// An address of this machine and a port, or the path of a Unix socket.
    case consoleAddress
    /// The `https` address of a proxy.
    case proxyOrigin
  }

  /// What kind of value it takes.
  package var form: Form {
    switch self {
    case .state, .registry, .fragments, .trust, .worker, .radioAir, .runConsoleCertificate, .runConsoleKey: .path
    case .inProcess, .runJSON, .runMetricsPerMeter: .flag
    case .runMetrics: .metricsAddress
    case .runConsole: .consoleAddress
    case .runConsoleBehindProxy: .proxyOrigin
    case .log: .logLevels
    case .radioAdapters: .words(length: 64, count: 16)
    }
  }

  /// The option that says the same on the command line; nil: there is none.
  package var option: String? {
    switch self {
    case .state: "state"
    case .registry: "registry"
    case .fragments: "fragments"
    case .trust: "trust"
    case .worker: "worker"
    case .inProcess: "in-process"
    case .log: nil
    case .radioAdapters: "adapter"
    case .radioAir: "air"
    case .runJSON: "json"
    case .runMetrics: "metrics"
    case .runMetricsPerMeter: "metrics-per-meter"
    case .runConsole: "console"
    case .runConsoleBehindProxy: "console-behind-proxy"
    case .runConsoleCertificate: "console-certificate"
    case .runConsoleKey: "console-key"
    }
  }

  /// The environment variable that says the same, and wins over the file; nil: there is none.
  package var variable: String? {
    switch self {
    case .state: "METERHOST_STATE"
    case .registry: "METERHOST_REGISTRY"
    case .fragments: "METERHOST_REGISTRY_FRAGMENTS"
    case .trust: "METERHOST_TRUST"
    case .worker: "METERHOST_WORKER"
    case .log: "METERHOST_LOG"
    case .radioAir: "METERHOST_AIR"
    case .inProcess, .radioAdapters, .runJSON, .runMetrics, .runMetricsPerMeter, .runConsole, .runConsoleBehindProxy,
      .runConsoleCertificate, .runConsoleKey:
      nil
    }
  }

  /// The keys and tables that a file can have at the top or in a table, for suggestions.
  static func names(in table: [String]) -> [String] {
    let paths = allCases.map { $0.rawValue.split(separator: ".").map(String.init) }
    let inside = paths.filter { $0.count > table.count && Array($0.prefix(table.count)) == table }
    return Array(Set(inside.map { $0[table.count] })).sorted()
  }

  /// The tables of the file.
  static var tables: Set<String> {
    Set(allCases.map { $0.rawValue.split(separator: ".").dropLast().joined(separator: ".") }.filter { !$0.isEmpty })
  }
}
