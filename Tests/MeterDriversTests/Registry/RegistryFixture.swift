import Foundation
import Testing

@testable import MeterDrivers

/// A registry small enough to be read, with the compiled ABI: tests replace pieces of its text.
enum RegistryFixture {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static var repositoryFile: String { root.appending(path: "registry.json").path }

  /// The compiled version as the registry writes it.
  static let version: String = {
    let version = CompiledABI.current.version
    return "\"major\": \(version.major), \"minor\": \(version.minor)"
  }()

  static let driver = """
    {"id": "org.example.one", "version": "1.2.3", "vendor": "Example", "license": "MIT", "family": "fam",
     "library": "drivers/one.so", "sha256": "\(String(repeating: "ab", count: 32))", "abi": {\(version)},
     "capabilities": ["connect"],
     "parameters": [{"code": 32768, "name": "tone", "kind": "text", "summary": "What to play."}]}
    """

  static func peripheral(_ id: Int, _ more: String = "") -> String {
    """
    {"id": \(id), "kind": "bluetooth", "name": "Meter \(id)", "manufacturer": "", "model": "",
     "type": "glucose_meter", "requires_pairing": false, "instructions": "Press.", "connection_kind": "connect",
     "supported_since": "0.1.0", "maturity": "beta", "stored_history": true, "passive": "yes",
     "announces_before_measurement": false, "driver": "org.example.one",
     "services": [{"uuid": "1808", "required": true, "characteristics": [{"uuid": "2A18", "required": true}]}]\(more)}
    """
  }

  static func text(
    development: Bool = true, drivers: String = driver, peripherals: String = peripheral(1, #", "generic": true"#)
  ) -> String {
    """
    {"registry_version": 1, "development": \(development),
     "abi": {\(version), "layout_hash": "0x\(hash)", "functions": [], "structs": [], "constants": {}},
     "dictionary": {"units": [{"code": 1, "name": "none", "ucum": "1"}], "metrics": []},
     "families": [{"id": "fam", "name": "Family"}],
     "drivers": [\(drivers)],
     "peripherals": [\(peripherals)]}
    """
  }

  private static var hash: String {
    let digits = String(CompiledABI.current.layoutHash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  static func load(_ text: String, fragments: [String] = []) throws(RegistryError) -> Registry {
    try Registry.load(
      base: Array(text.utf8),
      fragments: fragments.enumerated().map { ("\($0.offset).json", Array($0.element.utf8)) })
  }

  /// The error that a text is refused with; fails the test when it is accepted.
  static func refusal(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> RegistryError {
    do throws(RegistryError) {
      _ = try load(text)
    } catch {
      return error
    }
    Issue.record("the registry was accepted", sourceLocation: sourceLocation)
    throw CancellationError()
  }
}
