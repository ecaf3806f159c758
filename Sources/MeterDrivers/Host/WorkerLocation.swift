import DriverContract
import Glibc

/// Finds the executables in which drivers run.
package enum WorkerLocation {
  static let name = "meterhost-worker"

  /// The path, or a fault that names every place that was tried.
  package static func find(_ configured: String?) throws(DriverFault) -> String {
    let places = configured.map { [$0] } ?? besides(executableFolder())
    guard let found = places.first(where: { access($0, X_OK) == 0 }) else {
      throw DriverFault(
        .workerFailed, driver: name,
        message:
          "the worker is not installed at \(places.joined(separator: " or ")); install \(name) beside meterhost, "
          + "or name its path in the configuration")
    }
    return found
  }

  /// The program in which a conformance suite runs drivers; it lies beside the worker.
  package static func probe(_ configuredWorker: String?) throws(DriverFault) -> String {
    let name = "meterhost-driver-probe"
    let folder = try find(configuredWorker).split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let path = (folder + [name[...]]).joined(separator: "/")
    guard access(path, X_OK) == 0 else {
      throw DriverFault(
        .workerFailed, driver: name,
        message:
          "the probe is not installed at \(path); install \(name), which belongs to the development kit, beside the worker"
      )
    }
    return path
  }

  static func besides(_ folder: String) -> [String] {
    ["\(folder)/\(name)", "\(folder)/../libexec/meterhost/\(name)"]
  }

  private static func executableFolder() -> String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { readlink("/proc/self/exe", $0, bytes.count) } ?? 0
    }
    let path = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    return path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  }
}
