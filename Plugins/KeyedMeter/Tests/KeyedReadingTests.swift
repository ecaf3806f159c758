import CMeterDriver
import Testing

@testable import DriverTestBench

/// Reading: which records come, where the cursor stands, and how each way of failing ends.
@Suite struct KeyedReadingTests {
  typealias Meter = SimulatedKeyedMeter

  @Test func aWholeRead() throws {
    let bench = try KeyedBench()
    #expect(bench.request().written == [2, 1, 0])
    let first = bench.send(Meter.record(1, tenths: 24))
    #expect(first.writes.isEmpty)
    let record = try #require(first.records.first)
    #expect(record.sequence == 1 && record.flags == 0 && record.timeKind == UInt16(MH_TIME_CIVIL))
    #expect(record.identity == Array(Meter.record(1).prefix(8)) && record.identityClass == UInt16(MH_IDENT_STORED))
    // 2026-07-18T14:35:36 and the sequence's second, the meter's own time.
    #expect(record.time == (946_684_800 + 837_695_737) * 1_000_000 && record.utcOffsetSeconds == nil)
    let value = try #require(record.value(MH_METRIC_INR))
    #expect(value.value == 2.4 && value.raw == 24 && value.exponent == -1 && value.unit == UInt16(MH_UNIT_INR))
    let control = bench.send(Meter.record(2, tenths: 12, status: 0xff))
    #expect(control.records.map(\.flags) == [MH_REC_CONTROL])
    let strip = bench.send(Meter.record(3, tenths: 0xffff))
    #expect(strip.records.isEmpty && strip.status == MH_OK)
    #expect(bench.send(Meter.record(5)).records.count == 1)
    let end = bench.endReport(4)
    // The cursor is of the unit that acknowledges.
    #expect(end.written == [3, 5, 0] && !end.hasFinished)
    #expect(end.writes == [KeyedBench.cursor: Array(Meter.record(5).prefix(8))])
    #expect(bench.indicate([0x83]).hasFinished)
    // After the end nothing is taken any more.
    #expect(bench.send(Meter.record(6)) == TestUnit())
  }

  @Test func aLaterReadAsksFromTheLastReadingOn() throws {
    let bench = try KeyedBench(cursor: Array(Meter.record(3).prefix(8)))
    #expect(bench.request().written == [2, 3, 0])
    let known = bench.send(Meter.record(3))
    #expect(known.records.isEmpty && known.writes.isEmpty)
    #expect(bench.send(Meter.record(4)).records.map(\.sequence) == [4])
    #expect(bench.endReport(2).written == [3, 4, 0])
    #expect(bench.indicate([0x83, 1, 2]).hasFinished)
  }

  @Test func aMeterWithoutNewReadingsIsDone() throws {
    let empty = try KeyedBench()
    _ = empty.request()
    #expect(empty.endReport(0).hasFinished)
    let read = try KeyedBench(cursor: Array(Meter.record(5).prefix(8)))
    _ = read.request()
    _ = read.send(Meter.record(5))
    // Said once more, because the last read may have ended before the meter heard it.
    #expect(read.endReport(1).written == [3, 5, 0])
    #expect(read.indicate([0x83]).hasFinished)
    // A meter that has deleted what was acknowledged.
    let deleted = try KeyedBench(cursor: Array(Meter.record(5).prefix(8)))
    _ = deleted.request()
    #expect(deleted.endReport(0).written == [2, 1, 0])
    #expect(deleted.endReport(0).hasFinished && deleted.cursor == Array(Meter.record(5).prefix(8)))
  }

  /// The cursor's number may be one that the new life of a meter has left out, or that was deleted on it: what came before it is read
  /// as well, and a read that breaks off moves no cursor.
  @Test(arguments: [[], [4, 5], [5, 4]] as [[UInt16]])
  func aMeterThatHasTheCursorsReadingNoMoreIsReadFromItsFirst(behind: [UInt16]) throws {
    let bench = try KeyedBench(cursor: Array(Meter.record(3).prefix(8)))
    #expect(bench.request().written == [2, 3, 0])
    for sequence in behind { #expect(bench.send(Meter.record(sequence, seconds: 9)).records.count == 1) }
    #expect(bench.endReport(UInt16(behind.count)).written == [2, 1, 0])
    #expect(bench.cursor == Array(Meter.record(3).prefix(8)))
    for sequence in [1, 2] + behind {
      #expect(bench.send(Meter.record(sequence, seconds: 9)).records.map(\.sequence) == [UInt64(sequence)])
    }
    let last = behind.max() ?? 2
    #expect(bench.endReport(UInt16(2 + behind.count)).written == [3, UInt8(last), 0])
    #expect(bench.cursor == Array(Meter.record(last, seconds: 9).prefix(8)))
  }

  @Test func aMeterThatIsBehindTheCursorIsReadFromItsFirst() throws {
    var meter = Meter()
    meter.lastSequence = 2
    let bench = try KeyedBench(meter, cursor: Array(Meter.record(3).prefix(8)))
    #expect(bench.request().written == [2, 1, 0])
    #expect(bench.send(Meter.record(1)).records.count == 1)
  }

  @Test func aMeterThatWasClearedAndHasPassedTheCursorIsReadFromItsFirst() throws {
    let bench = try KeyedBench(cursor: Array(Meter.record(3, seconds: 1).prefix(8)))
    #expect(bench.request().written == [2, 3, 0])
    // Another reading under the cursor's number: nothing is taken until all of it is asked for.
    for sequence in 3...5 as ClosedRange<UInt16> {
      #expect(bench.send(Meter.record(sequence)).records.isEmpty)
    }
    #expect(bench.endReport(3).written == [2, 1, 0])
    for sequence in 1...5 as ClosedRange<UInt16> {
      #expect(bench.send(Meter.record(sequence)).records.map(\.sequence) == [UInt64(sequence)])
    }
    #expect(bench.endReport(5).written == [3, 5, 0])
    #expect(bench.cursor == Array(Meter.record(5).prefix(8)))
  }

  @Test(arguments: [[], [3], [3, 0], [3, 0, 1, 2, 3, 4, 5, 6, 7], [0, 0, 0, 0, 0, 0, 0, 0]] as [[UInt8]])
  func aCursorThatIsNoneIsNoCursor(_ cursor: [UInt8]) throws {
    #expect(try KeyedBench(cursor: cursor).request().written == [2, 1, 0])
  }

  @Test func aMissingReadingIsAskedForAgain() throws {
    for count in [0, 1, 3, 0xffff] as [UInt16] {
      let bench = try KeyedBench(cursor: Array(Meter.record(1).prefix(8)))
      _ = bench.request()
      _ = bench.send(Meter.record(2))
      _ = bench.send(Meter.record(4))
      let end = bench.endReport(count)
      #expect(end.failure == MH_FAIL_COMMUNICATION && end.failureText.contains("as many"), "\(count)")
      // What came is on disk; the next read asks for the gap and for what came again.
      #expect(bench.cursor == Array(Meter.record(1).prefix(8)))
    }
    let first = try KeyedBench()
    _ = first.request()
    _ = first.send(Meter.record(4))
    #expect(first.endReport(2).failure == MH_FAIL_COMMUNICATION && first.cursor == nil)
  }

  @Test func readingsOutOfOrderAreTakenAndTheLastIsTheCursor() throws {
    let bench = try KeyedBench(cursor: Array(Meter.record(1).prefix(8)))
    _ = bench.request()
    for sequence in [4, 3, 5, 2] as [UInt16] {
      #expect(bench.send(Meter.record(sequence)).records.map(\.sequence) == [UInt64(sequence)])
    }
    #expect(bench.send(Meter.record(1)).records.isEmpty)
    #expect(bench.endReport(5).written == [3, 5, 0])
    #expect(bench.cursor == Array(Meter.record(5).prefix(8)))
  }

  @Test func aReadingThatComesTwiceIsOne() throws {
    let bench = try KeyedBench()
    _ = bench.request()
    #expect(bench.send(Meter.record(1)).records.count == 1)
    #expect(bench.send(Meter.record(1)).records.isEmpty)
    #expect(bench.endReport(1).written == [3, 1, 0])
    // Two under one number are two: their identities differ.
    let other = try KeyedBench()
    _ = other.request()
    #expect(other.send(Meter.record(1, tenths: 24)).records.count == 1)
    #expect(other.send(Meter.record(1, tenths: 25)).records.count == 1)
    #expect(other.endReport(2).written == [3, 1, 0])
  }

  @Test func readingsFromBeforeTheCursorThatNobodyAskedForAreLeft() throws {
    let bench = try KeyedBench(cursor: Array(Meter.record(3).prefix(8)))
    _ = bench.request()
    for sequence in 1...3 as ClosedRange<UInt16> { #expect(bench.send(Meter.record(sequence)).records.isEmpty) }
    #expect(bench.send(Meter.record(4)).records.count == 1)
    #expect(bench.endReport(4).written == [3, 4, 0])
  }

  @Test func theLastNumberOfAllIsRead() throws {
    var meter = Meter()
    meter.lastSequence = 0xffff
    let bench = try KeyedBench(meter)
    _ = bench.request()
    #expect(bench.send(Meter.record(0xffff)).records.count == 1)
    #expect(bench.endReport(1).written == [3, 0xff, 0xff])
    let again = try KeyedBench(meter, cursor: Array(Meter.record(0xffff).prefix(8)))
    #expect(again.request().written == [2, 0xff, 0xff])
    _ = again.send(Meter.record(0xffff))
    #expect(again.endReport(1).failure == nil)
  }

  @Test(arguments: [0, 3, 4, 12, 13, 20, 22, 100])
  func aPacketOfAnotherLengthEndsTheRead(_ length: Int) throws {
    let bench = try KeyedBench()
    _ = bench.request()
    _ = bench.send(Meter.record(1))
    let packet = Array((bench.meter.packet(Meter.record(2)) + [UInt8](repeating: 0, count: 90)).prefix(length))
    let unit = bench.session.commit(.notification(Meter.data, packet))
    #expect(unit.failure == MH_FAIL_COMMUNICATION && unit.records.isEmpty && bench.cursor == nil)
  }

  @Test func anyChangedBitOfAPacketIsSeen() throws {
    for tagLength in [4, 8] {
      var meter = Meter()
      meter.tagLength = tagLength
      for bit in 0..<8 * (13 + tagLength) {
        let bench = try KeyedBench(meter)
        _ = bench.request()
        var packet = bench.meter.packet(Meter.record(1))
        packet[bit / 8] ^= 1 << UInt8(bit % 8)
        let unit = bench.session.commit(.notification(Meter.data, packet))
        #expect(unit.failure == MH_FAIL_COMMUNICATION && unit.records.isEmpty && unit.writes.isEmpty, "bit \(bit)")
      }
    }
  }

  @Test func anotherMetersPacketIsRefused() throws {
    let bench = try KeyedBench()
    _ = bench.request()
    bench.meter.id[7] ^= 1
    #expect(bench.send(Meter.record(1)).failure == MH_FAIL_COMMUNICATION)
    let other = try KeyedBench()
    _ = other.request()
    other.meter.key[0] ^= 1
    #expect(other.send(Meter.record(1)).failure == MH_FAIL_COMMUNICATION)
    let zero = try KeyedBench()
    _ = zero.request()
    #expect(zero.send(Meter.record(0)).failure == MH_FAIL_COMMUNICATION)
  }

  @Test func aKeyThatVanishesDuringTheReadIsMissing() throws {
    let bench = try KeyedBench()
    _ = bench.request()
    bench.host.state.secrets = [:]
    #expect(bench.send(Meter.record(1)).failure == MH_FAIL_KEY_MISSING)
  }

  @Test func aHostThatKeepsNoCursorEndsTheRead() throws {
    let bench = try KeyedBench()
    _ = bench.request()
    #expect(bench.send(Meter.record(1)).records.count == 1)
    bench.host.state.refusesStorage = true
    let unit = bench.endReport(1)
    #expect(unit.failure == MH_FAIL_COMMUNICATION && unit.written == nil)
  }

  @Test func aHostThatForgetsTheLicenceIsToldThatThereIsNone() throws {
    let bench = try KeyedBench()
    bench.host.state.refusesStorage = true
    #expect(bench.session.commit(Meter.services).failure == MH_FAIL_LICENCE)
  }

  @Test func withTheSmallestArraysTheSameComesInMoreRounds() throws {
    let ample = try KeyedBench()
    let tiny = try KeyedBench()
    tiny.session.capacities = .tiny
    _ = ample.request()
    _ = tiny.request()
    for sequence in 1...3 as ClosedRange<UInt16> {
      let (expected, unit) = (ample.send(Meter.record(sequence)), tiny.send(Meter.record(sequence)))
      #expect(unit.records == expected.records && unit.actions == expected.actions && unit.writes == expected.writes)
    }
    // Without room for a single record the record waits and nothing is lost.
    var none = Capacities.ample
    none.records = 0
    let full = try KeyedBench()
    _ = full.request()
    full.session.capacities = none
    let unit = full.session.send(.notification(Meter.data, full.meter.packet(Meter.record(1)))) {
      full.session.capacities = .ample
    }
    #expect(unit.status == MH_OK && unit.rounds == 2 && unit.records.map(\.sequence) == [1])
  }
}
