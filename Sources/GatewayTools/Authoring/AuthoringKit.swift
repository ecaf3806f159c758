import GatewayEngine
package import GatewayAPI
import Foundation

/// The SDK for driver authors: headers, author library, bench, fuzz harness and templates.
package struct AuthoringKit: Sendable, Hashable {
  package let folder: String

  /// What tells the SDK from any other folder.
  private static let marks = ["include/meterhost/driver.h", "driver.map", "bench", "fuzz"]

  /// Finds the SDK: what was named, what `METERHOST_SDK` names, the bundle's own copy, the installation's, the source
  /// tree's that the program was built in. What is named explicitly is not replaced by another.
  ///
  /// - Parameters:
  ///   - hasTemplates: Whether it is for making bundles: the copy that a bundle holds has no templates.
  ///   - bundle: The folder of the bundle that it is for, which may hold a copy: what is tried is then what ships.
  /// - Throws: ``GatewayError`` with code `sdk_missing`, which names the places.
  package init(named: String? = nil, hasTemplates: Bool = true, bundle: String? = nil) throws(GatewayError) {
    try self.init(
      named: named, environment: ProcessInfo.processInfo.environment, executable: GatewayLocations.runningExecutable,
      hasTemplates: hasTemplates, bundle: bundle)
  }

  /// The same with an environment and a program of the caller's.
  package init(
    named: String?, environment: [String: String], executable: String, hasTemplates: Bool = true, bundle: String? = nil
  ) throws(GatewayError) {
    let chosen = named ?? environment["METERHOST_SDK"].flatMap { $0.isEmpty ? nil : $0 }
    let copies = bundle.map { [$0 + "/SDK"] } ?? []
    let places = chosen.map { [$0] } ?? copies + Self.places(around: executable)
    guard let found = places.first(where: { Self.isKit($0, hasTemplates: hasTemplates) }) else {
      throw GatewayError(
        .unavailable, code: "sdk_missing", "the SDK for drivers is not in \(places.joined(separator: ", nor in "))",
        hint: "name its folder with --sdk or METERHOST_SDK; an installation has it in share/meterhost/sdk")
    }
    folder = URL(fileURLWithPath: found).standardizedFileURL.path
  }

  /// `share/meterhost/sdk` beside `bin`, and every `SDK` above the program.
  private static func places(around executable: String) -> [String] {
    var folder = URL(fileURLWithPath: executable).deletingLastPathComponent()
    var places = [folder.deletingLastPathComponent().appendingPathComponent("share/meterhost/sdk").path]
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let place = folder.appendingPathComponent("SDK").path
      if isKit(place, hasTemplates: false) { places.append(place) }
    }
    return places
  }

  private static func isKit(_ folder: String, hasTemplates: Bool) -> Bool {
    let wanted = marks + (hasTemplates ? ["templates"] : [])
    return wanted.allSatisfy { FileManager.default.fileExists(atPath: folder + "/" + $0) }
  }
}
