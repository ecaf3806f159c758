import Foundation

/// What one value costs in other hosts of plugins: Python's ctypes, which isolates nothing, and two hosts of WebAssembly.
struct IsolationPeers {
  /// A Glucose Measurement of 100 mg/dL.
  static let value: [UInt8] = [3, 10, 0, 0xe4, 7, 3, 0x0e, 0x17, 0, 0, 0, 0, 0x64, 0xb0, 0x11]
  private static let rounds = 5000

  private let options: Options

  init(_ options: Options) { self.options = options }

  func measure(_ report: inout Report) throws {
    guard let python = options.python, let plugins = options.isolationPlugins else {
      return report.notes.append("worker: no other hosts in this run; scripts/bench installs them where it can")
    }
    let value = Self.value.map { String(format: "%02x", $0) }.joined()
    let written = try output(of: python, [options.isolationScript, plugins, "\(Self.rounds)", value])
    let times = try JSONDecoder().decode([String: [Double]].self, from: Data(written.utf8))
    for (name, samples) in times.sorted(by: { $0.key < $1.key }) where !samples.isEmpty {
      report.measurements.append(Measurement("worker", name, unit: "us", samples))
    }
  }
}
