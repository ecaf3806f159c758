import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing

/// Meters that number their records from the newest: 0 is today's.
@Suite struct GlucoseIndexTests {
  /// A reading: its minute of the day, and its value in mg/dL.
  typealias Reading = (minute: Int, value: Int)

  /// The meter with these readings, the oldest first, as it numbers them now.
  static func meter(_ readings: [Reading], room: Int = .max) -> RawMeter {
    RawMeter(
      packets: readings.suffix(min(room, readings.count)).reversed().enumerated().map { number, reading in
        packet(number, reading)
      })
  }

  static func packet(_ number: Int, _ reading: Reading) -> [UInt8] {
    [
      0x02, UInt8(number & 0xff), UInt8(number >> 8), 0xe8, 7, 1, 2, UInt8(reading.minute / 60),
      UInt8(reading.minute % 60), 0, UInt8(reading.value & 0xff), 0xb0 | UInt8(reading.value >> 8), 0xf1,
    ]
  }

  static let days: [Reading] = [(10, 101), (20, 102), (30, 103), (40, 104), (50, 105), (60, 106), (70, 107), (80, 108)]

  /// Each day one more; every value is there once, under one name, whatever its number is.
  @Test(arguments: [1, 2, 3, 4], [8, 4])
  func eachReadingHasOneName(first: Int, room: Int) throws {
    let bench = try RawBench()
    var names: [Double: Set<[UInt8]>] = [:]
    for count in first...Self.days.count {
      for record in try bench.read(Self.meter(Array(Self.days.prefix(count)), room: room)).records
      where record.flags == 0 {
        names[record.values[0].value, default: []].insert(record.identity)
      }
    }
    // What the memory had lost before it was read first is nowhere.
    let expected = Set(Self.days.dropFirst(max(0, first - room)).map { Double($0.value) })
    #expect(Set(names.keys) == expected)
    // Of one single known reading nothing is proved: where it comes back it waits for a person.
    #expect(names.values.allSatisfy { $0.count == 1 }, "\(names)")
  }

  @Test func severalNewReadingsAtOnceAreRead() throws {
    let bench = try RawBench()
    #expect(try bench.read(Self.meter(Array(Self.days.prefix(4)))).values == [104, 103, 102, 101])
    #expect(try bench.read(Self.meter(Self.days)).values == [108, 107, 106, 105])
    #expect(try bench.read(Self.meter(Self.days)).values.isEmpty)
    #expect(bench.requests.suffix(1) == [[1, 1]], "the whole memory, now that its numbers are known for an index")
  }

  @Test func twoEqualReadingsOfOneSecondStayTwo() throws {
    let bench = try RawBench()
    let twins: [Reading] = [(10, 101), (20, 102), (20, 102), (30, 103)]
    #expect(try bench.read(Self.meter(twins)).values == [103, 102, 102, 101])
    let next = try bench.read(Self.meter(twins + [(40, 104)]))
    #expect(next.values == [104])
    let later = try bench.read(Self.meter(twins + [(40, 104), (50, 105), (50, 105)]))
    #expect(later.values == [105, 105] && Set(later.records.map(\.identity)).count == 2)
  }

  /// A clock that was set back gives older times under higher numbers: nothing has moved.
  @Test func aClockThatWasSetBackIsNoIndex() throws {
    let bench = try RawBench()
    let before = [Self.packet(0, (600, 101)), Self.packet(1, (610, 102)), Self.packet(2, (620, 103))]
    #expect(try bench.read(RawMeter(packets: before)).values == [101, 102, 103])
    let after = try bench.read(RawMeter(packets: before + [Self.packet(3, (30, 104))]))
    #expect(after.records.filter { $0.values[0].value == 104 }.map(\.flags) == [0])
    #expect(bench.host.state.storage["meter/numbers"]?[1] == 0)
    let later = try bench.read(RawMeter(packets: before + [Self.packet(3, (30, 104)), Self.packet(4, (40, 105))]))
    #expect(later.values == [105])
  }

  @Test func aMemoryThatBeganAgainIsNoIndex() throws {
    let bench = try RawBench()
    _ = try bench.read(RawMeter(packets: [Self.packet(5, (600, 101)), Self.packet(6, (610, 102))]))
    let after = try bench.read(RawMeter(packets: [Self.packet(0, (700, 103)), Self.packet(1, (710, 104))]))
    #expect(after.values == [103, 104] && bench.host.state.storage["meter/numbers"]?[1] == 0)
  }

  /// A read of the whole memory, as with `--history`, gives every reading the name that it has.
  @Test func theWholeMemoryKeepsItsNames() throws {
    let bench = try RawBench()
    var delivered: [Double: TestRecord] = [:]
    for count in [4, 6, 8] {
      for record in try bench.read(Self.meter(Array(Self.days.prefix(count)))).records {
        delivered[record.values[0].value] = record
      }
    }
    bench.host.state.storage["user/cursor"] = nil
    let all = try bench.read(Self.meter(Self.days))
    // With its number, too: the same name with another one would be another reading.
    #expect(all.records.count == 8 && all.records.allSatisfy { delivered[$0.values[0].value] == $0 })
  }

  /// A session that wants a part of the memory leaves records there: those that it may have delivered keep their names, too.
  @Test(arguments: [true, false])
  func aPartOfTheMemoryKeepsItsNames(isFirst: Bool) throws {
    let bench = try RawBench()
    var names: [Double: Set<[UInt8]>] = [:]
    func read(_ count: Int, part: Bool) throws -> [Double] {
      let cursor = bench.host.state.storage["user/cursor"]
      // The host gives such a session no cursor, and keeps none that it writes.
      if part { bench.host.state.storage["user/cursor"] = nil }
      let read = try bench.read(
        Self.meter(Array(Self.days.prefix(count))), opening: TestOpening(since: part ? 1 : nil))
      if part { bench.host.state.storage["user/cursor"] = cursor }
      for record in read.records where record.flags == 0 {
        names[record.values[0].value, default: []].insert(record.identity)
      }
      return read.values
    }
    if !isFirst { _ = try read(2, part: false) }
    _ = try read(4, part: true)
    _ = try read(5, part: true)
    // What was left in the meter comes when the whole memory is wanted.
    #expect(
      Set(try read(6, part: false)).isSuperset(of: isFirst ? [101, 102, 103, 104, 105, 106] : [103, 104, 105, 106]))
    #expect(try read(7, part: false) == [107])
    _ = try read(8, part: true)
    #expect(try read(8, part: false) == [108])
    #expect(names.count == 8 && names.values.allSatisfy { $0.count == 1 }, "\(names)")
  }

  /// A meter that repeats whole blocks, because it missed their acknowledgements.
  @Test func blocksThatComeTwiceAreOne() throws {
    let bench = try RawBench()
    _ = try bench.read(Self.meter(Array(Self.days.prefix(4))))
    _ = try bench.read(Self.meter(Array(Self.days.prefix(5))))
    let packets = Self.meter(Self.days).packets
    let twice = packets[..<2] + packets[..<2] + packets[2...4] + packets[2...4] + packets[5...]
    #expect(try bench.read(RawMeter(packets: Array(twice))).values == [108, 107, 106])
  }

  /// More readings than the log holds: each once, though the meter moves all of them up each day, as long as it is full or grows.
  @Test(arguments: [Int.max, 2100], [false, true])
  func aMemoryBeyondTheLogIsReadOnce(room: Int, fills: Bool) throws {
    let bench = try RawBench()
    var names: [Double: Set<[UInt8]>] = [:]
    for count in [2100, 2101, 2103, 2104, 2210] {
      let first = max(0, count - min(room, count))
      var packets: [[UInt8]] = []
      for index in (first..<count).reversed() {
        let time: [UInt8] = [
          0xe8, 7, UInt8(index / 864 + 1), UInt8(index / 36 % 24 + 1), UInt8(index % 36 / 2), UInt8(index % 2), 0,
        ]
        for value in [0xb000 | UInt16(index % 400 + 100), 0xffff].prefix(fills ? 2 : 1) {
          let number = packets.count
          packets.append(
            [2, UInt8(number & 0xff), UInt8(number >> 8)] + time + [UInt8(value & 0xff), UInt8(value >> 8), 0x11])
        }
      }
      let read = try bench.read(RawMeter(packets: packets))
      for record in read.records where record.flags & MH_REC_HELD == 0 {
        names[Double(record.time), default: []].insert(record.identity)
      }
    }
    #expect(names.count == 2210 && names.values.allSatisfy { $0.count == 1 })
  }

  /// A log that is full holds nothing back: what a meter measures after its clock was lost is new, however old its date is.
  @Test func aLostClockLosesNothingBehindAFullLog() throws {
    let bench = try RawBench()
    func packets(_ lost: Int) -> [[UInt8]] {
      var times: [[UInt8]] = []
      for minute in (0..<lost).reversed() { times.append([0xe4, 7, 1, 1, 0, UInt8(minute), 0]) }
      for index in (0..<2010).reversed() {
        let (month, day) = (UInt8(index / 864 + 1), UInt8(index / 36 % 24 + 1))
        times.append([0xe8, 7, month, day, UInt8(index % 36 / 2), UInt8(index % 2), 0])
      }
      var packets: [[UInt8]] = []
      for (number, time) in times.enumerated() {
        packets.append([2, UInt8(number & 0xff), UInt8(number >> 8)] + time + [120, 0xb0, 0x11])
      }
      return packets
    }
    #expect(try bench.read(RawMeter(packets: packets(0))).records.count == 2010)
    var found: Set<[UInt8]> = []
    for lost in 1...3 { found.formUnion(try bench.read(RawMeter(packets: packets(lost))).records.map(\.identity)) }
    #expect(found.count == 3, "the three, each once")
  }

  /// A meter that was set to the other unit sends what it has in that one.
  @Test func anotherUnitMakesNoNewReading() throws {
    let bench = try RawBench()
    func packets(_ values: [UInt16], molar: Bool) -> [[UInt8]] {
      values.enumerated().map { number, value in
        var packet = Self.packet(number, (600 + number, 0))
        packet[0] = molar ? 6 : 2
        (packet[10], packet[11]) = (UInt8(value & 0xff), (molar ? 0xc0 : 0xb0) | UInt8(value >> 8))
        return packet
      }
    }
    #expect(try bench.read(RawMeter(packets: packets([110, 120, 130], molar: false))).values == [110, 120, 130])
    // 6.1, 6.7 and 7.2 mmol/L are 110, 120 and 130 mg/dL.
    let molar = packets([61, 67, 72], molar: true)
    #expect(try bench.read(RawMeter(packets: molar)).records.isEmpty)
    #expect(try bench.read(RawMeter(packets: molar)).records.isEmpty)
    let next = try bench.read(RawMeter(packets: packets([61, 67, 72, 80], molar: true)))
    #expect(next.values == [8.0])
    // Another value of that time and number is another reading.
    let other = try RawBench()
    _ = try other.read(RawMeter(packets: packets([110, 120, 130], molar: false)))
    #expect(try other.read(RawMeter(packets: packets([61, 67, 90], molar: true))).values == [9.0])
  }
}

/// A meter that sends these packets.
struct RawMeter {
  var packets: [[UInt8]]

  func answer(_ request: [UInt8]) -> [[UInt8]] {
    switch request {
    case [1, 1]: return packets
    case [1, 6]: return packets.max { number($0) < number($1) }.map { [$0] } ?? []
    default:
      guard request.count == 5 else { return [] }
      let first = Int(request[3]) | Int(request[4]) << 8
      return packets.filter { number($0) >= first }
    }
  }

  private func number(_ packet: [UInt8]) -> Int { Int(packet[1]) | Int(packet[2]) << 8 }
}

/// Sessions of the glucose bundle with meters that are given packet by packet.
final class RawBench {
  struct Read {
    var records: [TestRecord] = []
    var values: [Double] { records.map { $0.values[0].value } }
  }

  let host: TestHost
  private(set) var requests: [[UInt8]] = []

  init() throws { host = try TestHost(bundle: "glucose") }

  func read(_ meter: RawMeter, _ parameters: [UInt32: Int64] = [:]) throws -> Read {
    try read(meter, opening: TestOpening(parameters: parameters))
  }

  func read(_ meter: RawMeter, opening: TestOpening) throws -> Read {
    let session = try host.open(opening)
    var read = Read()
    var queue: [TestEvent] = [.services(GlucoseBench.handles, service: 0x1808)]
    while !queue.isEmpty {
      let unit = session.commit(queue.removeFirst())
      read.records += unit.records
      for action in unit.actions {
        switch action.kind {
        case MH_DO_SUBSCRIBE: queue.append(.subscribed(token: action.token))
        case MH_DO_WRITE:
          requests.append(action.value)
          queue.append(.wrote(token: action.token))
          let packets = meter.answer(action.value)
          queue += packets.map { .notification(10, $0) } + [.indication(16, [6, 0, 1, packets.isEmpty ? 6 : 1])]
        case MH_DO_FINISH: return read
        case MH_DO_FAIL: throw Failure(action: action)
        case MH_DO_TIMER where action.argument <= 1_000_000_000 && queue.isEmpty: queue.append(.timer(action.token))
        default: break
        }
      }
    }
    return read
  }

  struct Failure: Error { let action: TestAction }
}
