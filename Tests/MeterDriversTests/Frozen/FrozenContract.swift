import DriverContract
import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

/// A version of the contract with its headers, driver and host; see Tests/Frozen/README.md.
struct FrozenContract: Sendable, CustomTestStringConvertible {
  let name: String
  let folder: URL
  let include: URL

  var testDescription: String { name }

  static let frozenFolder = CompiledBundle.root.appending(path: "Tests/Frozen")
  static let headers = CompiledBundle.root.appending(path: "SDK/include")

  /// The one that will be frozen next, with today's headers, then every frozen one.
  static let all: [FrozenContract] =
    [FrozenContract(name: "next", folder: frozenFolder.appending(path: "next"), include: headers)] + frozen

  static let frozen: [FrozenContract] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: frozenFolder.path)) ?? []
    return names.filter { $0.first?.isNumber == true }.sorted().map { name in
      let folder = frozenFolder.appending(path: name)
      return FrozenContract(name: name, folder: folder, include: folder.appending(path: "include"))
    }
  }()

  /// Those that this host serves: a new major begins anew.
  static let served = all.filter { $0.major == ContractVersion.host.major }

  var major: UInt16 {
    name == "next" ? ContractVersion.host.major : name.split(separator: ".").first.flatMap { UInt16($0) } ?? 0
  }

  var layoutFile: URL { folder.appending(path: "layout.json") }

  func driver() throws -> VerifiedBundle {
    try BundleVerifier.verify(path: driverFile().path, expectedHash: nil, rules: BundleRules(allowsMissingHash: true))
  }

  func driverFile() throws -> URL {
    try CompiledBundle.compile(folder.appending(path: "driver.c"), include: include, isBundle: true)
  }

  func host() throws -> URL {
    try CompiledBundle.compile(folder.appending(path: "host.c"), include: include, isBundle: false)
  }

  /// Runs the frozen host over a bundle.
  func run(_ bundle: URL, _ script: [String]) throws -> (status: Int32, lines: [String]) {
    // A host that refuses the bundle does not read its script.
    let done = try ChildProcess.run(try host(), [bundle.path], input: script.joined(separator: "\n") + "\n")
    return (done.status, done.lines)
  }
}
