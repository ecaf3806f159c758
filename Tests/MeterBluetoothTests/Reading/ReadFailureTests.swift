import HostErrors
import BluetoothWire
import Foundation
import Glibc
import MeterCore
import MeterDrivers
import Synchronization
import TestSupport
import Testing
import VirtualMeter

@testable import MeterBluetooth

@Suite("Reads that go wrong", .jumpingTime, .timeLimit(.minutes(60)))
struct ReadFailureTests {
  /// Reads again and expects all of the bench's readings once.
  private func expectCleanRead(_ bench: ReadBench) async throws {
    let clean = try await bench.read(1000)
    #expect(clean.end == "completed", "\(clean.words) \(clean.error?.message ?? "")")
    #expect(try Set(bench.readings) == Set(BenchMeter.glucoseReadings()) && bench.readings.count == 5)
  }

  @Test(
    "an ATT error at any operation is a typed error, and the next read is clean",
    arguments: [
      ("subscribe", "2A18"), ("subscribe", "2A52"), ("write", "2A52"), ("subscribe", "2A34"), ("read", "2A25"),
    ], ["0x01", "0x03", "0x05", "0x0E", "0x11", "0x80", "0xFD"])
  func attributeErrors(operation: (String, String), code: String) async throws {
    let fault = """
      {"kind": "error", "operation": "\(operation.0)", "characteristic": "\(operation.1)", "code": "\(code)",
       "only_connection": 1}
      """
    let bench = try ReadBench(try BenchMeter.glucose(faults: fault), isolation: .inProcess)
    let broken = try await bench.read(1000)
    if operation.1 == "2A25", code == "0x05" {
      // Who it is shows behind a pairing only: read without, it would be another meter from then on.
      #expect(broken.error?.code == .notPaired, "\(broken.words)")
    } else if operation.1 == "2A25", code == "0x11" {
      // The meter lacks memory now, which says nothing of its serial number.
      #expect(broken.error?.code == .communicationFailure, "\(broken.words)")
    } else if operation.1 == "2A34" || operation.1 == "2A25" {
      // A meter without context, or without a serial number, is read all the same.
      #expect(broken.end == "completed", "\(broken.words)")
      guard operation.1 == "2A34" else { return }
    } else {
      // Behind a pairing that exists already, the meter should not ask for one.
      #expect(broken.error?.code == (code == "0x05" ? .notPaired : .communicationFailure), "\(broken.words)")
    }
    try await expectCleanRead(bench)
  }

  @Test("a meter that sends more than a read takes is left, and the next read brings the rest", arguments: 1...4)
  func tooManyReadings(limit: Int) async throws {
    let bench = try ReadBench(try BenchMeter.glucose(), isolation: .inProcess)
    let broken = try await bench.read(1000, .with { $0.session.records = limit })
    #expect(broken.end == "failed too_many_readings" && broken.error?.kind == .temporary, "\(broken.words)")
    try await expectCleanRead(bench)
  }

  @Test(
    "a memory that is larger than a read takes is read to its other end, whichever it begins with",
    arguments: ["oldest-first", "newest-first"],
    [(1, false), (2, false), (3, false), (1, true), (3, true)] as [(limit: Int, isOfBytes: Bool)])
  func largeMemory(order: String, most: (limit: Int, isOfBytes: Bool)) async throws {
    let limit = most.limit
    // A reading takes between 600 and 900 bytes.
    let options = ReadOptions.with { options in
      if most.isOfBytes { options.session.recordBytes = limit * 600 } else { options.session.records = limit }
    }
    let meter = try BenchMeter.glucose(#", "order": "\#(order)""#, records: 6)
    let bench = try ReadBench(meter, isolation: .inProcess)
    var ends: [String] = []
    while ends.last != "completed", ends.count < 20 {
      let read = try await bench.read(1000, options)
      ends.append(read.end)
      #expect(read.end == "completed" || read.end == "failed too_many_readings", "\(read.words)")
      #expect(read.end == "completed" || read.error?.message.contains("Read it again") == true)
      // Each read brings new ones, until there are no more.
      let count = try bench.readings.count
      #expect((1...limit).contains(read.submitted.count) || count == 6, "\(read.submitted.count)")
    }
    #expect(ends.last == "completed", "\(ends)")
    #expect(try Set(bench.readings) == Set(BenchMeter.glucoseReadings(6)) && bench.readings.count == 6)
    // The cursor has moved with the last of them.
    let again = try await bench.read(1000, options)
    #expect(again.end == "completed" && again.submitted.isEmpty, "\(again.words)")
  }

  @Test("what a forgetful meter was told is on disk, and what is beyond the limit it keeps")
  func tooManyIndications() async throws {
    let bench = try ReadBench(try BenchMeter.thermometer(), isolation: .inProcess)
    let first = try await bench.read(4000, .with { $0.session.records = 2 })
    #expect(first.end == "failed too_many_readings", "\(first.words)")
    #expect(try bench.readings == Array(BenchMeter.thermometerReadings().prefix(2)))
    let rest = try await bench.read(4000)
    #expect(rest.submitted.count == 1, "\(rest.words)")
    #expect(try bench.readings == BenchMeter.thermometerReadings())
  }

  @Test(
    "PDUs that are damaged are a typed error, and the next read is clean",
    arguments: ["0x07", "0x09", "0x05", "0x13"], ["truncated", "wrong-opcode", "lying-length", "handles-out-of-order"])
  func damagedPDUs(opcode: String, how: String) async throws {
    let fault = #"{"kind": "malformed", "opcode": "\#(opcode)", "how": "\#(how)", "only_connection": 1}"#
    let meter = try BenchMeter.glucose(faults: fault)
    let bench = try ReadBench(meter, isolation: .inProcess)
    let options = ReadOptions.with { $0.session.transaction = .milliseconds(300) }
    let broken = try await bench.read(1000, options)
    let codes: [BluetoothError.Code] = [.communicationFailure, .readingTimeout]
    #expect(broken.end == "completed" || broken.error.map { codes.contains($0.code) } == true, "\(broken.words)")
    try await expectCleanRead(bench)
  }

  @Test("a meter that stops answering is a time-out that says so", arguments: ["0x07", "0x09", "0x05", "0x13"])
  func silentMeter(opcode: String) async throws {
    let fault = #"{"kind": "malformed", "opcode": "\#(opcode)", "how": "silent", "only_connection": 1}"#
    let bench = try ReadBench(try BenchMeter.glucose(faults: fault), isolation: .inProcess)
    let options = ReadOptions.with { $0.session.transaction = .milliseconds(50) }
    let broken = try await bench.read(1000, options)
    #expect(broken.error?.code == .readingTimeout, "\(broken.words)")
    #expect(broken.error?.message.contains("did not answer within 0.05 seconds") == true)
    try await expectCleanRead(bench)
  }

  @Test("a meter that is connected and has nothing to say is a time-out with the reading instructions")
  func silentSession() async throws {
    let bench = try ReadBench(try BenchMeter.thermometer(records: 0))
    let options = ReadOptions.with { $0.session.silence = .milliseconds(50) }
    let broken = try await bench.read(4000, options)
    #expect(broken.error?.code == .readingTimeout, "\(broken.words)")
    #expect(broken.error?.message.contains("Take your temperature now") == true)
  }

  @Test("a meter that goes on and on is cut off, and what came is kept")
  func endlessSession() async throws {
    let meter = try BenchMeter.glucose(faults: #"{"kind": "delay", "milliseconds": 30, "on": "notification"}"#)
    let bench = try ReadBench(meter, isolation: .inProcess)
    let options = ReadOptions.with { $0.session.total = .milliseconds(100) }
    let broken = try await bench.read(1000, options)
    #expect(broken.error?.code == .readingTimeout, "\(broken.words)")
    try await expectCleanRead(bench)
  }

  @Test("duplicates are one reading each")
  func duplicates() async throws {
    let bench = try ReadBench(try BenchMeter.glucose(faults: #"{"kind": "duplicate-notifications"}"#))
    try await expectCleanRead(bench)
  }

  @Test("a procedure that the meter does not complete is its fault, and the next read brings the rest")
  func incompleteProcedure() async throws {
    let fault = #"{"kind": "procedure-not-completed", "after_records": 2, "only_connection": 1}"#
    let bench = try ReadBench(try BenchMeter.glucose(faults: fault))
    #expect(try await bench.read(1000).error?.code == .meterError)
    try await expectCleanRead(bench)
  }

  @Test("readings of a meter whose clock is not set wait for a person")
  func unsetClock() async throws {
    let bench = try ReadBench(try BenchMeter.glucose(faults: #"{"kind": "unset-clock"}"#))
    let result = try await bench.read(1000)
    #expect(result.end == "completed" && result.submitted.count == 5)
    let readings = try bench.readings
    #expect(readings.count == 5 && readings.allSatisfy { $0.civilTime == nil })
    #expect(readings.allSatisfy { $0.state == .held })
    let again = try await bench.read(1000)
    #expect(again.end == "completed" && again.submitted.isEmpty)
  }

  @Test("with confirmFirst nothing is delivered before a person has said so")
  func confirmFirst() async throws {
    let bench = try ReadBench(try BenchMeter.glucose())
    let result = try await bench.read(1000, .with { $0.submission = .confirmFirst })
    #expect(result.submitted.count == 5)
    #expect(result.submitted.allSatisfy { $0.disposition == .held(.awaitingConfirmation) })
  }

  @Test("one read at a time")
  func busy() async throws {
    let bench = try ReadBench()
    let result = try await bench.read(1000) { event in
      guard case .started = event else { return }
      #expect(bench.controller.operationInProgress)
      let error = #expect(throws: BluetoothError.self) { try bench.controller.read(peripheral: 4000) }
      #expect(error?.code == .busy)
      bench.controller.cancel()
    }
    #expect(result.end == "cancelled")
  }

  @Test("the allow-list: absent is any meter, empty is none, else those that it names")
  func allowList() async throws {
    let (first, second) = (try BenchMeter.glucose(address: "0A"), try BenchMeter.glucose(records: 3, address: "0B"))
    let bench = try ReadBench(first, second)
    #expect(try await bench.read(1000, .with { $0.allowList = ["00:00:00:00:00:0b"] }).submitted.count == 3)
    #expect(first.counters.connections == 0)
    let none = try await bench.read(1000, .with { $0.allowList = [] })
    #expect(none.error?.code == .connectionTimeout && none.error?.message.contains("allow-list") == true)
    let other = try await bench.read(
      1000,
      .with {
        $0.allowList = ["00:00:00:00:00:0C"]
        $0.connectionTimeout = .milliseconds(30)
      })
    #expect(other.error?.code == .connectionTimeout)
    #expect(first.counters.connections == 0 && second.counters.connections == 1)
    _ = try await bench.read(1000)
    #expect(first.counters.connections == 1)
  }

  @Test("a connection that does not come about in time is a time-out")
  func slowConnection() async throws {
    let gate = Gate()
    let radio = BenchRadio([try BenchMeter.glucose()]) { await gate.pass() }
    let bench = try ReadBench(radio)
    let result = try await bench.read(1000, .with { $0.connectionTimeout = .seconds(5) })
    #expect(
      result.error?.code == .connectionTimeout && result.error?.message.contains("no connection") == true,
      "\(result.error?.message ?? "")")
    gate.open()
  }

  @Test("a meter that another client holds, or that has gone, is a typed error")
  func heldMeter() async throws {
    let meter = try BenchMeter.glucose()
    let radio = BenchRadio([meter])
    let bench = try ReadBench(radio)
    let broken = try await bench.read(1000) { event in
      // The link goes while the driver starts.
      if case .connected = event { radio.links.last?.close() }
    }
    #expect(broken.error?.code == .communicationFailure, "\(broken.words)")
    try await expectCleanRead(bench)
  }

  @Test("pairing: required and absent is refused, unless the caller asks for it")
  func pairing() async throws {
    let radio = BenchRadio([try BenchMeter.shipped("contour-next-one")])
    radio.loseBond()
    let bench = try ReadBench(radio)
    let refused = try await bench.read(10000)
    #expect(refused.error?.code == .notPaired && refused.error?.message.contains("button") == true)
    #expect(radio.pairings == 0)
    let paired = try await bench.read(10000, .with { $0.pairs = true })
    #expect(paired.end == "completed" && radio.pairings == 1)
  }

  @Test("a meter that wants encryption, and no encryption is enough for, says so")
  func encryption() async throws {
    let meter = try BenchMeter.shipped("accu-chek-guide") { text in
      text.replacingOccurrences(
        of: #"{ "uuid": "2A18", "properties": ["notify"]"#,
        with: #"{ "uuid": "2A18", "requires": "authentication", "properties": ["notify"]"#)
    }
    let bench = try ReadBench(meter)
    let refused = try await bench.read(1000)
    #expect(refused.error?.code == .notPaired, "\(refused.words)")
    #expect(refused.error?.message.contains("`meterhost pair 1000`") == true)
  }

  @Test("what is not in the catalogue, is disabled, or has no driver here is refused before the radio is touched")
  func refusals() throws {
    func code(_ id: UInt32, _ staged: StagedRegistry) throws -> BluetoothError.Code? {
      let radio = BenchRadio([])
      let bench = try ReadBench(radio, staged: staged)
      let error = #expect(throws: BluetoothError.self) { try bench.controller.read(peripheral: id) }
      #expect(radio.listeners == 0 && !bench.controller.operationInProgress)
      return error?.code
    }
    #expect(try code(4711, StagedRegistry()) == .unknownPeripheral)
    let disabled = try StagedRegistry { $0.replacingOccurrences(of: #""disabled": false"#, with: #""disabled": true"#) }
    #expect(try code(1000, disabled) == .unknownPeripheral)
    #expect(try code(1000, StagedRegistry(drivers: ["thermometer"])) == .driverUnavailable)
  }

  @Test("a bundle without the driver that the registry names is refused with its reason")
  func missingDriver() async throws {
    let staged = try StagedRegistry { $0.replacingOccurrences(of: "libmh-glucose", with: "libmh-thermometer") }
    let bench = try ReadBench(BenchRadio([try BenchMeter.glucose()]), staged: staged)
    let result = try await bench.read(1000)
    #expect(result.error?.code == .driverUnavailable, "\(result.words) \(result.error?.message ?? "")")
  }

  @Test("a meter of the same service whose Device Information differs is passed over")
  func otherMeter() async throws {
    let contour = try BenchMeter.shipped("contour-next-one")
    let caresens = try BenchMeter.shipped("caresens-dual")
    let bench = try ReadBench(contour, caresens)
    let result = try await bench.read(10002)
    #expect(result.end == "completed" && result.submitted.count == 1, "\(result.words)")
    // Whichever is heard first is asked first.
    #expect(contour.counters.connections <= 1 && contour.recordsLeft == 2)
    #expect(result.words.filter { $0 == "connected" }.count == 1)
    let alone = try ReadBench(contour)
    let none = try await alone.read(10002, .with { $0.connectionTimeout = .milliseconds(200) })
    #expect(none.error?.code == .connectionTimeout)
    #expect(none.error?.message.contains("another meter") == true, "\(none.error?.message ?? "")")
  }

  @Test("a meter whose database has changed since the last read is discovered again")
  func staleCache() async throws {
    let old = try BenchMeter.glucose()
    let bench1 = BenchRadio([old])
    let extra = #"{"uuid": "1800", "characteristics": [{"uuid": "2A00", "properties": ["read"], "text": "x"}]},"#
    let new = try BenchMeter.glucose(prefix: extra)
    let swapped = SwappingRadio(first: bench1, second: BenchRadio([new]))
    let bench = try ReadBench(swapped)
    #expect(try await bench.read(1000).end == "completed")
    swapped.swap()
    try bench.start("grace")
    let second = try await bench.read(1000)
    #expect(second.end == "completed" && !second.summary.usedCache, "\(second.words) \(second.error?.message ?? "")")
    #expect(new.counters.connections == 2)
    #expect(second.submitted.count == 5)
    try bench.start("hopper")
    #expect(try await bench.read(1000).summary.usedCache)
    #expect(new.counters.connections == 3)
  }

  @Test("a worker that is killed in the middle of a session is a typed error, and the next read brings everything")
  func killedWorker() async throws {
    let folder = try TemporaryFolder()
    let (wrapper, pid) = (folder.url.appending(path: "worker"), folder.url.appending(path: "pid"))
    try WrittenProgram.write(
      "#!/bin/sh\necho $$ >> '\(pid.path)'\nexec '\(BuildProducts.worker.path)' \"$@\"\n", to: wrapper.path)
    // However late the first reading is heard of, the last has not been sent then.
    let meter = try BenchMeter.glucose(
      faults: #"{"kind": "delay", "milliseconds": 2000, "on": "notification", "only_connection": 1}"#)
    let bench = try ReadBench(BenchRadio([meter]), worker: wrapper.path)
    let killed = Gate()
    let broken = try await bench.read(1000) { event in
      guard case .shouldSubmit = event else { return }
      // A spare worker may have been started, too.
      let numbers = try String(contentsOf: pid, encoding: .utf8).split(separator: "\n").compactMap { Int32($0) }
      try #require(!numbers.isEmpty)
      for number in numbers { kill(number, SIGKILL) }
      killed.open()
    }
    await killed.pass()
    #expect(broken.error?.code == .driverCrashed, "\(broken.words)")
    #expect(broken.error?.message.contains("SIGKILL") == true)
    #expect(try bench.readings.count < 5)
    try await expectCleanRead(bench)
  }

  @Test("a worker that cannot be started is not the meter's fault")
  func noWorker() async throws {
    let bench = try ReadBench(BenchRadio([try BenchMeter.glucose()]), worker: "/nowhere/worker")
    let result = try await bench.read(1000)
    #expect(result.error?.code == .driverUnavailable, "\(result.words)")
  }
}

/// A radio behind which the meter is exchanged.
final class SwappingRadio: WrappingRadio {
  private let first: BenchRadio
  private let second: BenchRadio
  private let isSwapped = Mutex(false)

  init(first: BenchRadio, second: BenchRadio) {
    self.first = first
    self.second = second
  }

  var base: BenchRadio { isSwapped.withLock { $0 } ? second : first }

  func swap() { isSwapped.withLock { $0 = true } }
}
