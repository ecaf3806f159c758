import GatewayAPI
import GatewayEngine
import GatewayTools
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct AssetCommandTests {
  @Test func anInstalledDriverDecodesWithTheFileThatCameAlong() async throws {
    try await Sandbox.with { sandbox in
      let packages = try await PackageFolder(in: sandbox)
      let scale = try ScaleFolder(sandbox.root.appending(path: "scale"))
      try scale.change(
        "\"library\":", "\"assets\": [{ \"name\": \"table\", \"file\": \"assets/pictures/scale.png\" }], \"library\":")
      let bundle = try CompiledBundle.make(
        ["asset.c"], defines: ["ID=\"\(ScaleFolder.id)\"", "VERSION=\"1.0.0\""])
      try Data(contentsOf: bundle).write(to: scale.library)
      let file = sandbox.path("scale.mhdriver")
      for command in [
        ["pack", scale.url.path, "--output", file], ["sign", file, "--key", packages.key],
        [
          "trust", "add", "example", "--name", "E", "--key", try await packages.publicKey(), "--drivers",
          "org.example.",
        ],
        ["install", file],
      ] {
        let outcome = try await packages.run(command)
        try #require(outcome.status == 0, "\(command.joined(separator: " ")): \(outcome.err)")
      }
      let line =
        #"{"id":"a","peripheral":\#(ScaleFolder.peripheral),"characteristic":"2A9D","hex":"0000"}"#
      let answer = try #require(try await packages.gateway().decoder.decode(lines: [Array(line.utf8)]).first)
      #expect(answer.error == nil, "\(answer.error?.message ?? "")")
      #expect(answer.records.first?.values.first?.value == 13.7)
    }
  }
}
