import Foundation
import TestSupport
import Testing

@Suite("Updates by command", .timeLimit(.minutes(60))) struct DriverUpdateCommandTests {
  /// A gateway with 1.0.0, and a publisher's folder with 1.1.0 that is a source of it.
  private func withSource(_ body: (PackageFolder, String) async throws -> Void) async throws {
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      try await folder.trust()
      let installed = try await folder.run(["install", try await folder.package("1.0.0")])
      try #require(installed.status == 0, "\(installed.err)")
      let served = sandbox.path("public")
      try FileManager.default.createDirectory(atPath: served, withIntermediateDirectories: true)
      try FileManager.default.moveItem(
        atPath: try await folder.package("1.1.0"), toPath: "\(served)/org.example.scale-1.1.0.mhdriver")
      let index = try await folder.run(
        ["index", served, "--key", folder.key, "--changelog", "org.example.scale@1.1.0=Reads the second user, too."])
      try #require(index.status == 0 && index.out.contains("index 1 until"), "\(index.err)")
      let added = try await folder.run(["source", "add", served])
      try #require(added.status == 0, "\(added.err)")
      try await body(folder, served)
    }
  }

  @Test("what there is is shown with what has changed, then installed, and told as an event") func installs()
    async throws
  {
    try await withSource { folder, served in
      let shown = try await folder.run(["update", "--check"])
      #expect(shown.status == 0 && shown.out.contains("org.example.scale: 1.0.0 -> 1.1.0"), "\(shown.err)")
      #expect(shown.out.contains("Reads the second user, too."))
      #expect(try folder.version() == "1.0.0")
      let done = try await folder.run(["update"])
      #expect(done.status == 0 && done.out.contains("1.0.0 -> 1.1.0, published by Example Ltd"), "\(done.err)")
      #expect(try folder.version() == "1.1.0")
      let events = try await Program.run(["events", "--json"], in: folder.sandbox, environment: folder.environment)
      #expect(events.out.contains("driver_updated"))
      let again = try await folder.run(["update"])
      #expect(again.status == 0 && again.out.contains("1.1.0 is the newest"))
      let sources = try await folder.run(["source", "list"])
      #expect(sources.out.contains("\(served)  index 1 of example"))
    }
  }

  @Test("a user who may not install fetches, and another one installs the file") func downloads() async throws {
    try await withSource { folder, _ in
      let fetched = folder.sandbox.path("fetched")
      let done = try await folder.run(["update", "--download", fetched])
      let file = "\(fetched)/org.example.scale-1.1.0.mhdriver"
      #expect(done.status == 0 && done.out.contains(file), "\(done.err)")
      #expect(try folder.version() == "1.0.0")
      #expect(try await folder.run(["update", fetched]).status == 0)
      #expect(try folder.version() == "1.1.0")
    }
  }

  @Test("a newer version takes the place of a revoked one, to which nobody goes back") func replaces() async throws {
    try await withSource { folder, served in
      let index = try await folder.run(
        ["index", served, "--key", folder.key, "--revoke", "org.example.scale@1.0.0=It loses readings."])
      #expect(index.status == 0, "\(index.err)")
      let done = try await folder.run(["update", "org.example.scale"])
      #expect(done.status == 0, "\(done.err)")
      #expect(try folder.version() == "1.1.0")
      let back = try await folder.run(["rollback", "org.example.scale"])
      #expect(back.status == 1 && back.err.contains("revoked"))
    }
  }

  @Test("what is revoked and has no newer version is disabled, with the reason") func revokes() async throws {
    try await withSource { folder, served in
      try FileManager.default.removeItem(atPath: "\(served)/org.example.scale-1.1.0.mhdriver")
      let index = try await folder.run(
        ["index", served, "--key", folder.key, "--revoke", "org.example.scale@1.0.0=It loses readings."])
      #expect(index.status == 0, "\(index.err)")
      let done = try await folder.run(["update"])
      #expect(done.status == 0 && done.err.contains("It loses readings."), "\(done.err)")
      #expect(try folder.version() == nil)
      let enabling = try await folder.run(["enable", "org.example.scale"])
      #expect(enabling.status == 1 && enabling.err.contains("revoked"))
    }
  }

  @Test(
    "what cannot be is refused with its status",
    arguments: [
      (["update", "--check", "--auto", "on"], 64), (["update", "org.example.scale", "./file.mhdriver"], 64),
      (["source", "add", "http://drivers.example"], 64), (["source", "remove", "/srv/nowhere"], 64),
      (["update", "org.example.other"], 64), (["index", "/nonexistent", "--key", "/nonexistent"], 64),
    ] as [([String], Int32)])
  func refused(arguments: [String], status: Int32) async throws {
    try await withSource { folder, _ in
      let done = try await folder.run(arguments)
      #expect(done.status == status, "\(done.err)")
    }
  }

  @Test("without a source there is nothing to look at, and --auto is a setting") func settings() async throws {
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      let none = try await folder.run(["update"])
      #expect(none.status == 64 && none.err.contains("driver source add"))
      let switched = try await folder.run(["update", "--auto", "on", "--json"])
      #expect(switched.status == 0 && switched.out.contains("\"automatic\":true"), "\(switched.err)")
    }
  }
}
