import TestSupport
import Testing

@Suite struct RecordWalkTests {
  static func numbers(_ walk: RecordWalk) -> [UInt16] {
    var walk = walk
    var numbers: [UInt16] = []
    while let number = walk.current {
      numbers.append(number)
      walk.advance(hasRecord: true)
    }
    return numbers
  }

  @Test func oldestFirstAndNewestFirst() {
    #expect(Self.numbers(RecordWalk(newest: 76, count: 7, newestFirst: false)) == [70, 71, 72, 73, 74, 75, 76])
    #expect(Self.numbers(RecordWalk(newest: 76, count: 3, newestFirst: true)) == [76, 75, 74])
    #expect(Self.numbers(RecordWalk(newest: 76, count: 0, newestFirst: false)).isEmpty)
  }

  @Test func numbersGoAroundTheCircle() {
    var walk = RecordWalk(newest: 1, count: 4, newestFirst: false)
    #expect(Self.numbers(walk) == [65534, 65535, 0, 1])
    #expect(walk.holds(65534) && walk.holds(1) && !walk.holds(2) && !walk.holds(65533))
    walk.skip(through: 65535, leaving: nil)
    #expect(Self.numbers(walk) == [0, 1])
    walk.skip(through: 1, leaving: nil)
    #expect(walk.current == nil)
  }

  /// Numbers without a record push the oldest ones down.
  @Test(arguments: [false, true], [[5, 7], [10], [3, 4, 5], [1, 2, 9]] as [[UInt16]])
  func theWalkGoesOnBelow(newestFirst: Bool, empty: [UInt16]) {
    let stored = Set((1...10).filter { !empty.contains($0) } as [UInt16])
    var walk = RecordWalk(newest: 10, count: UInt16(stored.count), newestFirst: newestFirst)
    var found: Set<UInt16> = []
    while let number = walk.current {
      if stored.contains(number) { found.insert(number) }
      walk.advance(hasRecord: stored.contains(number))
    }
    #expect(found == stored && walk.lost == 0 && walk.older == nil)
  }

  /// What is announced and nowhere is told, and no hole is looked through for ever.
  @Test func whatIsNowhereIsTold() {
    var walk = RecordWalk(newest: 9, count: 4, newestFirst: false)
    while let number = walk.current { walk.advance(hasRecord: number >= 8) }
    #expect(walk.lost == 2)
    var deep = RecordWalk(newest: 40_000, count: 4, newestFirst: false)
    var asked = 0
    while deep.current != nil {
      deep.advance(hasRecord: false)
      asked += 1
    }
    #expect(deep.lost == 4 && asked == 4 + RecordWalk.longestHole)
  }

  @Test func theWholeCircleEnds() {
    #expect(Self.numbers(RecordWalk(newest: 9, count: .max, newestFirst: true)).count == 65535)
  }
}

@Suite struct StoredRecordTests {
  static let bytes: [UInt8] = [0x78, 0x56, 0x34, 0x12, 0x6f, 0, 0, 0, 0, 0, 0]

  @Test func fields() throws {
    let record = try #require(StoredRecord(Self.bytes[...]))
    #expect(record.seconds == 0x1234_5678 && record.milligramsPerDecilitre == 111 && !record.isControlSolution)
    #expect(record.bytes == Self.bytes)
    #expect(StoredRecord.read(Self.bytes[...]) == .reading(record))
    #expect(StoredRecord.read((Self.bytes + [9])[...]) == .reading(record))
  }

  @Test func contents() {
    #expect(StoredRecord.read([]) == .empty)
    for length in 1..<11 { #expect(StoredRecord.read(Self.bytes[..<length]) == .refused(.wrongLength)) }
    for index in 7..<11 {
      var bytes = Self.bytes
      bytes[index] = 1
      #expect(StoredRecord.read(bytes[...]) == .refused(.unknownFlags))
      bytes[4] = 0
      #expect(StoredRecord.read(bytes[...]).record?.milligramsPerDecilitre == 0)
    }
  }

  @Test func cursorSurvivesStorage() throws {
    let record = try #require(StoredRecord(Self.bytes[...]))
    let cursor = ReadCursor(number: 0xabcd, record: record)
    #expect(ReadCursor(cursor.bytes) == cursor)
    #expect(ReadCursor(cursor.bytes + [0]) == nil && ReadCursor([]) == nil)
    #expect(ReadCursor([2] + cursor.bytes.dropFirst()) == nil)
  }

  @Test func clockGoesBothWays() {
    #expect(MeterClock.civil(0) == 946_684_799)
    for seconds in [1, 735_000_000, UInt32.max] {
      #expect(MeterClock.seconds(civil: MeterClock.civil(seconds)) == seconds)
    }
    #expect(MeterClock.seconds(civil: 0) == nil && MeterClock.seconds(civil: .max) == nil)
  }
}
