import Foundation
import MeterBench
import Testing

/// The meter's part in a session, played on the SDK's bench, which also checks every output by the contract's rules.
final class Meter {
  static let measurement = bench_characteristic(handle: 3, properties: UInt16(MH_PROP_NOTIFY), id: 0x2a18)
  static let control = bench_characteristic(
    handle: 6, properties: UInt16(MH_PROP_WRITE | MH_PROP_INDICATE), id: 0x2a52)

  private let bench: OpaquePointer

  init() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let library = folder.appending(path: "build/drivers/libmh-template-meter.so").path
    try #require(FileManager.default.fileExists(atPath: library), "build the bundle first: make")
    bench = bench_new(bench_load(library, 0))
  }

  deinit { bench_free(bench) }

  func open(_ purpose: UInt32) -> Int32 { bench_open(bench, purpose) }

  func services(_ list: [bench_characteristic]) {
    #expect(bench_services(bench, 0x1808, list, UInt32(list.count)) == MH_OK)
  }

  /// Opens a session and brings it to its request: the bytes that it writes.
  func request() throws -> [UInt8] {
    #expect(open(MH_PURPOSE_READ) == MH_OK)
    services([Self.measurement, Self.control])
    #expect(bench_action_count(bench) == 2)
    #expect(bench_answer(bench, MH_EV_SUBSCRIBED, 1, 0) == MH_OK && bench_action_count(bench) == 0)
    #expect(bench_answer(bench, MH_EV_SUBSCRIBED, 2, 0) == MH_OK && has(MH_DO_READY))
    return try #require(written)
  }

  func value(_ kind: UInt32, _ handle: UInt16, _ bytes: [UInt8]) -> Int32 {
    bench_value(bench, kind, handle, bytes, UInt64(bytes.count))
  }

  /// Notifies a measurement: how many records came of it.
  func notify(_ bytes: [UInt8]) -> UInt64 {
    #expect(value(MH_EV_NOTIFICATION, 3, bytes) == MH_OK)
    return bench_record_count(bench)
  }

  func answer(_ bytes: [UInt8]) { #expect(value(MH_EV_INDICATION, 6, bytes) == MH_OK) }
  func fact(_ kind: UInt32, token: UInt64 = 0) { #expect(bench_fact(bench, kind, token) == MH_OK) }

  // What the last event put out.
  var record: mh_record { bench_record(bench, 0)?.pointee ?? mh_record() }
  var value: mh_value { bench_values(bench, 0)?.pointee ?? mh_value() }
  func has(_ action: UInt32) -> Bool { bench_find_action(bench, action) != nil }
  var failure: Int32? { bench_find_action(bench, MH_DO_FAIL)?.pointee.code }
  var written: [UInt8]? { bench_find_action(bench, MH_DO_WRITE).map { Self.bytes($0.pointee.value) } }
  var cursor: [UInt8] { Self.bytes(bench_stored(bench, "user/cursor")) }

  private static func bytes(_ run: mh_bytes) -> [UInt8] {
    Array(UnsafeBufferPointer(start: run.p, count: Int(run.n)))
  }
}
