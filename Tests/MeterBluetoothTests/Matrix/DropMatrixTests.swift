import Foundation
import MeterDrivers
import TestSupport
import Testing
import VirtualMeter

@testable import MeterBluetooth

/// R25's own tests: the link drops at every PDU of every shipped meter, and what is read in the end is what the meter
/// holds, each record once.
@Suite("Every shipped meter, dropped at every PDU", .jumpingTime, .timeLimit(.minutes(60)))
struct DropMatrixTests {
  /// How many PDUs an undisturbed first read takes, in both directions.
  static func pdus(_ subject: MatrixMeter) async throws -> Int {
    let bench = try MatrixBench(subject)
    let result = try await bench.read()
    #expect(result.end == "completed", "\(result.words) \(result.error?.message ?? "")")
    return bench.meter.counters.pdusIn + bench.meter.counters.pdusOut
  }

  /// Meters whose links the conformance suite breaks: behind each PDU, lost or not, with what they hold, their kind's as others' are
  /// here (`FirstPartyTests`).
  private static let inTheSuite: Set<String> = [
    "and-ua651", "and-uc352", "and-uc450", "berrymed-bm1000", "beurer-bf950", "contec-cms50d-bt", "etekcity-esf37",
    "etekcity-esf551", "eufy-health-scale", "honor-ch100", "jumper-jpd-500f", "medisana-bs440", "medisana-bs444",
    "microlife-b6", "nonin-3230", "omron-bp7150", "omron-m700", "omron-rs7", "omron-x2-plus", "pc-60fw",
    "renpho-qn-scale", "sanitas-sbf70", "soehnle-shape200", "swan", "wellue-fs20f", "wellue-o2ring-s", "wellue-o2ring",
    "wellue-sleepu", "yonker-ibpa1", "yunmai-mini-2", "yuwell-bo-yx110",
  ]

  @Test("no shipped script is forgotten")
  func complete() throws {
    let folder = CompiledBundle.root.appending(path: "SDK/meters")
    let shipped = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
    let connected = try shipped.filter { name in
      let script = try MeterScript.load(file: BuildProducts.meterScript(name).path)
      if script.isAdvertisementOnly { return false }
      return true
    }
    let here = Set(MatrixMeter.shipped.map(\.script) + LiveMeter.all.map(\.meter.script))
    #expect(here.union(Self.inTheSuite) == Set(connected) && here.isDisjoint(with: Self.inTheSuite))
    #expect(connected.count >= 20)
  }

  @Test("an undisturbed read brings what the script holds, and a second one nothing", arguments: MatrixMeter.all)
  func undisturbed(subject: MatrixMeter) async throws {
    let bench = try MatrixBench(subject, isolation: .worker)
    let first = try await bench.read()
    #expect(first.end == "completed", "\(first.words) \(first.error?.message ?? "")")
    #expect(first.submitted.count == subject.records && first.summary.duplicates == 0)
    // Counted without the code: every record of the script is a record here, but for those that are known to be none.
    #expect(subject.records == bench.meter.script.records.count - subject.passedOver)
    try bench.checkReadings("undisturbed", brokenLinks: 0)
    let second = try await bench.read()
    let answers = bench.meter.script.behaviour.answersWhenEmpty(bench.meter.script)
    #expect(answers ? second.end == "completed" : second.error?.isBrokenLink == true, "\(second.words)")
    #expect(second.submitted.isEmpty)
    try bench.checkReadings("read again", brokenLinks: 0)
  }

  @Test("loses nothing and delivers nothing twice", arguments: MatrixMeter.all, [false, true])
  func everyPDU(subject: MatrixMeter, isLost: Bool) async throws {
    let total = try await Self.pdus(subject)
    #expect(total > 10)
    for count in 1...total {
      let fault = #"{"kind": "disconnect-after-pdu", "count": \#(count), "lost": \#(isLost), "only_connection": 1}"#
      let bench = try MatrixBench(
        subject, faults: [fault], isolation: isLost && !Nightly.isOn ? .inProcess : .ofPlace(count))
      let broken = try await bench.read()
      let place = "\(subject.testDescription), PDU \(count) of \(total)\(isLost ? ", lost" : "")"
      #expect(
        broken.end == "completed" || broken.error?.isBrokenLink == true,
        "\(place): \(broken.words) \(broken.error?.message ?? "")")
      #expect(try broken.submitted.count == bench.records, "\(place)")
      try bench.checkQueue(place)
      // The places in turn, other ones of those that are lost.
      try await bench.finish(place, brokenLinks: 1, readsAgain: count % 4 == (isLost ? 1 : 3))
    }
  }

  @Test("loses nothing when it drops again and again", arguments: MatrixMeter.all)
  func againAndAgain(subject: MatrixMeter) async throws {
    var random = SeededGenerator(seed: 7)
    let total = try await Self.pdus(subject)
    for _ in 0..<(Nightly.isOn ? 100 : 6) {
      // Later reads know the meter's database and start where the last one stopped: they are shorter.
      let counts = (1...3).map { ($0, Int.random(in: 1...max(1, $0 == 1 ? total : total * 2 / 3), using: &random)) }
      let faults = counts.map { connection, count in
        let isLost = Bool.random(using: &random)
        return #"{"kind": "disconnect-after-pdu", "count": \#(count), "lost": \#(isLost), "#
          + #""only_connection": \#(connection)}"#
      }
      let bench = try MatrixBench(subject, faults: faults)
      let place = "\(subject.testDescription), PDUs \(counts.map(\.1))"
      for _ in counts {
        let broken = try await bench.read()
        #expect(
          broken.end == "completed" || broken.error?.isBrokenLink == true,
          "\(place): \(broken.words) \(broken.error?.message ?? "")")
        try bench.checkQueue(place)
      }
      try await bench.finish(place, brokenLinks: 3)
    }
  }
}
