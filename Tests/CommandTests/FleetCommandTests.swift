import Foundation
import TestSupport
import Testing

@Suite("A fleet, by command", .timeLimit(.minutes(60))) struct FleetCommandTests {
  private func mode(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? -1
  }

  @Test("keys are made, their seeds are in private files alone, and the server's files follow the list") func lives()
    async throws
  {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      _ = try await program.makeUser()
      let folder = sandbox.root.path
      let receiver = try await program.run("fleet", "add", "--receiver", "main", "--folder", folder, "--json")
      #expect(receiver.status == 0, "\(receiver.err)")
      let gateways = try await program.run(
        "fleet", "add", "--organization", "clinic", "gw1", "gw2", "--folder", folder, "--json")
      let made = try receiver.objects() + gateways.objects()
      #expect(made.map { $0["name"] as? String } == ["main", "gw1", "gw2"])
      #expect(made.map { $0["role"] as? String } == ["receiver", "gateway", "gateway"])
      for each in made {
        let path = try #require(each["seed_file"] as? String)
        #expect(try mode(path) == 0o600)
        let seed = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
        let key = try #require(each["public_key"] as? String)
        #expect(seed.hasPrefix("SU") && seed.utf8.count == 58 && key.hasPrefix("U") && key.utf8.count == 56)
        #expect(!(receiver.out + gateways.out).contains(seed))
      }
      let listed = try await program.run("fleet", "list", "--json").objects()
      #expect(listed.map { $0["public_key"] as? String } == made.map { $0["public_key"] as? String })
      #expect(try await program.run("fleet", "list", "--organization", "clinic").out.contains("gw2"))

      let config = try await program.run("fleet", "config", folder, "--json").objects().first
      #expect(config?["gateways"] as? Int == 2 && config?["server_file_made"] as? Bool == true)
      let users = try String(contentsOfFile: sandbox.path("users.conf"), encoding: .utf8)
      for each in made { #expect(users.contains(try #require(each["public_key"] as? String))) }
      let server = sandbox.path("nats-server.conf")
      try "mine".write(toFile: server, atomically: true, encoding: .utf8)
      #expect(try await program.run("fleet", "remove", "--organization", "clinic", "gw1", "--json").status == 0)
      let again = try await program.run("fleet", "config", folder, "--json").objects().first
      #expect(again?["gateways"] as? Int == 1 && again?["server_file_made"] as? Bool == false)
      #expect(try String(contentsOfFile: server, encoding: .utf8) == "mine", "the operator's file is left alone")
      #expect(try !String(contentsOfFile: sandbox.path("users.conf"), encoding: .utf8).contains("mh.clinic.gw1."))
      #expect(try await program.run("fleet", "refused", "--json").lines.isEmpty)
    }
  }

  static let failures: [(arguments: [String], status: Int32, code: String)] = [
    (["fleet", "add", "gw9"], 64, "usage"),
    (["fleet", "add", "--receiver", "--organization", "clinic", "gw9"], 64, "usage"),
    (["fleet", "add", "--organization", "clinic", "a.b"], 64, "fleet_name"),
    (["fleet", "add", "--organization", "clinic", "gw9", "gw9"], 64, "fleet_name"),
    (["fleet", "add", "--organization", "nowhere", "gw9"], 1, "not_found"),
    (["fleet", "add", "--organization", "clinic", "gw1", "--folder", "."], 1, "seed_file"),
    (["fleet", "add", "--organization", "clinic", "gw9", "--folder", "nowhere"], 1, "seed_file"),
    (["fleet", "remove", "--organization", "clinic", "gw9"], 1, "not_found"),
    (["fleet", "remove", "--receiver", "gw1"], 1, "not_found"),
    (["fleet", "config", "nowhere"], 1, "config_file"),
    (["fleet", "list", "--organization", "nowhere"], 1, "not_found"),
    (["fleet", "provision"], 64, "usage"),
    (["fleet", "provision", "--from", "nats://nats.example"], 64, "nats_address"),
    (["fleet", "provision", "--from", "nats://127.0.0.1:1", "--seed-file", "nowhere"], 64, "nats_key"),
    (["fleet", "provision", "--from", "nats://127.0.0.1:1", "--seed-file", "gw1.seed"], 64, "not_a_receiver"),
    (["fleet", "provision", "--from", "nats://127.0.0.1:1", "--seed-file", "main.seed"], 69, "nats_unreachable"),
    (["fleet", "provision", "--from", "nats://127.0.0.1:1", "--server-user", "no such user"], 64, "server_user"),
    (["serve", "--from", "nats://127.0.0.1:1", "--batch", "0"], 64, "batch"),
    (["serve", "--from", "https://nats.example"], 64, "nats_address"),
  ]

  @Test("what cannot be has a status, a code and a message, and leaves nothing behind") func refusals() async throws {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      _ = try await program.makeUser()
      let root = sandbox.root.path
      _ = try await program.run("fleet", "add", "--receiver", "main", "--folder", root)
      _ = try await program.run("fleet", "add", "--organization", "clinic", "gw1", "--folder", root)
      for (arguments, status, code) in Self.failures {
        // Files are named as a person in the sandbox's folder would.
        let whole = arguments.map { word in
          ["nowhere", ".", "gw1.seed", "main.seed"].contains(word) && arguments.contains("--folder")
            || word.hasSuffix(".seed") || arguments == ["fleet", "config", word] ? sandbox.path(word) : word
        }
        let done = try await program.run(whole + ["--database", program.database, "--json"])
        #expect(done.status == status && done.out.isEmpty, "\(arguments) \(done)")
        #expect(try done.jsonError()["code"] as? String == code, "\(arguments) \(done.err)")
      }
      #expect(try await program.run("fleet", "list", "--json").objects().count == 2)
      let files = try FileManager.default.contentsOfDirectory(atPath: root).filter { $0.hasSuffix(".seed") }
      #expect(Set(files) == ["main.seed", "gw1.seed"])
    }
  }

  @Test("takes readings without speaking HTTP, and both where somebody says so") func serving() async throws {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      _ = try await program.makeUser()
      let from = ["--from", "nats://127.0.0.1:1", "--json"]
      let alone = try program.start(["serve", "--database", program.database] + from)
      #expect(try await alone.line(with: "taking").contains("nats://127.0.0.1:1"))
      try await alone.line(with: "nats_unreachable", on: .err)
      alone.interrupt()
      #expect(await alone.outcome().status == 0)
      let (both, url) = try await program.serve(["--from", "nats://127.0.0.1:1"])
      #expect(try await program.curl("\(url)/healthz").out.contains("ok"))
      both.interrupt()
      #expect(await both.outcome().status == 0)
    }
  }

  @Test("`meterhost fleet` is that program's") func forwards() async throws {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      _ = try await program.makeUser()
      let done = try await Program.run(["fleet", "list", "--database", program.database], in: sandbox)
      #expect(done.status == 0 && done.err.contains("the fleet is empty"), "\(done)")
    }
  }
}
