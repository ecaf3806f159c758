// Reads the export of a phone's health store and prints what its days come to: what docs/embed-the-library.md explains.
// Usage: example-import-health INSTALLATION EXPORT [ZONE]
// ZONE is the person's, such as Europe/Berlin; without it this machine's. Nothing is stored or delivered, and no session is needed.
import Foundation
import HostErrors
import MeterDrivers
import MeterHealth

@main
struct ImportHealth {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard (3...4).contains(arguments.count) else {
      return print("usage: example-import-health INSTALLATION EXPORT [ZONE]")
    }
    guard let zone = arguments.count > 3 ? TimeZone(identifier: arguments[3]) : TimeZone.current else {
      print("there is no time zone \(arguments[3])")
      exit(64)
    }
    let status: Int32
    do {
      status = try await read(arguments[2], in: zone, installation: arguments[1])
    } catch let error as any HostError {
      status = tell(error)
    }
    exit(status)
  }

  /// - Returns: The exit status: 1 where something of the export is missing or damaged.
  private static func read(_ path: String, in zone: TimeZone, installation: String) async throws -> Int32 {
    let registry = try Registry.load(RegistrySources(base: installation + "/lib/meterhost/registry.json"))
    let drivers = DriverHost(
      configuration: DriverHostConfiguration(workerPath: installation + "/libexec/meterhost/meterhost-worker"))
    let importer = HealthImporter(registry: registry, drivers: drivers)
    let export = try HealthExport(path: path)
    // Without a window the last 179 whole days are read, and today.
    let options = HealthImporter.Options(zone: zone, window: .all)
    let found = try await importer.read(export, options)
    for sum in found.result.sums { print(sum.day, sum.metric, sum.value, sum.unit) }
    let samples = found.result.samples.values.reduce(0, +)
    print("\(found.driver) has read \(samples) samples; \(found.result.refusedCount) did not count")
    guard found.result.isPartial else { return 0 }
    print("something of the export is missing or damaged: its sums may be too low")
    return 1
  }

  /// - Returns: The exit status that the error's kind stands for.
  private static func tell(_ error: any HostError) -> Int32 {
    print("nothing was read (\(error.codeText)): \(error.fullMessage)")
    if let hint = error.hint { print("  \(hint)") }
    return error.kind.exitStatus
  }
}
