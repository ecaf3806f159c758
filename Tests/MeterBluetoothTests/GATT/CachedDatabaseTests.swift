import BluetoothWire
import Foundation
import MeterDrivers
import Testing
import VirtualMeter
import TestSupport

@testable import MeterBluetooth
@testable import MeterCore

/// A cache is used while the meter does not say otherwise, and a meter that says so is looked at again.
@Suite("Cached databases", .jumpingTime, .timeLimit(.minutes(60)))
struct CachedDatabaseTests {
  private static let inserted =
    #""services": [{"uuid": "1800", "characteristics": [{"uuid": "2A00", "properties": ["read"], "text": "x"}]}]"#

  private static func meter(_ caching: String, bonded: Bool = true, faults: String = "") throws -> VirtualMeter {
    let change = #"{"bonded": \#(bonded), "caching": \#(caching)}"#
    return VirtualMeter(
      script: try MeterScript.parse(json: MatrixScript.merge(change, into: BenchMeter.glucoseText("", 5, faults))),
      clock: .ofTest)
  }

  /// A read has completed, and the user has every reading once.
  private func expectAll(_ bench: ReadBench, _ read: ReadResult, _ place: String = "") throws {
    #expect(read.end == "completed", "\(place) \(read.words) \(read.error?.message ?? "")")
    // What the user before has had, too, is held.
    let counts = Dictionary(try bench.readings.map { ($0.with(.pending), 1) }, uniquingKeysWith: +)
    #expect(counts == Dictionary(BenchMeter.glucoseReadings().map { ($0, 1) }, uniquingKeysWith: +), "\(place)")
  }

  @Test("a warm read costs one request with a Database Hash, and none without", arguments: [false, true])
  func economy(bonded: Bool) async throws {
    var warm: [Int] = []
    for caching in ["{}", #"{"hash": true}"#, #"{"service_changed": true}"#] {
      let radio = BenchRadio([try Self.meter(caching, bonded: bonded)])
      if !bonded { radio.loseBond() }
      let bench = try ReadBench(radio, isolation: .inProcess)
      _ = try await bench.read(1000)
      try bench.start("grace")
      let second = try await bench.read(1000)
      #expect(second.summary.usedCache && second.end == "completed" && second.submitted.count == 5)
      warm.append(second.summary.pdus)
    }
    #expect(warm[1] == warm[0] + 2 && warm[2] == warm[0], "\(warm)")
  }

  @Test("another hash is looked at on the same link", arguments: [false, true])
  func hash(bonded: Bool) async throws {
    let meter = try Self.meter(
      #"{"hash": true, "moves": [{"connection": 2, \#(Self.inserted)}]}"#, bonded: bonded)
    let radio = BenchRadio([meter])
    if !bonded { radio.loseBond() }
    let bench = try ReadBench(radio, isolation: .inProcess)
    try expectAll(bench, try await bench.read(1000))
    try bench.start("grace")
    let second = try await bench.read(1000)
    try expectAll(bench, second)
    #expect(!second.summary.usedCache && meter.counters.connections == 2)
    try bench.start("hopper")
    let third = try await bench.read(1000)
    try expectAll(bench, third)
    #expect(third.summary.usedCache && meter.counters.connections == 3)
  }

  @Test(
    "a Service Changed at the beginning of a link is heeded and confirmed by the host, whether it is seen or only told",
    arguments: [inserted, #""services": []"#])
  func changedBetween(services: String) async throws {
    let meter = try Self.meter(#"{"service_changed": true, "moves": [{"connection": 2, \#(services)}]}"#)
    let bench = try ReadBench(BenchRadio([meter]), isolation: .inProcess)
    try expectAll(bench, try await bench.read(1000))
    try bench.start("grace")
    let second = try await bench.read(1000)
    try expectAll(bench, second)
    // It may come while the driver is opened: then the session ends, and begins again.
    #expect(!second.summary.usedCache && meter.counters.connections <= 3)
    try bench.start("hopper")
    let third = try await bench.read(1000)
    try expectAll(bench, third)
    #expect(third.summary.usedCache)
  }

  @Test("a database that moves behind any PDU loses nothing and doubles nothing", arguments: [false, true])
  func changedDuring(isWarm: Bool) async throws {
    let whole = try Self.meter(#"{"service_changed": true}"#)
    let undisturbed = try ReadBench(BenchRadio([whole]), isolation: .inProcess)
    try expectAll(undisturbed, try await undisturbed.read(1000))
    let cold = whole.counters.pdusIn + whole.counters.pdusOut
    try undisturbed.start("grace")
    try expectAll(undisturbed, try await undisturbed.read(1000))
    let total = isWarm ? whole.counters.pdusIn + whole.counters.pdusOut - cold : cold
    for count in 1..<total {
      let connection = isWarm ? 2 : 1
      let move = #"{"connection": \#(connection), "after_pdus": \#(count), \#(Self.inserted)}"#
      let meter = try Self.meter(#"{"service_changed": true, "moves": [\#(move)]}"#)
      let bench = try ReadBench(BenchRadio([meter]), isolation: .inProcess)
      if isWarm {
        try expectAll(bench, try await bench.read(1000))
        try bench.start("grace")
      }
      let read = try await bench.read(1000)
      let place = "moved after PDU \(count) of \(total)"
      // Before the host has subscribed, only what answers wrongly shows it; a discovery has no second try then.
      if read.end == "completed" { try expectAll(bench, read, place) }
      let again = try await bench.read(1000)
      try expectAll(bench, again, place)
      if isWarm { #expect(read.end == "completed", "\(place): \(read.words) \(read.error?.message ?? "")") }
    }
  }

  @Test(
    "Database Out Of Sync is looked at again, once", arguments: [("subscribe", "2A18"), ("write", "2A52")], [1, 2])
  func outOfSync(operation: (String, String), connection: Int) async throws {
    let fault = """
      {"kind": "error", "operation": "\(operation.0)", "characteristic": "\(operation.1)", "code": "0x12",
       "only_connection": \(connection)}
      """
    let meter = try Self.meter("{}", faults: fault)
    let bench = try ReadBench(BenchRadio([meter]), isolation: .inProcess)
    for (index, user) in ["ada", "grace"].enumerated() {
      if index > 0 { try bench.start(user) }
      let read = try await bench.read(1000)
      try expectAll(bench, read, user)
    }
    #expect(meter.counters.connections == 3)
    let always = fault.replacingOccurrences(of: #""only_connection": \#(connection)"#, with: #""times": 1000"#)
    let broken = try ReadBench(BenchRadio([try Self.meter("{}", faults: always)]), isolation: .inProcess)
    let read = try await broken.read(1000)
    #expect(read.error?.code == .communicationFailure && read.error?.message.contains("read it again") == true)
  }

  @Test("Database Out Of Sync in the host's own requests costs a second look", arguments: 1...6)
  func outOfSyncDiscovery(request: Int) async throws {
    let fault = #"{"kind": "error-at-request", "count": \#(request), "code": "0x12"}"#
    let bench = try ReadBench(BenchRadio([try Self.meter("{}", faults: fault)]), isolation: .inProcess)
    try expectAll(bench, try await bench.read(1000), "request \(request)")
  }

  @Test("what an earlier version has cached is looked up anew")
  func olderFormat() async throws {
    let meter = try Self.meter("{}")
    let bench = try ReadBench(BenchRadio([meter]), isolation: .inProcess)
    _ = try await bench.read(1000)
    let (name, address) = (MeterKnowledge.name(peripheral: 1000), meter.script.address.description)
    let stored = try #require(try bench.store.cached(name, address: address))
    let text = String(decoding: stored, as: UTF8.self)
    #expect(text.contains(#""format":2"#))
    try bench.store.setCached(
      Array(text.replacingOccurrences(of: #""format":2"#, with: #""format":1"#).utf8), name, address: address)
    #expect(try await bench.read(1000).summary.usedCache == false)
    #expect(try await bench.read(1000).summary.usedCache)
  }

  @Test("what a Service Changed says")
  func ranges() {
    #expect(ATTHandleRange(serviceChanged: [1, 0, 5, 0]) == ATTHandleRange(first: 1, last: 5))
    for value in [[], [1, 0, 5], [5, 0, 1, 0], [1, 0, 5, 0, 0]] as [[UInt8]] {
      #expect(ATTHandleRange(serviceChanged: value) == .all)
    }
    let database = GATTDatabase(services: [.init(uuid: 0x1808, firstHandle: 10, lastHandle: 20)])
    #expect(database.isTouched(by: ATTHandleRange(first: 20, last: 30)))
    #expect(!database.isTouched(by: ATTHandleRange(first: 21, last: 0xFFFF)))
    #expect(!database.isTouched(by: ATTHandleRange(first: 1, last: 9)))
  }
}

extension Reading {
  fileprivate func with(_ state: DeliveryState) -> Reading {
    var reading = self
    reading.state = state
    return reading
  }
}
