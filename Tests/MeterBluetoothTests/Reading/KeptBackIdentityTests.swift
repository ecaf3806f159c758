import BluetoothWire
import Foundation
import MeterCore
import MeterDrivers
import TestSupport
import Testing
import VirtualMeter

@testable import MeterBluetooth

/// A meter that does not say who it is would be another one, all of whose readings are new.
@Suite("A meter that keeps back who it is", .jumpingTime, .timeLimit(.minutes(60)))
struct KeptBackIdentityTests {
  private static let address = "00:00:00:00:00:01"

  /// A meter that refuses an item of its Device Information on every connection from the second on.
  private static func meter(_ uuid: String, code: String, from connection: Int = 2) throws -> VirtualMeter {
    let faults = (connection..<connection + 3).map { number in
      #"{"kind": "error", "operation": "read", "characteristic": "\#(uuid)", "code": "\#(code)", "only_connection": \#(number)}"#
    }
    let text = BenchMeter.glucoseText("", 5, faults.joined(separator: ","))
      .replacingOccurrences(
        of: #"{"uuid": "2A25","#,
        with: #"{"uuid": "2A24", "properties": ["read"], "text": "Model"}, {"uuid": "2A25","#)
    return VirtualMeter(script: try MeterScript.parse(json: text), clock: .ofTest)
  }

  /// What an earlier read has kept of the meter's services would answer in its place.
  private func forgetServices(_ bench: ReadBench) throws {
    try bench.store.setCached(nil, MeterKnowledge.name(peripheral: 1000), address: Self.address)
  }

  private func note(_ serial: String?, at address: String = KeptBackIdentityTests.address, _ bench: ReadBench) throws {
    try bench.store.noteMeter(
      MeterSighting(
        MeterIdentity(serial: serial, model: "Model", systemID: nil, address: address), peripheral: 1000,
        address: address, addressKind: .public, isRead: true))
  }

  @Test(
    "is the meter that was known at its address, and none of its readings is new",
    arguments: ["2A25", "2A24"], ["0x0E", "0x80", "0x0A", "0x02"])
  func isKnownAgain(uuid: String, code: String) async throws {
    let bench = try ReadBench(try Self.meter(uuid, code: code), isolation: .inProcess)
    #expect(try await bench.read(1000).end == "completed")
    let known = try bench.store.meters().map(\.uuid)
    for _ in 0..<2 {
      try forgetServices(bench)
      let again = try await bench.read(1000)
      #expect(again.end == "completed" && again.submitted.isEmpty, "\(again.words) \(again.error?.message ?? "")")
    }
    #expect(try bench.store.meters().map(\.uuid) == known)
    #expect(try bench.readings == BenchMeter.glucoseReadings())
  }

  @Test("is refused where several meters were known at the address, and read when it says who it is")
  func severalKnown() async throws {
    let bench = try ReadBench(try Self.meter("2A25", code: "0x0E", from: 1), isolation: .inProcess)
    for serial in ["B-1", "B-2"] { try note(serial, bench) }
    let refused = try await bench.read(1000)
    #expect(refused.error?.code == .communicationFailure, "\(refused.words)")
    #expect(refused.error?.message.contains("meters forget") == true && refused.submitted.isEmpty)
    // From the fourth connection on it answers.
    for _ in 0..<2 { _ = try await bench.read(1000) }
    #expect(try await bench.read(1000).end == "completed")
    #expect(try bench.readings == BenchMeter.glucoseReadings())
    #expect(try bench.store.meters().count == 2)
  }

  @Test("is not taken for one that was known at another address, or that is another by what it does say")
  func otherMeters() async throws {
    let bench = try ReadBench(try Self.meter("2A25", code: "0x0E", from: 1), isolation: .inProcess)
    try note("B-7", at: "00:00:00:00:00:09", bench)
    try bench.store.noteMeter(
      MeterSighting(
        MeterIdentity(serial: "B-8", model: "Other", systemID: nil, address: ""), peripheral: 1000,
        address: Self.address, addressKind: .public, isRead: true))
    #expect(try await bench.read(1000).end == "completed")
    let byAddress = MeterIdentity(serial: nil, model: nil, systemID: nil, address: Self.address).peripheralUUID
    #expect(try bench.store.meter(byAddress)?.lastReadMicroseconds != nil)
    // Whoever is heard at its address later, it keeps the name under which it was read.
    try note("B-9", bench)
    try forgetServices(bench)
    let again = try await bench.read(1000)
    #expect(again.end == "completed" && again.submitted.isEmpty, "\(again.words)")
    #expect(try bench.readings == BenchMeter.glucoseReadings())
  }

  @Test("a name gives back what it was made from, and a name by address nothing")
  func names() throws {
    let bench = try ReadBench()
    for (serial, model, systemID) in [
      (" A 1 ", "M", nil), ("A2", nil, nil), (nil, nil, [1, 2, 3, 4, 5, 6, 7, 8]), (nil, nil, nil),
    ] as [(String?, String?, [UInt8]?)] {
      try bench.store.noteMeter(
        MeterSighting(
          MeterIdentity(serial: serial, model: model, systemID: systemID, address: Self.address), peripheral: 1000,
          address: Self.address, addressKind: nil, isRead: true))
    }
    let told = try bench.store.toldIdentities(atAddress: Self.address, .public)
    #expect(Set(told.map(\.serial)) == ["A 1", "A2", nil] && told.count == 3)
    #expect(told.contains { $0.serial == "A 1" && $0.model == "M" && $0.systemID == nil })
    #expect(told.contains { $0.serial == "A2" && $0.model == nil })
    #expect(told.contains { $0.systemID == [1, 2, 3, 4, 5, 6, 7, 8] })
    #expect(try bench.store.toldIdentities(atAddress: "00:00:00:00:00:02", .public).isEmpty)
  }
}
