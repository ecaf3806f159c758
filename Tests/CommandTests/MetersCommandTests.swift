import Foundation
import TestSupport
import Testing

/// The meters that a gateway knows, from the command line.
@Suite(.serialized, .timeLimit(.minutes(60))) struct MetersCommandTests {
  typealias Fixture = KeyedMeterFixture

  private func meters(_ fixture: Fixture, _ arguments: String...) async throws -> Outcome {
    try await fixture.run(["meters"] + arguments + ["--json"])
  }

  @Test func aMeterIsKnownFromItsPairingToItsEnd() async throws {
    try await Fixture.with { fixture in
      #expect(try await meters(fixture, "list").out.isEmpty)
      #expect(try await fixture.run(["meters"]).err.contains("no meter is known"))
      #expect(try await fixture.pair([Fixture.passkey, Fixture.key]).status == 0)
      let paired = try #require(try await meters(fixture, "list").objects().first)
      let uuid = try #require(paired["uuid"] as? String)
      #expect((paired["paired"] as? [String: Any])?["bond"] as? String == "store")
      #expect(paired["name"] as? String == "KT-0001" && paired["peripheral"] as? Int == 10500)
      #expect(paired["last_read"] == nil && paired["last_seen"] != nil && paired["address_kind"] != nil)

      let set = try await meters(fixture, "set", uuid, "--sync-clock", "on", "--hold-off", "9", "--peripheral", "1000")
      let settings = try #require(try set.objects().first?["settings"] as? [String: Any])
      #expect(settings["sync_clock"] as? Bool == true && settings["hold_off"] as? Int == 9)
      #expect(settings["peripheral"] as? Int == 1000)
      let unset = try await meters(fixture, "set", uuid.uppercased(), "--peripheral", "none", "--sync-clock", "off")
      let left = try #require(try unset.objects().first?["settings"] as? [String: Any])
      #expect(left["sync_clock"] as? Bool == false && left["peripheral"] == nil && left["hold_off"] as? Int == 9)
      #expect(try await meters(fixture, "set", uuid, "--peripheral", "424242").errorCode() == "unknown_peripheral")

      #expect(try await fixture.read().status == 0)
      let table = try await fixture.run(["meters"])
      #expect(table.out.contains("LAST READ") && table.out.contains("KT-0001") && !table.out.contains("never"))
      #expect(try await fixture.run(["meters", "forget", uuid]).out == "KT-0001 is forgotten\n")
      #expect(try await meters(fixture, "forget", uuid).errorCode() == "unknown_meter")
      #expect(try await fixture.read().errorCode() == "not_paired")
    }
  }

  @Test func aMeterIsAssignedToTheSessionsUserAndToNobody() async throws {
    try await Fixture.with { fixture in
      #expect(try await fixture.pair([Fixture.passkey, Fixture.key]).status == 0)
      let meter = try await fixture.pairedMeter()
      let assign = ["meters", "assign", meter, "--trust-clock", "--json"]
      #expect(try await fixture.run(assign).errorCode() == "no_session")
      try await Program.startSession(in: fixture.sandbox)
      let done = try await fixture.run(assign + ["--slot", "2"])
      let owner = try #require((try done.objects().first?["assigned"] as? [[String: Any]])?.first)
      #expect(owner["user"] as? String == "u" && owner["organization"] as? String == "o")
      #expect(owner["slot"] as? Int == 2 && owner["since"] != nil)
      let whole = try await fixture.run(assign + ["--history"])
      let opened = try #require((try whole.objects().first?["assigned"] as? [[String: Any]])?.first)
      #expect(opened["since"] == nil && opened["slot"] as? Int == 2)
      let nobody = try await fixture.run(assign + ["--nobody"])
      #expect((try nobody.objects().first?["assigned"] as? [Any])?.isEmpty == true)
    }
  }

  /// A serial number that would clear the screen, turn the direction of reading, and break the line.
  private static let hostile = "KT\\u001b[2J\\u202e0001\\nroot"

  @Test func aHostileNameIsShownAndObeyedByNoTerminal() async throws {
    try await Fixture.with(change: { $0.replacing(#""text": "KT-0001""#, with: #""text": "\#(Self.hostile)""#) }) {
      fixture in
      _ = try await fixture.pair([Fixture.passkey, Fixture.key])
      let table = try await fixture.run(["meters"])
      #expect(table.status == 0 && table.lines.count == 2, "\(table.out)")
      #expect(!table.out.contains("\u{1B}") && !table.out.contains("\u{202E}") && table.out.contains("KT"))
      let shown = try await meters(fixture, "list")
      #expect(shown.lines.count == 1 && !shown.out.contains("\u{1B}"))
      let uuid = try #require(try shown.objects().first?["uuid"] as? String)
      for arguments in [["set", uuid, "--hold-off", "3"], ["forget", uuid]] {
        let done = try await fixture.run(["meters"] + arguments)
        #expect(done.status == 0 && !done.out.contains("\u{1B}"), "\(done.err)")
      }
    }
  }
}
