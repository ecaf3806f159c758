import Foundation
import MeterBench
import Testing

/// Sessions of the driver that ships, on the bench of the SDK: what it asks for, in which order, and that no reading is
/// lost when the link drops or the meter's memory is another one.
@Suite struct SessionTests {
  // Records 30, 31 and 32 of 2018-09-20; the last one was taken with control solution.
  static let first: [UInt8] = [0x02, 30, 0, 0xe2, 0x07, 9, 20, 8, 0, 0, 0x6f, 0xb0, 0xf1]
  static let second: [UInt8] = [0x02, 31, 0, 0xe2, 0x07, 9, 20, 12, 0, 0, 0x76, 0xb0, 0xf1]
  static let third: [UInt8] = [0x02, 32, 0, 0xe2, 0x07, 9, 20, 18, 0, 0, 0x64, 0xb0, 0xfa]
  /// Number 30 again, of another memory.
  static let reset: [UInt8] = [0x02, 30, 0, 0xe3, 0x07, 1, 2, 7, 30, 0, 0x5a, 0xb0, 0xf1]

  static let done: [UInt8] = [0x06, 0x00, 0x01, 0x01]
  static let noRecords: [UInt8] = [0x06, 0x00, 0x01, 0x06]

  @Test func readsStoredRecordsOnce() throws {
    let meter = try Meter()
    #expect(try meter.request() == [0x01, 0x01])
    #expect(meter.notify(Self.first) == 1)
    #expect(meter.record.device_seq == 30 && UInt32(meter.record.ident_class) == MH_IDENT_STORED)
    #expect(UInt32(meter.value.metric) == MH_METRIC_BLOOD_GLUCOSE && meter.value.value == 111)
    #expect(meter.notify(Self.second) == 1)
    // The cursor moves with the end, in the same unit.
    #expect(meter.cursor.isEmpty)
    meter.answer(Self.done)
    #expect(meter.has(MH_DO_FINISH) && meter.cursor.count == 12)
    // The next session asks for the cursor's reading and what came after it.
    #expect(try meter.request() == [0x01, 0x03, 0x01, 31, 0])
    #expect(meter.notify(Self.second) == 0)
    #expect(meter.notify(Self.third) == 1)
    #expect(meter.record.flags & MH_REC_CONTROL != 0)
    meter.answer(Self.done)
    #expect(meter.has(MH_DO_FINISH))
    #expect(try meter.request() == [0x01, 0x03, 0x01, 32, 0])
  }

  @Test func readsAllAgainWhenTheMemoryIsAnotherOne() throws {
    let meter = try Meter()
    _ = try meter.request()
    #expect(meter.notify(Self.third) == 1)
    meter.answer(Self.done)
    // Cleared: number 32 is not there.
    #expect(try meter.request() == [0x01, 0x03, 0x01, 32, 0])
    meter.answer(Self.noRecords)
    #expect(meter.written == [0x01, 0x01])
    #expect(meter.notify(Self.reset) == 1)
    meter.answer(Self.done)
    #expect(meter.has(MH_DO_FINISH))
    // The same number, and another reading.
    #expect(try meter.request() == [0x01, 0x03, 0x01, 30, 0])
    #expect(meter.notify(Self.first) == 1)
    meter.answer(Self.done)
    #expect(meter.written == [0x01, 0x01])
  }

  @Test func keepsTheCursorWhenTheLinkDrops() throws {
    let meter = try Meter()
    _ = try meter.request()
    #expect(meter.notify(Self.first) == 1)
    meter.fact(MH_EV_DISCONNECTED)
    #expect(meter.failure == MH_FAIL_COMMUNICATION && meter.cursor.isEmpty)
    #expect(try meter.request() == [0x01, 0x01])
  }

  @Test func keepsTheCursorBeforeWhatCannotBeRead() throws {
    let meter = try Meter()
    _ = try meter.request()
    #expect(meter.value(MH_EV_NOTIFICATION, 3, Array(Self.first.prefix(9))) == MH_E_PROTOCOL)
    #expect(meter.notify(Self.second) == 1)
    meter.answer(Self.done)
    #expect(meter.failure == MH_FAIL_METER_ERROR && meter.cursor.isEmpty)
  }

  @Test func tellsWhyItFails() throws {
    let meter = try Meter()
    #expect(meter.open(MH_PURPOSE_READ) == MH_OK)
    meter.services([Meter.measurement])
    #expect(meter.failure == MH_FAIL_UNSUPPORTED_METER)
    _ = try meter.request()
    meter.fact(MH_EV_TIMER, token: 4)
    #expect(meter.failure == MH_FAIL_TIMEOUT)
    #expect(meter.open(MH_PURPOSE_CLOCK) == MH_E_UNSUPPORTED)
  }
}
