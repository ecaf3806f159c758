import MeterCore
import Testing
import VirtualMeter

@testable import MeterBluetooth
import TestSupport

/// Whose readings a meter's memory holds.
@Suite("Reading a meter that has changed hands", .jumpingTime, .timeLimit(.minutes(60)))
struct AssignmentReadTests {
  @Test("the first read of a user leaves the meter's history in it, and --history brings it once")
  func history() async throws {
    let bench = try ReadBench(try BenchMeter.shipped("contour-next-one"))
    let first = try await bench.read(1000, .with { $0.takesHistory = false })
    #expect(first.end == "completed" && first.submitted.isEmpty)
    #expect(first.summary.left == [.beforeAssignment: 2])
    #expect(try bench.readings.isEmpty)
    let history = try await bench.read(1000)
    #expect(history.submitted.count == 2 && history.summary.left.isEmpty)
    let again = try await bench.read(1000)
    #expect(again.submitted.isEmpty && again.summary.duplicates == 0, "the cursor holds again")
  }

  @Test("the whole memory is read each time it is asked for again, and what is known is not delivered twice")
  func readsAgain() async throws {
    let bench = try ReadBench(try BenchMeter.shipped("contour-next-one"))
    #expect(try await bench.read(1000).submitted.count == 2)
    for _ in 0..<2 {
      let again = try await bench.read(1000, .with { $0.readsAgain = true })
      #expect(again.end == "completed" && again.submitted.isEmpty && again.summary.duplicates == 2)
      #expect(try await bench.read(1000).summary.duplicates == 0, "a plain read goes on")
    }
    // A part of the memory is read without a look at earlier reads, and moves nothing.
    _ = try await bench.read(
      1000,
      .with {
        $0.readsAgain = true
        $0.window.limit = 1
      })
    #expect(try await bench.read(1000).summary.duplicates == 0)
    #expect(try bench.readings.count == 2)
  }

  /// The second connection breaks, in which the history is opened; the third read has no cursor of before that.
  @Test("history that a broken link has cut off comes with the next read", arguments: 1...24)
  func brokenHistory(pdus: Int) async throws {
    let fault = #"{"kind": "disconnect-after-pdu", "count": \#(pdus), "only_connection": 2}"#
    let bench = try ReadBench(
      try BenchMeter.shipped("contour-next-one") {
        $0.replacing("\"records\":", with: "\"faults\": [\(fault)], \"records\":")
      })
    #expect(try await bench.read(1000, .with { $0.takesHistory = false }).submitted.isEmpty)
    _ = try await bench.read(1000)
    let last = try await bench.read(1000)
    #expect(last.end == "completed" && last.summary.left.isEmpty)
    #expect(try bench.readings.count == 2, "broken after \(pdus)")
  }

  @Test(
    "what was held because a slot was nobody's is told and delivered when it is the user's", arguments: [false, true])
  func slotOfNobody(deletes: Bool) async throws {
    let bench = try ReadBench(
      try BenchMeter.shipped("blood-pressure-memory") {
        $0.replacing(
          "\"resend_all\": true",
          with: deletes ? "\"resend_all\": false, \"delete_on_confirmation\": true" : "\"resend_all\": true")
      })
    _ = try await bench.read(3000)
    #expect(try bench.store.queueSnapshot().compactMap(\.reason) == ["unknown_owner"])
    let read = try await bench.read(3000, .with { $0.userSlot = 1 })
    #expect(read.submitted.map(\.record.deviceUser) == [1] && read.submitted.map(\.disposition) == [.pending])
    #expect(try bench.readings.count == 3 && bench.readings.allSatisfy { $0.state == .pending })
  }

  @Test(
    "a read by a clock that is not trusted says that nobody knows since when the meter is whose",
    arguments: HostClockTrust.allCases)
  func untrustedClock(trust: HostClockTrust) async throws {
    let bench = try ReadBench(try BenchMeter.shipped("contour-next-one"))
    for left in [2, 0] {
      let read = try await bench.read(
        1000,
        .with {
          $0.takesHistory = false
          $0.clockTrust = trust
        })
      #expect(read.end == "completed" && read.summary.left[.beforeAssignment, default: 0] == left)
      #expect(read.summary.isSinceUnknown == !trust.isSynchronized)
      let owners = try bench.store.meters().flatMap(\.owners)
      #expect(owners.map(\.user.userID) == ["ada"] && owners.map(\.isSinceUnknown) == [!trust.isSynchronized])
    }
    let vouched = try await bench.read(1000, .with { $0.takesHistory = false })
    #expect(!vouched.summary.isSinceUnknown)
    #expect(try bench.store.meters().flatMap(\.owners).map { $0.sinceMicroseconds != nil } == [true])
  }

  @Test(
    "what one user has read is not the next one's, whoever knew the date",
    arguments: [HostClockTrust.nobody, .vouched], [HostClockTrust.nobody, .vouched])
  func secondUserWithoutDate(first: HostClockTrust, second: HostClockTrust) async throws {
    let bench = try ReadBench(try BenchMeter.shipped("contour-next-one"))
    let mine = try await bench.read(1000, .with { $0.clockTrust = first })
    #expect(mine.submitted.count == 2 && mine.submitted.allSatisfy { $0.disposition == .pending })
    try bench.start("grace")
    for trust in [second, .vouched] {
      let theirs = try await bench.read(1000, .with { $0.clockTrust = trust })
      #expect(theirs.submitted.allSatisfy { $0.disposition == .held(.unknownOwner) })
      #expect(theirs.summary.isSinceUnknown == !trust.isSynchronized)
    }
    let found = try bench.readings
    #expect(found.count == 2 && found.allSatisfy { $0.state == .held })
  }

  @Test("a forgetful meter's readings are held by a clock that nobody trusts, and delivered when they are asked for")
  func forgetfulMeter() async throws {
    let bench = try ReadBench(try BenchMeter.shipped("blood-pressure-memory"))
    _ = try await bench.read(
      3000,
      .with {
        $0.takesHistory = false
        $0.clockTrust = .nobody
      })
    let held = try bench.store.queueSnapshot()
    #expect(!held.isEmpty && held.allSatisfy { $0.state == .held })
    #expect(held.contains { $0.reason == "not_asked_for" })
    let history = try await bench.read(3000, .with { $0.clockTrust = .nobody })
    #expect(!history.submitted.isEmpty && history.submitted.allSatisfy { $0.disposition == .pending })
  }

  @Test("a slot of the meter is somebody's, and nobody's without a session", arguments: [1, 2, 9] as [UInt16])
  func slotWithoutSession(slot: UInt16) async throws {
    let bench = try ReadBench(try BenchMeter.shipped("contour-next-one"))
    _ = try bench.store.endSession()
    let options = ReadOptions.with { $0.userSlot = slot }
    for pairs in [false, true] {
      let error = #expect(throws: BluetoothError.self) {
        _ =
          try pairs
          ? bench.controller.pair(peripheral: 1000, options: options)
          : bench.controller.read(peripheral: 1000, options: options)
      }
      #expect(error?.code == .noUser && error?.message.contains("user \(slot)") == true)
    }
    // The same without a slot is read, and held.
    #expect(try await bench.read(1000).submitted.count == 2)
    #expect(try bench.readings.allSatisfy { $0.state == .held })
  }

  @Test("a second user never gets the first one's readings, not even as history", arguments: [false, true])
  func secondUser(wantsHistory: Bool) async throws {
    let bench = try ReadBench(try BenchMeter.shipped("contour-next-one"))
    #expect(try await bench.read(1000).submitted.count == 2)
    try bench.start("grace")
    let second = try await bench.read(1000, .with { $0.takesHistory = wantsHistory })
    #expect(second.end == "completed")
    #expect(second.submitted.allSatisfy { $0.disposition == .held(.unknownOwner) })
    #expect(second.summary.left == (wantsHistory ? [:] : [.beforeAssignment: 2]))
    #expect(try bench.readings.allSatisfy { $0.state == .held })
  }

  @Test("a read of a part of the memory leaves the rest to a later one")
  func window() async throws {
    let bench = try ReadBench(try BenchMeter.shipped("contour-next-one"))
    let part = try await bench.read(1000, .with { $0.window.limit = 1 })
    #expect(part.submitted.count == 1 && part.summary.left == [.overLimit: 1])
    let newest = try #require(part.submitted.first).record.time.startMicroseconds + 1
    let since = try await bench.read(1000, .with { $0.window.sinceMicroseconds = newest })
    #expect(since.submitted.count == 1 && since.summary.left == [.outsideWindow: 1])
    let rest = try await bench.read(1000)
    #expect(rest.submitted.isEmpty && rest.summary.duplicates == 2, "the cursor had not moved")
    #expect(try bench.readings.count == 2)
  }
}
