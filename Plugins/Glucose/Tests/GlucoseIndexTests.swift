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
    var names: [Double: [UInt8]] = [:]
    for count in [4, 6, 8] {
      for record in try bench.read(Self.meter(Array(Self.days.prefix(count)))).records {
        names[record.values[0].value] = record.identity
      }
    }
    bench.host.state.storage["user/cursor"] = nil
    let all = try bench.read(Self.meter(Self.days))
    #expect(all.records.count == 8 && all.records.allSatisfy { names[$0.values[0].value] == $0.identity })
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
    let session = try host.open(TestOpening(parameters: parameters))
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
        default: break
        }
      }
    }
    return read
  }

  struct Failure: Error { let action: TestAction }
}
