import Foundation
import Glibc
import TestSupport
import Testing

@testable import MeterDrivers

/// Rule R17: whatever a driver of displays says or does, what leaves the host is checked, or it is a fault.
@Suite("R17 a reader of displays", .timeLimit(.minutes(60))) struct DisplayReaderTests {
  typealias Offence = DisplayBench.Offence

  @Test(arguments: DriverHostConfiguration.Isolation.allCases)
  func readsAndInterprets(isolation: DriverHostConfiguration.Isolation) async throws {
    let reader = try await DisplayBench.reader(isolation)
    let layout = try await reader.layout(meter: DisplayBench.good)
    #expect(layout.aspect == 1.5 && layout.overlay == "frame" && layout.rows.map(\.role) == [.value, .pulse])
    #expect(layout.rows.map(\.isOptional) == [false, true] && layout.rows.map(\.blinks) == [false, true])
    #expect(layout.rows[1].box.width == 0.4 && layout.rows[1].characters == "0123456789")
    #expect(reader.asset(layout.overlay) == Array("<svg/>".utf8) && reader.asset("none") == nil)
    let reading = try await reader.recognize(DisplayBench.frame(isStill: true), meter: DisplayBench.good)
    #expect(reading.rows.map(\.state) == [.text, .empty] && reading.sharpness == 0.75 && reading.advice == .none)
    #expect(reading.rows[0].text == "120" && reading.rows[0].confidence == 0.5)
    // The first: the pixels came whole; the second: it is a still.
    #expect(reading.rows[0].characterConfidences == [1, 1, 1])
    #expect(reading.rows[0].corners == [(1, 2), (3, 2), (3, 4), (1, 4)].map { ImagePoint(x: $0.0, y: $0.1) })
    guard case .valid(let records) = try await reader.interpret(["120", ""], meter: DisplayBench.good) else {
      throw CancellationError()
    }
    #expect(records.count == 1 && records[0].values.map(\.value) == [120] && records[0].timeKind == .none)
    #expect(try await reader.interpret(["", ""], meter: DisplayBench.good) == .incomplete)
    #expect(try await reader.interpret(["--", ""], meter: DisplayBench.good, unit: 1) == .notAValue)
    #expect(try await reader.interpret(["1", ""], meter: Offence.verdictWrongMeter.rawValue) == .wrongMeter)
    #expect(try await reader.interpret(["1", ""], meter: Offence.verdictOtherUnit.rawValue) == .otherUnit)
    // An action is none of a display's business: it is not taken.
    guard case .valid = try await reader.interpret(["1", ""], meter: Offence.verdictAct.rawValue) else {
      throw CancellationError()
    }
    await reader.close()
    await reader.close()
    let after = await #expect(throws: DriverFault.self) { try await reader.layout(meter: 2) }
    #expect(after?.code == .closed)
  }

  @Test func boxesAreReadInTheLayoutsPlace() async throws {
    let reader = try await DisplayBench.reader()
    let reading = try await reader.recognize(DisplayBench.frame(boxes: 5), meter: DisplayBench.good)
    #expect(reading.rows.count == 5)
    await reader.close()
  }

  @Test func theLargestFrameGetsThrough() async throws {
    let reader = try await DisplayBench.reader()
    for _ in 0..<3 {
      let reading = try await reader.recognize(DisplayBench.frame(4096, 4096, grey: 51), meter: DisplayBench.good)
      #expect(reading.rows[0].characterConfidences.first == Double(Float(0.2)))
    }
    await reader.close()
  }

  // MARK: - What no driver is asked

  static let badFrames: [DisplayFrame] = [
    DisplayBench.frame(0, 4), DisplayBench.frame(4, 0), DisplayBench.frame(4097, 1), DisplayBench.frame(1, 4097),
    DisplayFrame(image: GreyImage(width: 9, height: 9, pixels: []), isStill: false, place: .boxes([])),
    DisplayBench.frame(boxes: 0), DisplayBench.frame(boxes: 9),
    placed(.overlay(ImageBox(x: .nan, y: 0, width: 1, height: 1))),
    placed(.overlay(ImageBox(x: 0, y: 0, width: .infinity, height: 1))),
    placed(.overlay(ImageBox(x: 0, y: 0, width: 0, height: 1))),
    placed(.boxes([ImageBox(x: 1e6, y: 0, width: 1, height: 1)])),
  ]

  private static func placed(_ place: DisplayFrame.Place) -> DisplayFrame {
    var frame = DisplayBench.frame()
    frame.place = place
    return frame
  }

  @Test(arguments: DriverHostConfiguration.Isolation.allCases)
  func badQuestionsAreRefusedAndHarmNothing(isolation: DriverHostConfiguration.Isolation) async throws {
    let reader = try await DisplayBench.reader(isolation)
    for frame in Self.badFrames {
      let fault = await #expect(throws: DriverFault.self) {
        try await reader.recognize(frame, meter: DisplayBench.good)
      }
      #expect(fault?.code == .refused && fault?.rule == "R17")
    }
    for texts in [[], ["1"], ["1", "2", "3"], ["12345678901234567", ""], ["a", ""], ["1\n", ""], ["\u{0661}", ""]] {
      let fault = await #expect(throws: DriverFault.self) {
        try await reader.interpret(texts, meter: DisplayBench.good)
      }
      #expect(fault?.code == .refused, "\(texts)")
    }
    let unit = await #expect(throws: DriverFault.self) {
      try await reader.interpret(["1", ""], meter: DisplayBench.good, unit: 999)
    }
    #expect(unit?.code == .refused)
    let meter = await #expect(throws: DriverFault.self) {
      try await reader.layout(meter: Offence.layoutUnknown.rawValue)
    }
    #expect(meter?.code == .refused)
    let refused = await #expect(throws: DriverFault.self) {
      try await reader.recognize(DisplayBench.frame(), meter: Offence.readRefused.rawValue)
    }
    #expect(refused?.code == .refused)
    #expect(try await reader.recognize(DisplayBench.frame(), meter: DisplayBench.good).rows.count == 2)
    await reader.close()
  }

  // MARK: - Offences

  static let lies = Offence.allCases.filter {
    ![
      .layoutUnknown, .layoutSpin, .readRefused, .readSpin, .readAbort, .readGreedy, .verdictAct, .verdictWrongMeter,
      .verdictOtherUnit, .verdictSpin, .verdictFull, .readChanges, .verdictChanges,
    ].contains($0)
  }

  private func commit(_ offence: Offence, _ reader: DisplayReader) async throws(DriverFault) {
    let meter = offence.rawValue
    switch meter {
    case ..<200: _ = try await reader.layout(meter: meter)
    case ..<300: _ = try await reader.recognize(DisplayBench.frame(), meter: meter)
    default: _ = try await reader.interpret(["120", ""], meter: meter)
    }
  }

  @Test(arguments: lies, DriverHostConfiguration.Isolation.allCases)
  func aLieIsABrokenRule(offence: Offence, isolation: DriverHostConfiguration.Isolation) async throws {
    let reader = try await DisplayBench.reader(isolation)
    let fault = await #expect(throws: DriverFault.self) { try await commit(offence, reader) }
    let ofRecords = offence == .verdictNumber || offence == .verdictStored || offence == .verdictTime
    #expect(
      fault?.code == .brokeRule && fault?.driver == DisplayBench.display, "\(offence): \(String(describing: fault))")
    #expect(fault?.rule == "R17" || ofRecords && fault?.rule == "R12", "\(offence): \(String(describing: fault))")
    await reader.close()
  }

  @Test(arguments: [
    (Offence.layoutSpin, DriverFault.Code.hung), (.readSpin, .hung), (.verdictSpin, .hung), (.readAbort, .crashed),
    (.readGreedy, .crashed),
  ])
  func anEndIsAFaultAndTheNextOneOpens(offence: Offence, code: DriverFault.Code) async throws {
    // Only what never ends is cut off: to use up the memory may take a while.
    let reader = try await DisplayBench.reader(milliseconds: code == .hung ? 200 : 30_000)
    let fault = await #expect(throws: DriverFault.self) { try await commit(offence, reader) }
    #expect(fault?.code == code && fault?.message.contains("meter again") == false, "\(String(describing: fault))")
    let after = await #expect(throws: DriverFault.self) { try await reader.layout(meter: DisplayBench.good) }
    #expect(after?.code == .closed)
    let next = try await DisplayBench.reader()
    #expect(try await next.recognize(DisplayBench.frame(), meter: DisplayBench.good).rows.count == 2)
    await next.close()
  }

  @Test func aWorkerThatIsKilledInAFrameIsAFault() async throws {
    let reader = try await DisplayBench.reader()
    let process = try #require(await reader.process)
    async let reading = reader.recognize(DisplayBench.frame(), meter: Offence.readSpin.rawValue)
    process.signal(SIGABRT)
    do {
      _ = try await reading
      Issue.record("a killed worker read a frame")
    } catch {
      #expect((error as? DriverFault)?.code == .crashed, "\(error)")
    }
  }

  @Test func aCallerThatGivesUpStopsTheWorker() async throws {
    let reader = try await DisplayBench.reader()
    let task = Task { try await reader.recognize(DisplayBench.frame(), meter: Offence.readSpin.rawValue) }
    task.cancel()
    let fault = await #expect(throws: DriverFault.self) { try await task.value }
    #expect(fault?.code == .cancelled)
  }

  @Test func aCallerThatGivesUpBehindItsAnswerIsNobodysFault() async throws {
    let reader = try await DisplayBench.reader()
    let process = try #require(await reader.process)
    _ = try await reader.layout(meter: DisplayBench.good)
    // As a cancelled task does.
    process.kill()
    for code in [DriverFault.Code.cancelled, .closed] {
      let fault = await #expect(throws: DriverFault.self) {
        try await reader.recognize(DisplayBench.frame(), meter: DisplayBench.good)
      }
      #expect(fault?.code == code)
    }
  }

  // MARK: - Loading

  static let loads: [(assets: [String: [UInt8]], code: DriverFault.Code, words: String)] = [
    (["frame": [1]], .refused, "missing"), (["weights": [1], "frame": [1]], .refused, "damaged"),
    (["weights": [1, 2, 3, 4], "offence": Array("status".utf8)], .refused, "77"),
    (["offence": Array("abort".utf8)], .crashed, "SIGABRT"), (["offence": Array("spin".utf8)], .hung, "CPU time"),
  ]

  @Test(arguments: loads.indices) func whatDoesNotLoadIsAFault(index: Int) async throws {
    let (assets, code, words) = Self.loads[index]
    let fault = await #expect(throws: DriverFault.self) {
      try await DisplayBench.reader(assets: assets, milliseconds: 100)
    }
    #expect(fault?.code == code && fault?.message.contains(words) == true, "\(String(describing: fault))")
    if words == "missing" { #expect(fault?.cause == "weights is not there") }
  }

  @Test(arguments: [("SHORT_TABLE", "R3"), ("NO_FUNCTION", "R17")], DriverHostConfiguration.Isolation.allCases)
  func aTableThatIsNoneIsABrokenRule(table: (String, String), isolation: DriverHostConfiguration.Isolation) async throws
  {
    let fault = await #expect(throws: DriverFault.self) {
      try await DisplayBench.reader(isolation, defines: [table.0])
    }
    #expect(fault?.code == .brokeRule && fault?.rule == table.1)
  }

  @Test func aBundleThatClaimsWhatItLacksIsRefused() async throws {
    let host = DisplayBench.host()
    let bundle = try DisplayBench.bundle()
    let both = try DisplayBench.entry(DisplayBench.display, extensions: [.ocr, .image])
    let claim = await #expect(throws: DriverFault.self) {
      try await DisplayReader.open(host: host, bundle: bundle, entry: both)
    }
    #expect(claim?.code == .brokeRule && claim?.rule == "R19" && claim?.message.contains("1-draft") == true)
    let none = try DisplayBench.entry(DisplayBench.display, extensions: [])
    let unlisted = await #expect(throws: DriverFault.self) {
      try await DisplayReader.open(host: host, bundle: bundle, entry: none)
    }
    #expect(unlisted?.code == .unknownDriver)
    let other = try DisplayBench.entry(DisplayBench.images, extensions: [.ocr])
    let lacking = await #expect(throws: DriverFault.self) {
      try await DisplayReader.open(host: host, bundle: bundle, entry: other)
    }
    #expect(lacking?.code == .brokeRule)
  }
}
