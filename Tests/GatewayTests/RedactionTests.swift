import Foundation
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayEngine
@testable import GatewayTools

@Suite("What a support file must not have", .timeLimit(.minutes(60))) struct RedactionTests {
  private let redaction = Redaction(known: ["Anna Muster", "ab", "", "Waage"], home: "/home/anna")

  @Test(arguments: [
    ("of ANNA MUSTER and anna muster", "of [private] and [private]"),
    ("AB is not cab, nor abc", "[private] is not cab, nor abc"),
    ("at C0:FF:EE:00:11:22.", "at [address]."), ("at c0ffee001122, c0_ff_ee_00_11_22", "at [address], [address]"),
    ("file planted_C0-FF-EE-00-11-22.mhrec", "file planted_[address].mhrec"),
    ("hash c0ffee0011223344", "hash c0ffee0011223344"),
    ("/home/anna/x and /home/bertha/y: gone", "~/x and /home/[user]/y: gone"),
    ("die Küchenwaage", "die Küchen[private]"),
  ])
  func isTakenOut(text: String, left: String) { #expect(redaction.text(text) == left) }

  @Test func aLongTextTakesNoLongTimeAndNoSecretIsCutInTwo() {
    let endless = String(repeating: "a", count: 1_000_000)
    #expect(redaction.text(endless) == " [and more]")
    #expect(redaction.logLine("2026-11-22T09:00:00Z info core: lost \(endless)").count < 5_000)
    let words = String(repeating: "word ", count: 2_000)
    let text = redaction.text(words)
    #expect(text.hasSuffix("word [and more]") && text.count <= 4_200)
  }

  @Test func whereNobodyKnowsWhatIsPrivateNoMessageIsSafe() {
    let blind = Redaction(known: nil, home: nil)
    #expect(
      blind.logLine("2026-11-22T09:00:00Z warning core: Bertha has lost it user=Bertha")
        == "2026-11-22T09:00:00Z warning core: [a message]")
    #expect(!blind.logLine(#"{"MESSAGE":"Bertha","PRIORITY":"4","METERHOST_AREA":"core"}"#).contains("Bertha"))
  }

  @Test func aStateFolderThatCannotBeLookedIntoLeavesItsWordsOut() async throws {
    try await Sandbox.with { sandbox in
      try FileManager.default.createDirectory(
        atPath: sandbox.path("state/recordings"), withIntermediateDirectories: true)
      try Data().write(to: URL(filePath: sandbox.path("state/recordings/Bertha.mhrec")))
      let locations = try GatewayFixture.locations(state: sandbox.path("state"))
      var options = SupportReport.Options()
      options.log = ["2026-11-22T09:00:00Z warning core: Bertha has lost it"]
      let findings = [
        DoctorFinding(check: "state", status: .warning, message: "the receiver Bertha refuses", cure: "ask Bertha"),
        DoctorFinding(check: "upload", status: .passed, message: "libcurl is there", cure: nil),
      ]
      func text() throws -> String {
        let report = SupportReport(locations, findings: findings, state: nil, options: options)
        return String(decoding: try report.text(), as: UTF8.self)
      }
      let blind = try text()
      #expect(!blind.contains("Bertha") && blind.contains("libcurl is there") && blind.contains("left out"))
      // Where there is no folder yet, the findings are all that helps.
      try FileManager.default.removeItem(atPath: sandbox.path("state"))
      #expect(try text().contains("the receiver Bertha refuses"))
    }
  }

  @Test(arguments: [
    ("http://proxy.example:3128", "proxy.example"), ("proxy.example:3128", "proxy.example"),
    ("https://user@receiver.example/path", "receiver.example"),
  ])
  func theMachineOfAnAddressIsKnown(address: String, host: String) {
    #expect(SupportState.names(in: address) == [address, host])
  }
}
