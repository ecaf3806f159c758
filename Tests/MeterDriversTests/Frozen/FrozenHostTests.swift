import Foundation
import MeterDrivers
import TestSupport
import Testing

/// Today's bundles run under every frozen host of their major as they run under today's.
@Suite("R4 frozen hosts") struct FrozenHostTests {
  struct Vector: Decodable {
    let id: String
    let characteristic: String
    let hex: String
    var number: UInt16? { UInt16(characteristic, radix: 16) }
  }

  static let cases = FrozenContract.served.flatMap { contract in
    [("glucose", "Glucose", UInt32(1000)), ("thermometer", "Thermometer", UInt32(4000))].map { (contract, $0) }
  }

  private func vectors(_ plugin: String) throws -> [Vector] {
    let file = CompiledBundle.root.appending(path: "Plugins/\(plugin)/vectors.json")
    return try JSONDecoder().decode([Vector].self, from: Data(contentsOf: file)).filter { $0.number != nil }
  }

  @Test(arguments: cases)
  func decodesEveryVectorAsTodaysHostDoes(contract: FrozenContract, plugin: (String, String, UInt32)) async throws {
    let (name, folder, peripheral) = plugin
    let vectors = try vectors(folder)
    let (status, lines) = try contract.run(
      BuildProducts.bundle(name), vectors.map { "decode \(peripheral) \($0.characteristic) \($0.hex)" })
    #expect(status == 0 && lines.first?.hasPrefix("driver org.meterhost.\(name) ") == true, "\(lines.last ?? "")")
    let bundle = try BundleVerifier.verify(
      path: BuildProducts.bundle(name).path, expectedHash: nil, rules: BundleRules(allowsMissingHash: true))
    var opening = DriverOpening(peripheralID: peripheral, purpose: .test)
    opening.name = "frozen"
    let outcomes = try await DriverHost(configuration: DriverHostConfiguration(isolation: .inProcess)).decode(
      bundle, driver: "org.meterhost.\(name)", opening: opening,
      items: vectors.map {
        DecodeItem(
          characteristic: $0.number ?? 0, receivedMicroseconds: 1_700_000_000_000_000,
          bytes: hexBytes($0.hex))
      })
    let today = outcomes.flatMap { outcome in
      outcome.records.flatMap { record in
        record.values.map { "value \($0.metric) unit=\($0.unit) raw=\($0.raw) exp=\($0.exponent) " }
      } + ["status 0 \(outcome.status)"]
    }
    let then = lines.filter { $0.hasPrefix("value ") || $0.hasPrefix("status ") }.map { line in
      line.hasPrefix("value ") ? String(line[..<(line.range(of: "qualifier")?.lowerBound ?? line.endIndex)]) : line
    }
    #expect(then == today)
    #expect(vectors.count > 10 && then.contains { $0.hasPrefix("value ") })
  }

  @Test(arguments: FrozenContract.served) func aGlucoseSessionRunsToItsEnd(contract: FrozenContract) throws {
    let vector = try #require(try vectors("Glucose").first { $0.id == "gls-contour-30" })
    let (status, lines) = try contract.run(
      BuildProducts.bundle("glucose"),
      [
        "open 1 peripheral=1000", "event 1 mtu=247", "services 1808 3:10:2A18 5:10:2A34 7:28:2A52",
        "event 6 token=1 handle=3", "event 6 token=2 handle=5", "event 6 token=3 handle=7", "event 10 token=4 handle=7",
        "event 7 handle=3 hex=\(vector.hex)", "event 8 handle=7 hex=06000101", "event 15 status=19", "close",
      ])
    #expect(status == 0, "\(lines)")
    #expect(lines.contains("open 0") && !lines.contains { $0.hasPrefix("broken") })
    #expect(lines.filter { $0.hasPrefix("action 1 ") }.count == 3, "three subscriptions: \(lines)")
    #expect(lines.contains { $0.hasPrefix("action 4 ") }, "the request for records: \(lines)")
    #expect(
      lines.contains { $0.hasPrefix("record kind=1 ") } && lines.contains { $0.hasPrefix("action 13 ") }, "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("status -") }, "\(lines)")
  }

  @Test(arguments: FrozenContract.served) func aThermometerSessionRunsToItsEnd(contract: FrozenContract) throws {
    let (status, lines) = try contract.run(
      BuildProducts.bundle("thermometer"),
      [
        "open 1 peripheral=1 param=5:1", "services 1809 3:20:2A1C 5:10:2A1E", "event 6 token=1 handle=3",
        "event 6 token=2 handle=5", "event 7 handle=5 hex=006c0100ff", "event 8 handle=3 hex=04530d00fe09", "close",
      ])
    #expect(status == 0 && lines.contains("open 0"))
    #expect(lines.contains { $0.hasPrefix("record kind=1 flags=0 ") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("value 3 unit=") || $0.contains("raw=3411 exp=-2") }, "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("status -") })
  }

  @Test func hostAndDriverOfOneVersionAgreeOnEverything() throws {
    for contract in FrozenContract.all {
      let packets = ["000500640000003700ff", "0105006400000037"].map { "decode 9 2A18 \($0)" }
      let (status, lines) = try contract.run(contract.driverFile(), packets)
      #expect(status == 0)
      #expect(lines.filter { $0.hasPrefix("status") } == ["status 0 0", "status 0 -3"])
    }
  }
}

private func hexBytes(_ text: String) -> [UInt8] {
  let digits = Array(text)
  return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
}
