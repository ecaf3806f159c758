import Foundation
import TestSupport
import Testing

/// `meterhost backup` and `restore`, as a person runs them.
@Suite("Backing up and restoring", .timeLimit(.minutes(60))) struct BackupCommandTests {
  static let passphrase = "lamp orbit quiet seven maple"

  static func backup(_ sandbox: Sandbox, _ options: [String] = [], file: String = "g.mhbackup") async throws -> Outcome
  {
    try await Program.run(
      ["backup", sandbox.path(file), "--json"] + options, in: sandbox, input: Array(passphrase.utf8))
  }

  static func verify(_ sandbox: Sandbox, file: String = "g.mhbackup", passphrase: String = passphrase) async throws
    -> Outcome
  {
    try await Program.run(
      ["backup", "verify", sandbox.path(file), "--json"], in: sandbox, input: Array(passphrase.utf8))
  }

  static func restore(_ sandbox: Sandbox, to state: String, _ options: [String] = []) async throws -> Outcome {
    try await Program.run(
      ["restore", sandbox.path("g.mhbackup"), "--state", sandbox.path(state), "--json"] + options, in: sandbox,
      input: Array(passphrase.utf8))
  }

  /// Puts readings into the queue of a session whose receiver is out of reach.
  static func submit(_ count: Int, in sandbox: Sandbox) async throws {
    for number in 0..<count {
      let done = try await Program.run(
        ["submit", "--type", "diabetes", "--value", "blood_glucose=\(5 + number).2 mmol/L", "--no-upload", "--json"],
        in: sandbox)
      try #require(done.status == 0, "\(done.err)")
    }
  }

  static func waiting(_ sandbox: Sandbox, _ state: String = "state") async throws -> Set<String> {
    let listed = try await Program.run(
      ["queue", "list", "--limit", "1000", "--json", "--state", sandbox.path(state)], in: sandbox)
    try #require(listed.status == 0, "\(listed.err)")
    return Set(try listed.objects().compactMap { $0["log_id"] as? String })
  }

  @Test("beside a running host: the backup is whole, is noted, and a new machine has what waited")
  func besideAHost() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      try await Self.submit(3, in: sandbox)
      let service = try Program(["run", "--json"], in: sandbox)
      try await service.line(with: #""event":"running""#)
      let made = try await Self.backup(sandbox)
      try #require(made.status == 0, "\(made.err)")
      let shown = try await Program.run(["backup", "show", "--json"], in: sandbox)
      #expect(try shown.objects().first?["last"] as? String == made.objects().first?["made"] as? String)
      #expect(!FileManager.default.fileExists(atPath: sandbox.path("state/snapshot")))
      let verified = try await Self.verify(sandbox)
      #expect(try verified.status == 0 && verified.objects().first?["records"] as? Int == 3, "\(verified.err)")
      service.interrupt()
      #expect(await service.outcome().status == 0)

      let restored = try await Self.restore(sandbox, to: "new")
      try #require(restored.status == 0, "\(restored.err)")
      let described = try #require(try restored.objects().first)
      #expect(described["with_key"] as? Bool == false && described["same_machine"] as? Bool == false)
      #expect(try described["gateway"] as? String != made.objects().first?["gateway"] as? String)
      #expect(try await Self.waiting(sandbox, "new") == Self.waiting(sandbox))
      let doctor = try await Program.run(["doctor", "--json", "--state", sandbox.path("new")], in: sandbox)
      let finding = try doctor.objects().first { $0["check"] as? String == "backup" }
      #expect((finding?["message"] as? String)?.contains("was restored") == true, "\(doctor.out)")
      #expect((finding?["cure"] as? String)?.contains("switch its host off") == true)
    }
  }

  @Test("an older state beside a receiver: nothing is there twice, and nothing is missing")
  func olderState() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, started) = try await Program.startReceiver(in: sandbox)
      try #require(started.status == 0, "\(started.err)")
      let script = try Installation.shared().meters.appending(path: "contour-next-one.json").path
      let meter = try Program(["meter", "run", script], in: sandbox)
      try await meter.line(with: "advertising")
      let before = try await Self.backup(sandbox, ["--with-key"])
      try #require(before.status == 0, "\(before.err)")
      let read = ["read", "1000", "--history", "--json"]
      let first = try await Program.run(read, in: sandbox)
      try #require(first.status == 0, "\(first.err)")
      let stored = try Self.stored(sandbox)
      #expect(stored.count == 2 && Set(stored).count == 2)

      // The disk is lost; what was read and delivered behind the backup is not in it.
      let restored = try await Self.restore(sandbox, to: "new")
      #expect(try restored.objects().first?["with_key"] as? Bool == true, "\(restored.err)")
      let again = try await Program.run(read + ["--state", sandbox.path("new")], in: sandbox)
      try #require(again.status == 0, "\(again.err)")
      let delivery = try #require(try again.objects().last { $0["event"] as? String == "delivery" })
      #expect(delivery["waiting"] as? Int == 0 && delivery["dead"] as? Int == 0)
      #expect(try Self.stored(sandbox).sorted() == stored.sorted())
      meter.interrupt()
      receiver.interrupt()
      _ = await (meter.outcome(), receiver.outcome())
    }
  }

  /// The log_ids that the receiver has, each as often as it is there.
  private static func stored(_ sandbox: Sandbox) throws -> [String] {
    let script =
      "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); "
      + "print('\\n'.join(row[0] for row in db.execute('SELECT log_id FROM record')))"
    let done = try ChildProcess.run(tool: "python3", ["-c", script, sandbox.path("r.sqlite")])
    try #require(done.status == 0, "\(done.err)")
    return done.lines.filter { !$0.isEmpty }
  }

  @Test(
    "several at once, to one file or to several: the files that are there are whole, and who has to wait is told so",
    arguments: [true, false], [true, false])
  func atOnce(isOneFile: Bool, hasHost: Bool) async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      try await Self.submit(2, in: sandbox)
      let service = try hasHost ? Program(["run", "--json"], in: sandbox) : nil
      try await service?.line(with: #""event":"running""#)
      let files = (0..<4).map { isOneFile ? "g.mhbackup" : "g\($0).mhbackup" }
      let programs = try files.map { file in
        try Program(["backup", sandbox.path(file), "--json"], in: sandbox, input: Array(Self.passphrase.utf8))
      }
      var whole: Set<String> = []
      for (file, program) in zip(files, programs) {
        let done = await program.outcome()
        if done.status == 0 {
          whole.insert(file)
        } else {
          let code = try done.jsonError()["code"] as? String
          #expect(done.status == 75 && ["backup_running", "busy"].contains(code), "\(done.status) \(done.err)")
        }
      }
      #expect(!whole.isEmpty)
      for file in whole {
        let verified = try await Self.verify(sandbox, file: file)
        #expect(
          try verified.status == 0 && verified.objects().first?["records"] as? Int == 2, "\(file) \(verified.err)")
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: sandbox.root.path).filter {
        $0.contains(".mhbackup")
      }
      #expect(Set(left) == whole)
      service?.interrupt()
      if let service { #expect(await service.outcome().status == 0) }
      #expect(!FileManager.default.fileExists(atPath: sandbox.path("state/snapshot")))
    }
  }

  @Test("what is refused changes nothing") func refusals() async throws {
    try await Sandbox.with { sandbox in
      #expect(try await Self.backup(sandbox).jsonError()["code"] as? String == "backup_state")
      try await Program.startSession(in: sandbox)
      #expect(try await Self.backup(sandbox).status == 0)
      let wrong = try await Self.verify(sandbox, passphrase: "another one, and long")
      #expect(try wrong.status == 1 && wrong.jsonError()["code"] as? String == "backup_passphrase")
      let short = try await Program.run(["backup", "x.mhbackup", "--json"], in: sandbox, input: Array("short".utf8))
      #expect(try short.status == 64 && short.jsonError()["code"] as? String == "backup_passphrase")
      let inside = try await Self.backup(sandbox, file: "state/g.mhbackup")
      #expect(try inside.jsonError()["code"] as? String == "backup_target")
      let thesis = try sandbox.file("thesis.txt", "mine")
      #expect(try await Self.backup(sandbox, file: "thesis.txt").jsonError()["code"] as? String == "backup_target")
      #expect(try String(contentsOfFile: thesis, encoding: .utf8) == "mine")
      #expect(try await Self.restore(sandbox, to: "state").jsonError()["code"] as? String == "folder")
      let another = try await Program.run(
        ["backup", "verify", thesis, "--json"], in: sandbox, input: Array(Self.passphrase.utf8))
      #expect(try another.jsonError()["code"] as? String == "backup_file")
      let said = [wrong, short, inside, another].map { $0.out + $0.err }.joined()
      #expect(!said.contains(Self.passphrase) && !said.contains("another one, and long"))
    }
  }

  private static let canMount =
    (try? ChildProcess.run(
      URL(filePath: "/usr/bin/unshare"),
      ["--mount", "--", "/bin/sh", "-c", "mount -t tmpfs tmpfs /mnt && echo mounted"]))?
    .lines == ["mounted"]

  @Test("a full disk leaves the earlier backup and no half one", .enabled(if: canMount, "this user may not mount"))
  func fullDisk() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let program = try Installation.shared().program.path
      let script = """
        mkdir disk && mount -t tmpfs -o size=2m,mode=700 tmpfs disk
        echo '\(Self.passphrase)' > passphrase
        '\(program)' backup disk/g.mhbackup --passphrase-file passphrase --json > /dev/null && sha256sum < disk/g.mhbackup
        dd if=/dev/zero of=disk/filler bs=4k 2> /dev/null
        '\(program)' backup disk/g.mhbackup --passphrase-file passphrase --json 2>&1 | grep -o disk_full
        sha256sum < disk/g.mhbackup
        ls disk
        '\(program)' restore disk/g.mhbackup --passphrase-file passphrase --state disk/new --json 2>&1 | grep -o disk_full
        ls disk
        """
      let environment = try Program.environment(of: sandbox)
      let root = sandbox.root
      let done = try await onOwnThread {
        try ChildProcess.run(
          URL(filePath: "/usr/bin/unshare"), ["--mount", "--", "/bin/sh", "-c", script], environment: environment,
          folder: root)
      }
      let lines = done.lines.filter { !$0.isEmpty }
      try #require(lines.count == 8, "\(done.out)\(done.err)")
      #expect(lines[0] == lines[2] && lines[1] == "disk_full" && lines[5] == "disk_full", "\(lines)")
      #expect(Array(lines[3...4]) == ["filler", "g.mhbackup"] && Array(lines[6...7]) == ["filler", "g.mhbackup"])
    }
  }

  @Test("the commands of the guide are true as they stand") func guide() async throws {
    let page = CompiledBundle.root.appending(path: "docs/back-up-a-gateway.md")
    let steps = GuideStep.all(in: try String(contentsOf: page, encoding: .utf8))
    try #require(steps.count == 3)
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      try await Self.submit(1, in: sandbox)
      let service = try Program(["run", "--json"], in: sandbox)
      try await service.line(with: #""event":"running""#)
      let programs = try Installation.shared().program.deletingLastPathComponent().path
      let environment = try Program.environment(of: sandbox).merging(["PATH": "\(programs):/usr/bin:/bin"]) { $1 }
      let root = sandbox.root
      for step in steps {
        let done = try await onOwnThread {
          try ChildProcess.run(
            URL(filePath: "/bin/sh"), ["-euc", step.commands], environment: environment, folder: root)
        }
        let said = done.out + done.err
        #expect(done.status == 0, "\(step.commands)\n\(said)")
        for answer in step.answers { #expect(said.contains(answer), "\(step.commands)\n\(said)") }
      }
      service.interrupt()
      #expect(await service.outcome().status == 0)
    }
  }
}
