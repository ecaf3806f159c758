import BluetoothWire
import Foundation
import MeterCore
import MeterDrivers
import Testing
import VirtualMeter
import TestSupport

@testable import MeterBluetooth

@Suite("What a read leaves about its meter", .jumpingTime, .timeLimit(.minutes(60)))
struct KnownMeterTests {
  @Test("a meter that was read is known, with its address and its entry")
  func read() async throws {
    let bench = try ReadBench(try BenchMeter.shipped("contour-next-one"))
    #expect(try bench.store.meters().isEmpty)
    #expect(try await bench.read(1000).end == "completed")
    let meter = try #require(try bench.store.meters().first)
    #expect(meter.peripheral == 1000 && meter.lastReadMicroseconds != nil && meter.pairing == nil)
    #expect(meter.owners.map(\.user.userID) == ["ada"])
    let address = try #require(meter.address)
    let kind = try #require(meter.addressKind)
    #expect(try bench.store.meter(atAddress: address, kind) == meter)
    #expect(try bench.store.meter(atAddress: address, kind == .random ? .public : .random) == nil)
    #expect(try await bench.read(1000).end == "completed")
    #expect(try bench.store.meters().map(\.uuid) == [meter.uuid])
  }

  @Test("what is set for a meter decides, unless the caller says otherwise", arguments: [nil, false, true])
  func clock(said: Bool?) {
    var options = ReadOptions()
    options.setsClock = said
    #expect(options.applying(MeterSettings()).setsClock == said)
    #expect(options.applying(MeterSettings(syncsClock: true)).setsClock == said ?? true)
    #expect(options.applying(MeterSettings(syncsClock: false)).setsClock == said ?? false)
  }

  @Test(
    "a clock that was set is told, and one that was only looked at is not",
    arguments: [("verio-flex", 10400), ("select-plus-flex", 10402), ("fora-glucose", 10300)] as [(String, UInt32)],
    [nil, false, true])
  func clockIsSet(meter: (script: String, id: UInt32), setsClock: Bool?) async throws {
    let bench = try ReadBench(try BenchMeter.shipped(meter.script))
    let read = try await bench.read(
      meter.id,
      .with {
        $0.pairs = true
        $0.setsClock = setsClock
      })
    #expect(read.end == "completed", "\(read.words)")
    let offsets = read.facts.compactMap(\.clockOffsetSeconds)
    #expect(read.facts.map { $0.isClockSet ?? false }.filter(\.self).count == (setsClock == true ? 1 : 0))
    #expect(offsets.count == (setsClock == true ? 2 : 1) && (setsClock != true || offsets.last == 0), "\(offsets)")
  }

  @Test(
    "a scale's clock that was set is told, whether it had a time or none", arguments: [nil, false, true], [true, false])
  func scalesClock(setsClock: Bool?, hasTime: Bool) async throws {
    let meter = try BenchMeter.shipped("beurer-bf720") { text in
      hasTime ? text : text.replacingOccurrences(of: "ea07050c123536020001", with: "00000000000000000000")
    }
    let bench = try ReadBench(meter)
    let options = ReadOptions.with {
      ($0.pairs, $0.setsClock, $0.userSlot, $0.answersQuestions) = (true, setsClock, 1, true)
    }
    let read = try await bench.read(10200, options) { event in
      if case .question(let question) = event { bench.controller.answer(question.id, "3752") }
    }
    #expect(read.end == "completed" && read.summary.records.count == 1, "\(read.words)")
    let isSet = setsClock == true
    #expect(read.facts.map { $0.isClockSet ?? false } == (isSet ? [false, true] : []))
    #expect(read.facts.compactMap(\.clockOffsetSeconds).count == (isSet ? hasTime ? 2 : 1 : 0))
  }

  /// The serial number would make one meter of two: the second one's readings would be known already, or come under the first one's
  /// names, and its read would begin where the first one's has ended.
  @Test(
    "two meters with the serial number that their module came with are two, and each read goes on where its own has ended",
    arguments: ["00000000", "0123456789", "Serial Number", "n/a", "1111 "])
  func placeholder(serial: String) async throws {
    func meter(_ records: Int, address: String) throws -> VirtualMeter {
      let text = BenchMeter.glucoseText("", records, address: address)
        .replacingOccurrences(of: #""text": "B-1""#, with: #""text": "\#(serial)""#)
      return VirtualMeter(script: try MeterScript.parse(json: text), clock: .ofTest)
    }
    // The longer memory is read first: behind its cursor the other one has nothing.
    let meters = [try meter(5, address: "01"), try meter(3, address: "02")]
    let bench = try ReadBench(BenchRadio(meters), isolation: .inProcess)
    func read(_ number: Int) async throws -> ReadResult {
      try await bench.read(1000, .with { $0.allowList = [meters[number].script.address.description] })
    }
    for (number, count) in [(0, 5), (1, 3)] {
      let first = try await read(number)
      #expect(first.end == "completed" && first.submitted.count == count, "\(first.words)")
    }
    for number in 0..<2 {
      let again = try await read(number)
      #expect(again.error == nil && again.submitted.isEmpty, "\(again.words)")
    }
    let known = try bench.store.meters()
    #expect(known.count == 2 && Set(known.map(\.address)).count == 2)
    let records = try bench.store.queueSnapshot().compactMap(\.record)
    #expect(records.count == 8 && Set(records.map(\.logID)).count == 8)
    #expect(Dictionary(grouping: records, by: \.source.deviceID).mapValues(\.count).values.sorted() == [3, 5])
    // No shared cursor.
    #expect(try bench.storedKeys().count { $0 == "user/cursor" } == 2)
  }

  @Test(
    "a meter that changes its address is known by its serial number, and refused without one",
    arguments: ["B-1", "00000000"])
  func changingAddress(serial: String) async throws {
    let text = BenchMeter.glucoseText()
      .replacingOccurrences(of: #""address":"#, with: #""address_kind": "random", "address":"#)
      .replacingOccurrences(of: #""text": "B-1""#, with: #""text": "\#(serial)""#)
    let meter = VirtualMeter(script: try MeterScript.parse(json: text), clock: .ofTest)
    #expect(meter.script.address.isPrivate)
    let bench = try ReadBench(meter)
    let read = try await bench.read(1000)
    if serial == "B-1" {
      #expect(try read.end == "completed" && bench.readings == BenchMeter.glucoseReadings(), "\(read.words)")
    } else {
      #expect(read.error?.code == .notPaired, "\(read.words)")
      #expect(read.error?.message.contains("`meterhost pair 1000`") == true)
      #expect(try bench.readings.isEmpty)
    }
  }
}
