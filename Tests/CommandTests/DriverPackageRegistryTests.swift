import Foundation
import TestSupport
import Testing

/// What an installation would be refused for, because of the registry that it would make, is neither packed nor
/// verified.
@Suite(.timeLimit(.minutes(60))) struct DriverPackageRegistryTests {
  /// Changes of the example's fragment, and what is said of them.
  static let offences: [(old: String, new: String, says: String)] = [
    (#""driver": "org.example.scale""#, #""driver": "org.example.nobody""#, "org.example.nobody"),
    (#""family": "example-scale""#, #""family": "nobodys-scale""#, "nobodys-scale"),
  ]

  @Test(arguments: offences.indices)
  func whatNamesNothingIsNotPacked(_ index: Int) async throws {
    let (old, new, says) = Self.offences[index]
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      let source = try ScaleFolder(sandbox.root.appending(path: "src"))
      try source.change(old, new)
      let file = sandbox.path("scale.mhdriver")
      let refused = try await folder.run(["pack", source.url.path, "--output", file, "--json"])
      let error = try refused.jsonError()
      #expect(refused.status == 1 && error["code"] as? String == "registry_problem", "\(refused.err)")
      let message = error["message"] as? String ?? ""
      #expect(message.contains(says), "\(message)")
      #expect(message.contains("org.example.scale-1.0.0.mhdriver: registry.json"), "\(message)")
      #expect(!FileManager.default.fileExists(atPath: file))
    }
  }

  /// Another fragment of the drop-in folder, made of the example's.
  private func other(_ folder: PackageFolder, _ changes: [(String, String)]) throws {
    let example = CompiledBundle.root.appending(path: "docs/examples/scale/scale.json")
    var text = try String(contentsOf: example, encoding: .utf8)
    let hash = String(repeating: "0", count: 64)
    for (old, new) in [(#""library":"#, #""sha256": "\#(hash)", "library":"#)] + changes {
      guard text.contains(old) else { throw CocoaError(.formatting) }
      text = text.replacing(old, with: new)
    }
    try Data(text.utf8).write(to: URL(filePath: "\(folder.fragments)/other.json"))
  }

  private static let anotherDriver = [("org.example.scale", "org.example.other"), ("example-scale", "other-scale")]

  @Test func verifyingSaysWhatInstallingWouldSay() async throws {
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      try await folder.trust()
      let package = try await folder.package("1.0.0")
      #expect(try await folder.run(["verify", package]).status == 0)
      let others: [(changes: [(String, String)], code: String)] = [
        // The same id of a peripheral, the same rule, the same driver.
        (Self.anotherDriver + [("EX-S1", "EX-O1")], "registry_problem"),
        (Self.anotherDriver + [("910001", "910002")], "ambiguous_match"), ([], "registry_problem"),
      ]
      for (changes, code) in others {
        try other(folder, changes)
        let verified = try await folder.run(["verify", package, "--json"])
        let report = try #require(try verified.objects().first)
        #expect(verified.status == 1 && report["code"] as? String == code, "\(verified.out)")
        let installed = try await folder.run(["install", package, "--json"])
        #expect(try installed.jsonError()["code"] as? String == code, "\(installed.err)")
        #expect((report["message"] as? String)?.contains("mh-prospect") == false, "\(report)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.fragments).contains("other.json"))
      }
    }
  }

  @Test func whatItsAuthorBuildsWithDoesNotStopTheNextPackage() async throws {
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      try other(folder, [])
      _ = try await folder.package("1.0.0", isSigned: false)
    }
  }
}
