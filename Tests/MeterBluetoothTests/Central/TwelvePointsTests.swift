import BluetoothWire
import Foundation
import Testing
import VirtualMeter

@testable import MeterBluetooth
@testable import MeterCore
import TestSupport

/// What a central of health meters must handle, point by point, with the shipped drivers on the virtual air.
@Suite("What a central must handle", .jumpingTime, .timeLimit(.minutes(60)))
struct TwelvePointsTests {
  /// The bench's glucose meter: sequence numbers from 10, values from 100 mg/dL.
  private static let glucose = BenchMeter.glucoseText()
  private static let all = (100..<105).map { "blood_glucose \(Double($0))" }

  private static func fault(_ text: String) -> String { #"{"faults": [\#(text)]}"# }

  @Test("point 1: a filler or a failed measurement is no reading, and control solution is marked")
  func point1() async throws {
    try await CentralBench.with("ketone-filler") { central in
      try await central.complete(1000)
      #expect(try central.values == ["blood_glucose 112.0"])
    }
    try await CentralBench.with("blood-pressure-memory") { central in
      try await central.complete(3000)
      #expect(try central.bench.readings.count == 3 && central.meter.script.records.count == 4)
      #expect(try central.readings.allSatisfy { $0.value.isFinite })
    }
    // Sample type 10.
    let control = BenchMeter.glucoseText("", 1).replacingOccurrences(of: "b011", with: "b01a")
    try await CentralBench.with(control) { central in
      try await central.complete(1000)
      let readings = try central.bench.readings
      #expect(readings.map(\.metric) == ["control_solution_glucose"] && readings.map(\.state) == [.excluded])
    }
  }

  @Test("point 2: 0002 where a characteristic indicates, else 0001, and all of it before the control point")
  func point2() async throws {
    try await CentralBench.with("contour-next-one") { central in
      let sent = try await central.sent { try await central.complete(1000) }
      // 2A18 and 2A34, 2A52, then "report all stored records".
      #expect(sent.writes.prefix(3).sorted { $0[0] < $1[0] } == [[1, 0], [1, 0], [2, 0]])
      #expect(sent.writes.dropFirst(3).first == [1, 1])
    }
    try await CentralBench.with("thermometer-with-clock", #"{"disconnect_after_procedure": true}"#) { central in
      let sent = try await central.sent { try await central.complete(4000) }
      #expect(sent.writes.contains([2, 0]))
    }
  }

  @Test("point 3: a refused “sequence >=” becomes all, filtered; counts of any width", arguments: [1, 2, 4])
  func point3(width: Int) async throws {
    let behaviour = """
      {"behaviour": {"count_width": \(width), "refuse": [{"opcode": "01", "operator": "03", "response": "04"}]}}
      """
    try await CentralBench.with(Self.glucose, behaviour) { central in
      try await central.complete(1000)
      let sent = try await central.sent {
        let again = try await central.read(1000)
        #expect(again.end == "completed" && again.submitted.isEmpty, "\(again.words)")
      }
      let requests = sent.writes.filter { $0.count != 2 || $0[0] == 1 && $0[1] == 1 }
      #expect(requests.contains([1, 3, 1, 14, 0]) && requests.last == [1, 1], "\(sent.writes)")
      #expect(try central.values == Self.all)
    }
  }

  @Test("point 4: the next read asks for what comes behind the last, and newest-first loses nothing")
  func point4() async throws {
    try await CentralBench.with(Self.glucose) { central in
      try await central.complete(1000, new: 5)
      let sent = try await central.sent { try await central.complete(1000, new: 0) }
      // There is none; "report last record" shows that the meter's memory is still the same.
      #expect(sent.writes.suffix(2) == [[1, 3, 1, 14, 0], [1, 6]], "\(sent.writes)")
    }
    let broken = #"{"kind": "disconnect-after-pdu", "direction": "out", "count": 17, "only_connection": 1}"#
    try await CentralBench.with(
      Self.glucose, #"{"behaviour": {"order": "newest-first"}}"#, Self.fault(broken)
    ) { central in
      let first = try await central.read(1000)
      #expect(first.error?.code == .communicationFailure && first.submitted.count < 5, "\(first.words)")
      try await central.complete(1000)
      #expect(try central.values == Self.all)
    }
  }

  @Test("point 5: a memory that is sent again is known, and nothing is confirmed that is not on disk")
  func point5() async throws {
    try await CentralBench.with("blood-pressure-memory") { central in
      try await central.complete(3000, new: 3)
      let again = try await central.read(3000)
      #expect(again.submitted.isEmpty && again.summary.duplicates == 3)
    }
    let deleting = #"{"behaviour": {"resend_all": false, "delete_on_confirmation": true}}"#
    try await CentralBench.with("blood-pressure-memory", deleting) { central in
      try central.bench.breakDisk(atChange: 1)
      let broken = try await central.read(3000)
      #expect(broken.error?.code == .storeFailure)
      try central.bench.mendDisk()
      _ = try await central.read(3000)
      #expect(try central.bench.readings.count == 3 && central.meter.recordsLeft == 0)
    }
  }

  @Test("point 6: a context that never comes is done without, but not where it tells the analyte")
  func point6() async throws {
    let refused =
      #"{"kind": "error", "operation": "subscribe", "characteristic": "2A34", "code": "0x0E", "only_connection": 1}"#
    try await CentralBench.with(Self.glucose, Self.fault(refused)) { central in
      try await central.complete(1000)
      #expect(try central.values == Self.all)
      #expect(try !central.readings.contains { $0.metric == "relationship_to_meal" })
    }
    try await CentralBench.with("caresens-dual", Self.fault(refused)) { central in
      let first = try await central.read(10002)
      #expect(first.submitted.isEmpty, "\(first.words)")
      try await central.complete(10002)
      #expect(try central.values == ["blood_ketone 0.5"])
    }
  }

  @Test("point 7: a clock is read before it is set, and what an unset clock says is held")
  func point7() async throws {
    try await CentralBench.with("fora-glucose") { central in
      let sent = try await central.sent {
        let read = try await central.read(10300) { $0.setsClock = true }
        #expect(read.end == "completed" && read.facts.contains { $0.clockOffsetSeconds != nil }, "\(read.words)")
      }
      let commands = sent.compactMap { pdu -> UInt8? in
        switch pdu {
        case .writeRequest(_, let value), .writeCommand(_, let value):
          value.count == 8 && value[0] == 0x51 ? value[1] : nil
        default: nil
        }
      }
      let (read, set) = (commands.firstIndex(of: 0x23), commands.firstIndex(of: 0x33))
      #expect(read.flatMap { read in set.map { read < $0 } } == true, "\(commands)")
    }
    try await CentralBench.with(Self.glucose, Self.fault(#"{"kind": "unset-clock"}"#)) { central in
      try await central.complete(1000, new: 5)
      #expect(try central.bench.readings.allSatisfy { $0.state == .held && $0.civilTime == nil })
    }
  }

  @Test("point 8: pairs on error 05 and tries once more; three failures of pairing are told apart")
  func point8() async throws {
    let wanted = Self.glucose.replacingOccurrences(
      of: #"{"uuid": "2A52","#, with: #"{"uuid": "2A52", "requires": "authentication","#)
    try await CentralBench.with(wanted, #"{"pairing": {"passkey": "042817"}}"#) { central in
      let refused = try await central.read(1000)
      #expect(refused.error?.code == .notPaired && refused.error?.pairingFailure == nil)
      let wrong = try await central.read(1000, answers: ["111111"]) { $0.pairs = true }
      #expect(wrong.error?.pairingFailure == .authenticationFailed)
      central.meter.setPairingMode(false)
      let closed = try await central.read(1000, answers: ["042817"]) { $0.pairs = true }
      #expect(closed.error?.pairingFailure == .notInPairingMode)
      central.meter.setPairingMode(true)
      let paired = try await central.read(1000, answers: ["042817"]) { $0.pairs = true }
      #expect(paired.end == "completed" && paired.submitted.count == 5, "\(paired.error?.message ?? "")")
      central.meter.forgetBonds()
      let lost = try await central.read(1000)
      #expect(lost.error?.pairingFailure == .bondLost)
    }
  }

  @Test("point 9: hears a meter as soon as it is there, looks at its database once, and may be hung up on")
  func point9() async throws {
    let meter = try BenchMeter.shipped("weight-scale")
    try await ReadBench.withAir([]) { bench, air in
      let started = Gate()
      let running = Task {
        await started.pass()
        try await meter.run(in: air)
      }
      let read = try await bench.read(5000) { event in if case .started = event { started.open() } }
      running.cancel()
      _ = await running.result
      // The scale closes the link behind its last packet.
      #expect(read.end == "completed" && read.submitted.count == 2, "\(read.words)")
    }
    try await CentralBench.with(Self.glucose) { central in
      let first = try await central.sent { try await central.complete(1000) }
      let second = try await central.sent {
        let read = try await central.complete(1000)
        #expect(read.summary.usedCache)
      }
      let looks: Set<ATTOpcode> = [.findByTypeValueRequest, .readByTypeRequest, .findInformationRequest]
      #expect(first.contains { looks.contains($0.opcode) } && !second.contains { looks.contains($0.opcode) })
      #expect(second.allSatisfy { $0.opcode == .writeRequest || $0 == .handleValueConfirmation })
    }
  }

  @Test("point 10: what is too short is refused, reserved flags and trailing bytes are passed over")
  func point10() async throws {
    let records = #"""
      {"records": [{"measurement": "06680100ff"}, {"measurement": "04"},
        {"measurement": "fe680100ffe207030a15010002aabbcc"}, {"measurement": "06690100ffe207030a15020002"}]}
      """#
    try await CentralBench.with(
      "thermometer-with-clock", records, #"{"disconnect_after_procedure": true}"#
    ) { central in
      let read = try await central.read(4000)
      #expect(read.end == "completed", "\(read.words) \(read.error?.message ?? "")")
      #expect(try central.values == ["body_temperature 36.0", "body_temperature 36.1"])
    }
  }

  @Test("point 11: what comes in several packets is one record, at the smallest MTU")
  func point11() async throws {
    try await CentralBench.with("weight-scale") { central in
      #expect(central.meter.script.mtu == 23)
      try await central.complete(5000, new: 2)
      let whole = try central.readings.filter { $0.civilTime == "2024-03-10T07:30:00" }.map(\.metric)
      #expect(
        Set(whole) == [
          "body_weight", "bmi", "body_height", "body_fat", "body_muscle_percent", "body_impedance",
        ])
    }
    try await CentralBench.with("select-plus-flex") { central in
      try await central.complete(10402)
      #expect(try central.values == ["blood_glucose 105.0", "blood_glucose 141.0", "blood_glucose 98.0"])
    }
  }

  @Test("point 12: values on the way are progress, and the result is one")
  func point12() async throws {
    try await CentralBench.with("continuous-oximeter", #"{"behaviour": {"period_ms": 10}}"#) { central in
      let read = try await central.read(2000)
      #expect(read.end == "completed" && read.words.contains("provisional"), "\(read.words)")
      #expect(read.submitted.count == 1)
      #expect(try central.values == ["spo2 97.0"])
    }
    try await CentralBench.with("blood-pressure-memory") { central in
      let read = try await central.read(3000)
      #expect(read.words.contains("provisional") && read.submitted.count == 3)
    }
  }
}
