import Foundation
import TestSupport
import Testing

/// A terminal whose other end is the test's.
struct PseudoTerminal {
  let person: FileHandle
  let program: FileHandle

  init() throws {
    // unlockpt(3) and ptsname(3), which Foundation does not show, by ioctl_tty(2): TIOCSPTLCK and TIOCGPTN.
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var isLocked: Int32 = 0
    var number: Int32 = -1
    try #require(master >= 0 && ioctl(master, 0x4004_5431, &isLocked) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
    let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    try #require(slave >= 0)
    person = FileHandle(fileDescriptor: master, closeOnDealloc: true)
    program = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
  }

  /// What stands on the screen; the program must have ended.
  func screen() -> String {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    _ = fcntl(person.fileDescriptor, F_SETFL, O_NONBLOCK)
    while true {
      let count = read(person.fileDescriptor, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: text, as: UTF8.self) }
      text += buffer[..<count]
    }
  }

  var echoes: Bool { has(tcflag_t(ECHO)) }

  /// Whether Ctrl-C is a signal; it is none while the program reads a line.
  var signals: Bool { has(tcflag_t(ISIG)) }

  private func has(_ flag: tcflag_t) -> Bool {
    var settings = termios()
    return tcgetattr(person.fileDescriptor, &settings) == 0 && settings.c_lflag & flag != 0
  }
}

@Suite(.timeLimit(.minutes(60))) struct TerminalTests {
  private static let token = "patient-token-0123456789abcdef"
  // Nobody listens on the discard port of this machine: the session starts unvalidated.
  private static let start = [
    "session", "start", "--user", "u", "--organization", "o", "--receiver", "http://127.0.0.1:9",
  ]

  /// A file's name is somebody's text as well. Programs get it as it is, terminals do not.
  @Test(arguments: [["--json"], []]) func whatATerminalWouldObeyIsToldByNumberOrMarked(options: [String]) async throws {
    try await Sandbox.with { sandbox in
      let hostile = "/nowhere/A\u{1B}[2J\u{9B}2J\u{7F}\u{202E}\u{2066}\u{200B}\u{AD}\u{FEFF}\u{E0041}Z"
      let done = try await Program.run(
        ["receive", "--database", sandbox.path("r.sqlite"), "--accounts", hostile] + options, in: sandbox)
      #expect(done.status == 64)
      let unseen = (done.out + done.err).unicodeScalars.filter {
        [.control, .format].contains($0.properties.generalCategory) && $0 != "\n"
      }
      #expect(unseen.isEmpty, "\(done.err.debugDescription)")
      if options.isEmpty {
        #expect(done.err.contains("A\u{FFFD}[2J\u{FFFD}2J\u{FFFD}"), "\(done.err)")
      } else {
        #expect((try done.jsonError()["message"] as? String)?.contains(hostile) == true, "\(done.err)")
      }
    }
  }

  @Test func aTypedTokenIsNotShown() async throws {
    try await Sandbox.with { sandbox in
      let terminal = try PseudoTerminal()
      let program = try Program(Self.start, in: sandbox, standardInput: terminal.program)
      try await program.line(with: "token (", on: .err)
      while terminal.echoes { await Task.yield() }
      try terminal.person.write(contentsOf: Data((Self.token + "\n").utf8))
      let done = await program.outcome()
      #expect(done.status == 0, "\(done.err)")
      #expect(!(done.out + done.err + terminal.screen()).contains(Self.token))
      #expect(terminal.echoes)
    }
  }

  @Test func controlCAtThePromptEndsItAndLeavesTheTerminalAsItWas() async throws {
    try await Sandbox.with { sandbox in
      let terminal = try PseudoTerminal()
      let program = try Program(Self.start, in: sandbox, standardInput: terminal.program)
      try await program.line(with: "token (", on: .err)
      while terminal.echoes { await Task.yield() }
      try terminal.person.write(contentsOf: Data([0x61, 0x03]))
      let done = await program.outcome()
      #expect(done.status == 130 && !done.isSignalled)
      #expect(terminal.echoes)
      #expect(!FileManager.default.fileExists(atPath: sandbox.path("state")))
    }
  }

  @Test(arguments: [([:], true), (["NO_COLOR": "1"], false), (["TERM": "dumb"], false)] as [([String: String], Bool)])
  func coloursAreForTerminalsThatWantThem(environment: [String: String], isColoured: Bool) async throws {
    try await Sandbox.with { sandbox in
      let terminal = try PseudoTerminal()
      let slave = FileHandle(fileDescriptor: dup(terminal.program.fileDescriptor), closeOnDealloc: true)
      let program = try Program(
        ["driver", "verify", "org.meterhost.glucose"], in: sandbox,
        environment: ["TERM": "xterm"].merging(environment) { $1 }, output: slave)
      #expect(await program.outcome().status == 0)
      #expect(terminal.screen().contains("\u{1B}[32mpassed") == isColoured)
    }
  }
}
