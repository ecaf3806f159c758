import BluetoothWire
import DriverContract
import MeterCore
import MeterDrivers
import Testing

@testable import MeterBluetooth
import TestSupport

/// What a driver in a worker does, it does in this process, too.
private let isolations = [DriverHostConfiguration.Isolation.inProcess, .worker]

@Suite("Reading advertisements", .jumpingTime, .timeLimit(.minutes(60)))
struct AdvertisementReadTests {
  private func weights(_ bench: ReadBench) throws -> [Double] { try bench.readings.map(\.value) }

  @Test("a value that moves is shown, the one that holds is stored once, and nobody connects", arguments: isolations)
  func stable(isolation: DriverHostConfiguration.Isolation) async throws {
    let air = SpokenAir([Beacon.says(.unstable, 7100), Beacon.says(.unstable, 7120), Beacon.responds("scale")])
    air.say(.init(repeating: Beacon.says(.stableLast), count: 50))
    let bench = try ReadBench(air, isolation: isolation)
    let result = try await bench.read(Beacon.peripheral)
    #expect(result.words == ["started", "connected", "provisional", "provisional", "submit", "completed"])
    #expect(try bench.readings == [Reading(metric: "body_weight", value: 71.5, unit: "kg", civilTime: nil)])
    #expect(result.summary.records.count == 1 && result.summary.duplicates == 0 && result.summary.pdus == 0)
    #expect(result.summary.advertisementToCommit != nil)
    #expect(air.connectionAttempts == 0)
    let record = try #require(result.submitted.first?.record)
    #expect(record.source.deviceID == Beacon.address(1).description)
    #expect(record.notes.map(\.text) == [Beacon.address(1).digits], "the driver was told the address")
  }

  @Test("a burst of the same reading is one record, however the bytes around it change", arguments: isolations)
  func burst(isolation: DriverHostConfiguration.Isolation) async throws {
    let air = SpokenAir()
    for number in 0..<100 as Range<UInt16> { air.say(Beacon.says(.stable), Beacon.says(.unstable, number)) }
    air.say(Beacon.says(.stableLast))
    let bench = try ReadBench(air, isolation: isolation)
    let result = try await bench.read(Beacon.peripheral)
    #expect(result.end == "completed")
    #expect(try bench.readings.count == 1 && result.summary.records.count == 1)
    #expect(result.summary.duplicates == 100)
    #expect(result.words.filter { $0 == "submit" }.count == 1)
  }

  @Test("repeats collapse, also while a scan response alternates with them; a change is always handed on")
  func collapse() async throws {
    let air = SpokenAir()
    for _ in 0..<100 { air.say(Beacon.says(.unstable, 1), Beacon.responds("scale")) }
    for _ in 0..<100 { air.say(Beacon.says(.unstable, 2), Beacon.says(.unstable, 3)) }
    air.say(Beacon.responds("renamed"), Beacon.responds("renamed"), Beacon.says(.count))
    let bench = try ReadBench(air)
    #expect(try await bench.read(Beacon.peripheral).end == "completed")
    // 1 and the response, 2 and 3 a hundred times, the other response, and the order to count.
    #expect(try weights(bench) == [Double(1000 + 2 + 200 + 1 + 1) / 100])
  }

  @Test("a scale that falls silent without a value that holds has no reading, and the text says what to do")
  func unstable() async throws {
    let air = SpokenAir((0..<20).map { Beacon.says(.unstable, 7000 + $0) })
    let bench = try ReadBench(air)
    let result = try await bench.read(Beacon.peripheral, .holdOff(.milliseconds(50)))
    #expect(result.end == "failed no_reading")
    #expect(result.error?.message.contains("Stand still until the number stands still.") == true)
    #expect(try bench.readings.isEmpty && result.summary.records.isEmpty)
    #expect(!bench.controller.operationInProgress)
  }

  @Test("silence is a lost connection to the driver, whose last words are stored", arguments: isolations)
  func lastWords(isolation: DriverHostConfiguration.Isolation) async throws {
    let bench = try ReadBench(SpokenAir([Beacon.says(.hold)]), isolation: isolation)
    let result = try await bench.read(Beacon.peripheral, .holdOff(.milliseconds(50)))
    #expect(result.end == "completed")
    #expect(try weights(bench) == [71.58], "the reason is 8")
  }

  @Test("whatever needs a connection is a fault of the driver, and nothing of its unit is taken", arguments: 0..<7)
  func needsConnection(action: UInt8) async throws {
    let air = SpokenAir([Beacon.says(.unstable), Beacon.says(.needsLink, variant: action)])
    let bench = try ReadBench(air)
    let result = try await bench.read(Beacon.peripheral)
    #expect(result.end == "failed driver_crashed")
    #expect((result.error?.cause as? DriverFault)?.rule == "R11")
    #expect(try bench.readings.isEmpty && air.connectionAttempts == 0)
    #expect(try bench.storedKeys().isEmpty)
  }

  @Test("timers, questions, ready, progress and failures are as with a connection")
  func otherActions() async throws {
    // However late the driver's timer runs out, its meter is not silent for too long.
    let patient = ReadOptions.with { $0.session.holdOff = .seconds(600) }
    let timer = try ReadBench(SpokenAir([Beacon.says(.later)]))
    #expect(try await timer.read(Beacon.peripheral, patient).end == "completed")
    #expect(try weights(timer) == [71.57], "the timer's token is 7")
    let ready = try ReadBench(SpokenAir([Beacon.says(.ready), Beacon.says(.stableLast)]))
    #expect(
      try await ready.read(Beacon.peripheral).words
        == ["started", "connected", "ready", "progress", "submit", "completed"])
    let failing = try await ReadBench(SpokenAir([Beacon.says(.refuse)])).read(Beacon.peripheral)
    #expect(failing.end == "failed meter_error" && failing.error?.message == "overload")
    let crash = try ReadBench(SpokenAir([Beacon.says(.stable), Beacon.says(.crash)]), isolation: .worker)
    #expect(try await crash.read(Beacon.peripheral).end == "failed driver_crashed")
    #expect(try weights(crash) == [71.5], "what was committed before stays")
  }

  @Test("a question is answered in the session that asked")
  func question() async throws {
    let bench = try ReadBench(SpokenAir([Beacon.says(.ask)]))
    let patient = ReadOptions.with { $0.session.holdOff = .seconds(600) }
    #expect(try await bench.read(Beacon.peripheral, patient).end == "completed")
    #expect(try weights(bench) == [71.59], "the question's token is 9")
  }

  @Test("readings and keys of a unit are on disk together or not at all", arguments: 1...2)
  func failingCommit(change: Int) async throws {
    let air = SpokenAir([Beacon.says(.unstable), Beacon.says(.stableLast)])
    let bench = try ReadBench(air)
    try bench.breakDisk(atChange: change)
    let broken = try await bench.read(Beacon.peripheral)
    #expect(broken.end == "failed store_failure" && broken.submitted.isEmpty)
    #expect(try bench.readings.isEmpty && bench.storedKeys().isEmpty)
    try bench.mendDisk()
    air.say(Beacon.says(.stableLast))
    #expect(try await bench.read(Beacon.peripheral).end == "completed")
    #expect(try weights(bench) == [71.5] && bench.storedKeys() == ["user/last"])
  }

  @Test("a reading that is known does not end the read; the next one does")
  func knownReading() async throws {
    let history = ReadOptions.holdOff(.milliseconds(50)) { $0.takesHistory = true }
    let air = SpokenAir([Beacon.says(.storedLast)])
    let bench = try ReadBench(air)
    #expect(try await bench.read(Beacon.peripheral, history).summary.records.count == 1)
    // The scale wakes up with what it showed last.
    air.say(Beacon.says(.storedLast), Beacon.says(.unstable, 9), Beacon.says(.storedLast, 7200))
    let second = try await bench.read(Beacon.peripheral, .with { $0.takesHistory = true })
    #expect(second.end == "completed" && second.summary.records.count == 1, "\(second.words)")
    #expect(try weights(bench) == [71.5, 72])
    air.say(Beacon.says(.storedLast, 7200))
    let third = try await bench.read(Beacon.peripheral, history)
    #expect(third.end == "completed" && third.summary.records.isEmpty && third.summary.duplicates == 1)
  }

  @Test("a session that stalls before its number stands is begun again when the meter goes on")
  func stalls() async throws {
    // The number wavers, and stands as it is for longer than the session waits; then somebody steps on again.
    let air = SteppingAir(
      (0..<50).map { _ in Beacon.says(.unstable, 1) } + [Beacon.says(.unstable, 2)]
        + (0..<50).map { _ in Beacon.says(.unstable, 3) } + [Beacon.says(.stableLast, 7150)])
    let bench = try ReadBench(air, staged: try Beacon.staged.get(), isolation: .inProcess)
    let result = try await bench.read(Beacon.peripheral, .with { $0.session.silence = .milliseconds(400) })
    #expect(result.end == "completed" && result.summary.records.count == 1, "\(result.words)")
    #expect(try weights(bench) == [71.5])
    #expect(result.words.filter { $0 == "connected" }.count > 1)
  }

  @Test(
    "a meter of which every session stalls ends the read with its time, and not before, or a hundred sessions later")
  func alwaysStalls() async throws {
    // Every change is another chance, a thousand of them within the time.
    let air = SteppingAir((0..<4_000).map { Beacon.says(.unstable, UInt16($0 / 4)) }, every: .milliseconds(20))
    let bench = try ReadBench(air, staged: try Beacon.staged.get(), isolation: .inProcess)
    let result = try await bench.read(
      Beacon.peripheral,
      .with {
        $0.connectionTimeout = .seconds(30)
        $0.session.silence = .milliseconds(10)
      })
    #expect(result.end == "failed reading_timeout" && result.summary.records.isEmpty)
    let sessions = result.words.filter { $0 == "connected" }.count
    #expect((2...8).contains(sessions), "\(sessions)")
  }

  @Test("what is said in a pause is read when the time is over, while the meter goes on advertising")
  func saidInThePause() async throws {
    // Each change is a session that stalls; the number stands while the next one has to wait for sixteen seconds.
    let air = SteppingAir(
      (0..<850).map { Beacon.says(.unstable, UInt16($0)) } + [Beacon.says(.stableLast)], every: .milliseconds(20))
    let bench = try ReadBench(air, staged: try Beacon.staged.get(), isolation: .inProcess)
    let result = try await bench.read(
      Beacon.peripheral,
      .with {
        $0.connectionTimeout = .seconds(20)
        $0.session.silence = .milliseconds(10)
      })
    #expect(result.end == "completed" && result.summary.records.count == 1, "\(result.words)")
    #expect(try weights(bench) == [71.5])
  }

  @Test("a meter that says the same for ever has nothing new to say")
  func nothingNew() async throws {
    let bench = try ReadBench(EndlessAir(Beacon.says(.unstable)), staged: try Beacon.staged.get())
    let result = try await bench.read(Beacon.peripheral, .with { $0.session.silence = .milliseconds(50) })
    #expect(result.end == "failed reading_timeout")
    #expect(result.words.filter { $0 == "provisional" }.count == 1)
  }
}
