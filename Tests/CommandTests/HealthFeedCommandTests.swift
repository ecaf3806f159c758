import Foundation
import TestSupport
import Testing

@Suite("Commands for exports that come by themselves", .timeLimit(.minutes(60))) struct HealthFeedCommandTests {
  private func run(_ words: String..., in sandbox: Sandbox) async throws -> Outcome {
    try await Program.run(["health"] + words, in: sandbox)
  }

  @Test(
    "need a session for what belongs to its user",
    arguments: [
      ["watch", "add", "/tmp"], ["watch", "remove", "/tmp"], ["ingest", "token", "new", "phone"],
      ["ingest", "token", "revoke", "phone"], ["fetch-latest"],
    ])
  func noSession(words: [String]) async throws {
    let done = try await Sandbox.with { try await Program.run(["health"] + words + ["--json"], in: $0) }
    #expect(done.status == 1 && done.out.isEmpty)
    #expect(try done.jsonError()["code"] as? String == "no_session")
  }

  @Test("watch a folder, show it, and leave it alone") func watch() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      #expect(try await run("watch", in: sandbox).err.contains("no folder is watched"))
      try FileManager.default.createDirectory(atPath: sandbox.path("exports"), withIntermediateDirectories: false)
      let added = try await run("watch", "add", "exports", in: sandbox)
      #expect(added.status == 0 && added.out.contains("/exports  0 imported"), "\(added)")
      let listed = try await run("watch", "list", "--json", in: sandbox)
      let folder = try #require(try listed.objects().first)
      #expect((folder["folder"] as? String)?.hasSuffix("/exports") == true && folder["running"] as? Bool == false)
      let fetched = try await run("fetch-latest", "--json", in: sandbox)
      #expect(try fetched.objects().map { $0["state"] as? String } == ["nothing"] && fetched.status == 0)
      let wrong = try await run("watch", "add", "nowhere", "--json", in: sandbox)
      #expect(try wrong.status == 64 && wrong.jsonError()["code"] as? String == "watch_folder")
      #expect(try await run("watch", "remove", "exports", in: sandbox).status == 0)
      let gone = try await run("watch", "remove", "exports", "--json", in: sandbox)
      #expect(try gone.status == 64 && gone.jsonError()["code"] as? String == "unknown_folder")
    }
  }

  @Test("show a token once, and never again") func tokens() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let made = try await run("ingest", "token", "new", "phone", in: sandbox)
      let token = try #require(made.lines.first)
      #expect(made.status == 0 && made.lines.count == 1 && token.utf8.count == 43)
      let again = try await run("ingest", "token", "new", "phone", "--json", in: sandbox)
      #expect(try again.status == 64 && again.jsonError()["code"] as? String == "source_exists")
      let wrong = try await run("ingest", "token", "new", "my phone", "--json", in: sandbox)
      #expect(try wrong.status == 64 && wrong.jsonError()["code"] as? String == "source_name")
      for words in [["token", "list"], ["token", "list", "--json"], ["show", "--json"]] {
        let shown = try await Program.run(["health", "ingest"] + words, in: sandbox)
        #expect(shown.status == 0 && !(shown.out + shown.err).contains(token))
      }
      // Nor is it on the disk.
      let files = FileManager.default.enumerator(atPath: sandbox.path("state"))
      while let file = files?.nextObject() as? String {
        let content = FileManager.default.contents(atPath: sandbox.path("state/\(file)")) ?? Data()
        #expect(content.range(of: Data(token.utf8)) == nil, "\(file)")
      }
      #expect(try await run("ingest", "token", "revoke", "phone", in: sandbox).status == 0)
      let gone = try await run("ingest", "token", "revoke", "phone", "--json", in: sandbox)
      #expect(try gone.status == 64 && gone.jsonError()["code"] as? String == "unknown_source")
    }
  }

  @Test("say where to listen, without a session, and warn beyond this machine") func listen() async throws {
    try await Sandbox.with { sandbox in
      let local = try await run("ingest", "listen", "127.0.0.1:8099", "--json", in: sandbox)
      #expect(try local.objects().first?["address"] as? String == "127.0.0.1:8099" && local.err.isEmpty)
      let open = try await run("ingest", "listen", "0.0.0.0:8099", in: sandbox)
      #expect(open.status == 0 && open.err.contains("plain HTTP"))
      for address in ["8.8.8.8:80", "phone.example:80", "8099", "on"] {
        let wrong = try await run("ingest", "listen", address, "--json", in: sandbox)
        #expect(try wrong.status == 64 && wrong.jsonError()["code"] as? String == "ingest_address")
      }
      let shown = try await run("ingest", "show", "--json", in: sandbox)
      #expect(try shown.objects().first?["address"] as? String == "0.0.0.0:8099")
      #expect(try await run("ingest", "listen", "off", in: sandbox).out.contains("address  off"))
    }
  }
}
