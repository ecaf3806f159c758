import Foundation
import TestSupport
import Testing

@Suite("A receiver as a program of its own", .timeLimit(.minutes(60))) struct ReceiverServeTests {
  @Test("speaks TLS: whoever trusts its certificate is answered, over one connection as often as they ask")
  func encrypted() async throws {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      let tokens = try await program.makeUser()
      let files = try await program.certificate()
      let (receiver, url) = try await program.serve([
        "--host", "0.0.0.0", "--tls-certificate", files.certificate, "--tls-key", files.key,
      ])
      #expect(url.hasPrefix("https://0.0.0.0:"))
      let place = url.replacingOccurrences(of: "0.0.0.0", with: "localhost")
      let sent = try await program.curl(
        "--cacert", files.certificate, "--header", "Authorization: Bearer \(tokens.user)", "--header",
        "Content-Type: application/json", "--data", SentMeasurement.json(1),
        "\(place)/connect/provider/data/measurements",
        "--next", "--cacert", files.certificate, "--silent", "--show-error", "--write-out",
        " %{num_connects} %{http_code}",
        "\(place)/healthz")
      #expect(sent.status == 0 && sent.out.contains("created"), "\(sent)")
      #expect(sent.out.hasSuffix(" 0 200"), "the second request came over the same connection: \(sent.out)")
      let long = try sandbox.file("long", String(repeating: "x", count: 2 << 20))
      let refused = try await program.curl(
        "--cacert", files.certificate, "--header", "Authorization: Bearer \(tokens.user)", "--header",
        "Content-Type: application/json", "--data-binary", "@\(long)", "--output", sandbox.path("answer"),
        "--write-out",
        "%{http_code}", "\(place)/connect/provider/data/measurements")
      #expect(refused.out == "413", "an answer before the end of a body arrives in TLS, too: \(refused)")
      let stranger = try await program.curl("\(place)/healthz")
      #expect(stranger.status == 60, "curl(1): the certificate is nobody's: \(stranger)")
      let plain = try await program.curl(
        "--http0.9", place.replacingOccurrences(of: "https", with: "http") + "/healthz")
      #expect(!plain.out.contains("ok"), "\(plain)")
      let after = try await program.curl("--cacert", files.certificate, "\(place)/healthz")
      #expect(after.out.contains("ok"), "\(after)")
      receiver.interrupt()
      #expect(await receiver.outcome().status == 0)
    }
  }

  /// The name in the certificate that a receiver shows.
  private func shownName(_ url: String) async throws -> String {
    let place = url.replacingOccurrences(of: "https://", with: "")
    return try await onOwnThread {
      try ChildProcess.run(
        URL(filePath: "/bin/sh"),
        ["-c", "openssl s_client -connect \(place) </dev/null 2>/dev/null | openssl x509 -noout -subject"]
      ).out
    }
  }

  @Test("takes another certificate at SIGHUP, and keeps the one of before where the new one is of no use")
  func anotherCertificate() async throws {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      let files = try await program.certificate("first")
      let second = try await program.certificate("second", days: 60)
      let (receiver, url) = try await program.serve(
        ["--tls-certificate", files.certificate, "--tls-key", files.key], environment: ["METERHOST_LOG": "notice"])
      #expect(try await shownName(url).contains("first"))
      let pid = try #require(receiver.pid)
      // A certificate without its key: half of a renewal.
      try replace(files.certificate, with: second.certificate)
      #expect(Glibc.kill(pid, SIGHUP) == 0)
      try await receiver.line(with: "the certificate of before goes on", on: .err)
      #expect(try await shownName(url).contains("first"))
      try replace(files.key, with: second.key)
      #expect(Glibc.kill(pid, SIGHUP) == 0)
      try await receiver.line(with: "until=\(try await lastDay(of: second.certificate))", on: .err)
      #expect(try await shownName(url).contains("second"))
      receiver.interrupt()
      #expect(await receiver.outcome().status == 0)
    }
  }

  /// The day on which a certificate ends, as the log has it.
  private func lastDay(of certificate: String) async throws -> String {
    let told = try await onOwnThread {
      try ChildProcess.run(
        tool: "openssl", ["x509", "-in", certificate, "-noout", "-enddate", "-dateopt", "iso_8601"])
    }
    return String(told.out.dropFirst("notAfter=".count).prefix(10))
  }

  private func replace(_ file: String, with other: String) throws {
    try Data(contentsOf: URL(filePath: other)).write(to: URL(filePath: file), options: .atomic)
  }

  @Test("does not begin with files that are no certificate, no key, or not of each other") func badFiles() async throws
  {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      let (files, other) = (try await program.certificate(), try await program.certificate("other"))
      let nothing = try sandbox.file("nothing", "")
      let refused: [(certificate: String?, key: String?, code: String)] = [
        (nothing, files.key, "tls_certificate"), ("/nowhere", files.key, "tls_certificate"),
        (files.certificate, nothing, "tls_key"), (files.certificate, other.key, "tls"), (files.certificate, nil, "tls"),
        (nil, files.key, "tls"),
      ]
      for (certificate, key, code) in refused {
        let options =
          (certificate.map { ["--tls-certificate", $0] } ?? []) + (key.map { ["--tls-key", $0] } ?? []) + ["--json"]
        let done = try await program.run(["serve", "--database", program.database, "--port", "0"] + options)
        #expect(done.status == 64 && done.out.isEmpty, "\(options) \(done)")
        #expect(try done.jsonError()["code"] as? String == code, "\(options) \(done.err)")
      }
    }
  }

  @Test(
    "listens beyond this machine with TLS or behind a proxy only",
    arguments: ["0.0.0.0", "::", "192.0.2.1", "127.0.0.1.example", "127.0.0.256", "receiver.example"])
  func plainAddresses(host: String) async throws {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      for environment in [[:], ["METERHOST_RECEIVER_HOST": host]] {
        let named = environment.isEmpty ? ["--host", host] : []
        let done = try await program.run(
          ["serve", "--database", program.database, "--port", "0", "--json"] + named, environment: environment)
        #expect(done.status == 64)
        #expect(try done.jsonError()["code"] as? String == "plain_http", "\(done.err)")
        #expect(!FileManager.default.fileExists(atPath: program.database))
      }
    }
  }

  @Test("takes plain HTTP from a proxy that is in front") func behindProxy() async throws {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      for (options, environment) in [
        (["--behind-proxy"], [:]), ([], ["METERHOST_RECEIVER_BEHIND_PROXY": "yes"]),
      ] as [([String], [String: String])] {
        let (receiver, url) = try await program.serve(["--host", "0.0.0.0"] + options, environment: environment)
        #expect(url.hasPrefix("http://0.0.0.0:"))
        receiver.interrupt()
        #expect(await receiver.outcome().status == 0)
      }
    }
  }

  @Test("obeys the variables of its options, and refuses what they cannot mean") func variables() async throws {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      let accounts = try sandbox.file("accounts", "clinic:anna:token-of-this-user-1\n")
      let receiver = try program.start(
        ["serve", "--json"],
        environment: [
          "METERHOST_RECEIVER_DATABASE": program.database, "METERHOST_RECEIVER_SOCKET": sandbox.path("s"),
          "METERHOST_RECEIVER_ACCOUNTS": accounts, "METERHOST_RECEIVER_CONNECTIONS": "7",
        ])
      let said = try await receiver.line(with: "listening")
      #expect(try (Outcome.object(said)["url"] as? String)?.hasPrefix("http+unix://") == true)
      let answer = try await program.curl("--unix-socket", sandbox.path("s"), "http://receiver/healthz")
      #expect(answer.out.contains("ok"), "\(answer)")
      receiver.interrupt()
      _ = await receiver.outcome()
      #expect(try await program.run("user", "list", "--json").objects().first?["uid"] as? String == "anna")
      for (name, value, code) in [
        ("PORT", "https", "environment"), ("BEHIND_PROXY", "perhaps", "environment"),
        ("PORT", "99999", "invalid_configuration"),
        ("CONNECTIONS", "0", "invalid_configuration"), ("ACCOUNTS", "/nowhere", "accounts"),
      ] {
        let done = try await program.run(
          ["serve", "--database", program.database, "--json"], environment: ["METERHOST_RECEIVER_\(name)": value])
        #expect(done.status == 64, "\(name)=\(value) \(done)")
        #expect(try done.jsonError()["code"] as? String == code, "\(name)=\(value) \(done.err)")
      }
    }
  }

  @Test("tells its supervisor when it listens, and when it ends") func notifies() async throws {
    try await Sandbox.with { sandbox in
      let program = ReceiverProgram(sandbox)
      let path = sandbox.path("notify")
      let listener = try Program(
        ["-u", "-c", Self.supervisor, path], in: sandbox, program: URL(filePath: "/usr/bin/python3"))
      try await listener.line(with: "bound")
      let (receiver, url) = try await program.serve(environment: ["NOTIFY_SOCKET": path])
      try await listener.line(with: "READY=1|STATUS=listening on \(url)")
      // Without a certificate there is nothing to reload, and a service is not ended by being told to.
      #expect(Glibc.kill(try #require(receiver.pid), SIGHUP) == 0)
      let answer = try await program.curl("\(url)/healthz")
      #expect(answer.out.contains("ok"), "\(answer)")
      receiver.interrupt()
      #expect(await receiver.outcome().status == 0)
      try await listener.line(with: "STOPPING=1")
      listener.kill()
      _ = await listener.outcome()
    }
  }

  private static let supervisor = """
    import socket, sys
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.bind(sys.argv[1])
    print("bound")
    while True:
        print(s.recv(4096).decode().replace("\\n", "|"))
    """

  @Test("`meterhost receive` says so where the program is not installed") func absent() async throws {
    let installation = try Installation()
    defer { installation.remove() }
    try FileManager.default.removeItem(at: installation.receiver)
    try await Sandbox.with { sandbox in
      let done = await
        (try Program(
          ["receive", "--database", sandbox.path("r.sqlite"), "--json"], in: sandbox, program: installation.program))
        .outcome()
      #expect(done.status == 69)
      let error = try done.jsonError()
      #expect(error["code"] as? String == "no_receiver_program" && error["hint"] != nil, "\(done.err)")
    }
  }
}
