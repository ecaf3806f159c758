import Foundation
import MeterDrivers
import TestSupport
import Testing

/// Rules R7, R16, R24: whatever a driver does, the host lives, names the driver and the rule, and goes on.
@Suite("A driver that misbehaves", .timeLimit(.minutes(60))) struct MisbehavingDriverTests {
  /// How it ends, in the words of a fault; nil: it is got over.
  struct Expectation: CustomTestStringConvertible {
    let offence: String
    var code: DriverFault.Code
    var rule: String?
    var words = ""
    var testDescription: String { offence }
  }

  private static func crash(_ offence: String, _ words: String) -> Expectation {
    Expectation(offence: offence, code: .crashed, rule: "R24", words: words)
  }

  static let crashes = [
    crash("segment", "SIGSEGV"), crash("divide", "SIGFPE"), crash("abort", "SIGABRT"), crash("trap", "SIGILL"),
    crash("exit", "exit status 0"), crash("_exit", "exit status 3"), crash("recurse", "SIGSEGV"),
    crash("overrun", "SIGSEGV"), crash("allocate", "SIGSEGV"), crash("sparse", "SIGSEGV"), crash("jump", "SIGSEGV"),
  ]
  static let hangs = ["spin", "spin-unwatched", "sleep", "poll", "deadlock"].map {
    Expectation(offence: $0, code: .hung, rule: "R16")
  }
  static let lies: [Expectation] =
    [
      "nan", "infinity", "other-value", "unknown-kind", "unknown-flag", "too-many-values", "identity-outside",
      "text-outside", "invalid-utf8",
    ].map { Expectation(offence: $0, code: .brokeRule, rule: "R12") } + [
      Expectation(offence: "counts", code: .brokeRule, rule: "R13"),
      Expectation(offence: "unknown-status", code: .brokeRule, rule: "R10"),
      Expectation(offence: "long-value", code: .brokeRule, rule: "R11"),
      Expectation(offence: "actions", code: .brokeRule, rule: "R11"),
      Expectation(offence: "records", code: .brokeRule, rule: "R16"),
      crash("dangling-text", "SIGSEGV"),
      Expectation(offence: "dangling-sink", code: .brokeRule, rule: "R12"),
      Expectation(offence: "forge", code: .brokeProtocol),
      Expectation(offence: "forge-fault", code: .brokeProtocol),
      Expectation(offence: "other-version", code: .brokeProtocol),
      Expectation(offence: "other-contract", code: .brokeProtocol),
      Expectation(offence: "endless-frame", code: .brokeProtocol),
      Expectation(offence: "out-of-turn", code: .brokeProtocol),
      crash("exit-as-stranger", "exit status 76"), crash("exit-unconfined", "exit status 71"),
      crash("cut-short", "exit status 0"),
      Expectation(offence: "hang-up", code: .hung, rule: "R16"),
      Expectation(offence: "eavesdrop", code: .hung, rule: "R16"),
    ]
  static let escapes = [
    "fork": "clone", "execve": "execve", "system": "", "thread": "clone", "read-file": "openat",
    "write-file": "openat", "mkdir": "mkdir", "unlink": "unlink", "access": "", "socket": "socket",
    "local-socket": "socket", "socketpair": "socketpair", "setlocale": "openat", "signal": "rt_sigaction",
    "getppid": "getppid", "kill-all": "kill", "stop": "tgkill", "kill-itself": "tgkill", "ptrace": "ptrace",
    "mmap-exec": "mmap", "mprotect-exec": "mprotect", "run-written": "mprotect", "shmget": "shmget",
    "memfd": "memfd_create", "unshare": "",
    "setuid": "setuid", "bpf": "", "setrlimit": "", "dup": "dup", "timer": "timer_create", "aim-signal": "fcntl",
    "shared-map": "mmap", "growing-map": "mmap", "scattered-map": "mmap", "moved-map": "mremap",
    "name-file": "openat", "readlink": "readlink",
  ].map { Expectation(offence: $0, code: .brokeRule, rule: "R7", words: $1) }

  /// Those that use no CPU time are stopped by the wall clock, which is short for them only: everybody else may be slow.
  private func host(for offence: String) -> DriverHost {
    let waits = ["sleep", "poll", "deadlock", "eavesdrop", "hang-up"].contains(offence)
    let limit = Duration.seconds(waits ? 1 : 60)
    return DriverHost(
      configuration: DriverHostConfiguration(
        workerPath: BuildProducts.worker.path, eventLimit: limit, startLimit: limit))
  }

  private func open(_ offence: String, at place: MisbehavingDriver.Place) async throws -> any DriverSession {
    try await host(for: offence).open(
      MisbehavingDriver.bundle(), driver: MisbehavingDriver.id,
      opening: MisbehavingDriver.opening(offence, at: place))
  }

  private func event(_ sequence: UInt64) -> DriverEvent {
    DriverEvent(sequence: sequence, monotonicNanoseconds: sequence, unixMicroseconds: 0, fact: .timer)
  }

  private func expect(_ fault: DriverFault?, _ expected: Expectation) {
    #expect(
      fault?.code == expected.code && fault?.rule == expected.rule && fault?.driver == MisbehavingDriver.id
        && (expected.words.isEmpty || fault?.message.contains(expected.words) == true),
      "\(expected.offence): \(fault.map { "\($0.code) \($0)" } ?? "no fault")")
  }

  @Test("in an event ends its session, and what it gave before stays", arguments: crashes + hangs + lies + escapes)
  func inAnEvent(expected: Expectation) async throws {
    let session = try await open(expected.offence, at: .event)
    #expect(try await session.handle(event(1)).records.count == 1)
    let fault = await #expect(throws: DriverFault.self) { try await session.handle(event(2)) }
    expect(fault, expected)
    let after = await #expect(throws: DriverFault.self) { try await session.handle(event(3)) }
    #expect(after?.code == .closed)
    await session.close()
  }

  @Test("when it is opened is a fault of opening", arguments: crashes + hangs + escapes)
  func whenOpened(expected: Expectation) async throws {
    // Without a sink there is nothing to overrun.
    guard expected.offence != "overrun" else { return }
    let fault = await #expect(throws: DriverFault.self) { try await open(expected.offence, at: .open) }
    expect(fault, expected)
  }

  @Test("when it is closed disturbs nobody", arguments: crashes + hangs + escapes)
  func whenClosed(expected: Expectation) async throws {
    guard expected.offence != "overrun" else { return }
    let session = try await open(expected.offence, at: .close)
    #expect(try await session.handle(event(1)).records.count == 1)
    expect(await session.close(), expected)
    let after = await #expect(throws: DriverFault.self) { try await session.handle(event(2)) }
    #expect(after?.code == .closed)
  }

  @Test("in decode is a fault", arguments: crashes + hangs + escapes)
  func whenDecoding(expected: Expectation) async throws {
    let fault = await #expect(throws: DriverFault.self) {
      try await host(for: expected.offence).decode(
        MisbehavingDriver.bundle(), driver: MisbehavingDriver.id,
        opening: MisbehavingDriver.opening(expected.offence, at: .decode),
        items: [DecodeItem(characteristic: 1, receivedMicroseconds: 0, bytes: [1])])
    }
    expect(fault, expected)
  }

  @Test(
    "before it is a driver is a fault of the bundle", arguments: crashes + hangs + escapes,
    ["IN_CONSTRUCTOR", "AT_ENTRY"])
  func whenLoaded(expected: Expectation, place: String) async throws {
    // The first needs what only a call has; and the bundle is mapped where the loader wants it.
    guard !["overrun", "scattered-map"].contains(expected.offence) else { return }
    let bundle = try MisbehavingDriver.bundle(defines: ["\(place)=\"\(expected.offence)\""])
    let fault = await #expect(throws: DriverFault.self) {
      try await host(for: expected.offence).open(bundle, driver: MisbehavingDriver.id, opening: DriverOpening())
    }
    expect(fault, expected)
  }

  @Test(
    "that keeps the second filter away makes no code all the same",
    arguments: ["mmap-exec", "mprotect-exec", "run-written", "shared-map", "read-file", "socket", "thread"])
  func secondFilterKeptAway(offence: String) async throws {
    let expected = try #require(Self.escapes.first { $0.offence == offence })
    let bundle = try MisbehavingDriver.bundle(defines: ["IN_CONSTRUCTOR=\"pretend-filter\""])
    let session = try await host(for: offence).open(
      bundle, driver: MisbehavingDriver.id, opening: MisbehavingDriver.opening(offence, at: .event))
    #expect(try await session.handle(event(1)).records.count == 1)
    let fault = await #expect(throws: DriverFault.self) { try await session.handle(event(2)) }
    expect(fault, expected)
    await session.close()
  }

  /// What a worker would say or end with that cannot start is no excuse when the bundle does it, in a constructor or at its entry.
  @Test(
    "that says rubbish to the host before it is a driver has committed a fault",
    arguments: [
      "forge", "forge-fault", "other-version", "other-contract", "endless-frame", "out-of-turn", "exit-as-stranger",
      "exit-unconfined", "cut-short",
    ], ["IN_CONSTRUCTOR", "AT_ENTRY"])
  func rubbishWhenLoaded(offence: String, place: String) async throws {
    let bundle = try MisbehavingDriver.bundle(defines: ["\(place)=\"\(offence)\""])
    let fault = await #expect(throws: DriverFault.self) {
      try await host(for: offence).open(bundle, driver: MisbehavingDriver.id, opening: DriverOpening())
    }
    #expect(
      fault?.code == (offence.hasPrefix("exit") || offence == "cut-short" ? .crashed : .brokeProtocol), "\(offence)")
    #expect(fault.map(QuarantinePolicy().isOffence) == true, "\(offence)")
  }

  @Test(
    "but gets over it, keeps its session",
    arguments: ["logs", "print", "print-much", "store", "random", "dumpable", "sigprocmask", "lstat", "hinted-map"])
  func isGotOver(offence: String) async throws {
    let session = try await open(offence, at: .event)
    _ = try await session.handle(event(1))
    let unit = try await session.handle(event(2))
    #expect(unit.records.count == 1 && unit.logs.count <= 102, "\(offence): \(unit.logs.count)")
    #expect(["logs", "print", "print-much"].contains(offence) == !unit.logs.isEmpty, "\(offence)")
    // 64 KiB of values of 4 KiB, and their keys: the rest was refused.
    #expect(unit.writes.count == (offence == "store" ? 15 : 0), "\(offence): \(unit.writes.count)")
    await session.close()
  }

  @Test(
    "what only the dictionary can judge is left to the store",
    arguments: ["unknown-metric", "unknown-unit", "foreign-unit"])
  func dictionary(offence: String) async throws {
    let session = try await open(offence, at: .event)
    _ = try await session.handle(event(1))
    #expect(try await session.handle(event(2)).records.count == 1)
    #expect(await session.close() == nil)
  }

  @Test func linesThatItForgesAreFewShortAndPlain() async throws {
    let session = try await open("forge-logs", at: .event)
    _ = try await session.handle(event(1))
    let logs = try await session.handle(event(2)).logs
    #expect((100...1200).contains(logs.count))
    #expect(logs.allSatisfy { $0.message.utf8.count <= 1024 })
    #expect(
      logs.allSatisfy { $0.message.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value) } }
    )
    await session.close()
  }

  @Test func whatItPrintsIsInItsLog() async throws {
    let session = try await open("print", at: .event)
    _ = try await session.handle(event(1))
    let unit = try await session.handle(event(2))
    #expect(unit.logs.map(\.message) == ["printed: a driver prints [rule R7]"])
    await session.close()
  }
}
