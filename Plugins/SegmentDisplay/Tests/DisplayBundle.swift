import CMeterDriver
import Foundation

@testable import DriverTestBench

/// The bundle as a host holds it: its table for displays, behind the few calls of the tests.
final class DisplayBundle {
  struct Row: Equatable {
    var role: UInt32
    var flags: UInt32
    var box: [Double]
    var characters: String
  }

  struct Layout: Equatable {
    var aspect: Double
    var overlay: String
    var rows: [Row]
  }

  struct Meaning: Equatable {
    var status: Int32
    var verdict: UInt32
    var records: [TestRecord] = []
  }

  /// Ids and names of the registry's meters of this driver.
  static let meters: [Peripheral] = Peripheral.ofThisDriver()

  /// What the process's one host keeps: a bundle has one host for as long as it is loaded. Used by one suite at a time.
  nonisolated(unsafe) static let hostState = HostState()
  // Written once, before anybody else sees it.
  nonisolated(unsafe) private static let host: UnsafeMutablePointer<mh_host> = {
    let table = UnsafeMutablePointer<mh_host>.allocate(capacity: 1)
    table.initialize(to: makeHost(hostState))
    return table
  }()

  let driver: mh_driver
  let table: mh_ocr
  private let state = HostState()
  private let quick: TestSink

  init() throws {
    let entry = try driverEntry(library: "libmh-segment-display.so")
    var found: UnsafePointer<mh_driver>?
    var why = mh_str()
    guard entry(Self.host, 0, &found, &why) == MH_OK, let first = found,
      let ocr = first.pointee.extension?(MH_EXT_OCR_DRAFT)
    else { throw TestFailure("the bundle refuses, or reads no displays") }
    driver = first.pointee
    quick = TestSink(Capacities(records: 1, values: 3, arena: 64, texts: 0), state, actions: false)
    table = ocr.assumingMemoryBound(to: mh_ocr.self).pointee
  }

  func layout(_ meter: UInt32) -> (status: Int32, layout: Layout?) {
    var raw = mh_ocr_layout()
    raw.struct_size = UInt32(MemoryLayout<mh_ocr_layout>.size)
    let status = table.layout(meter, &raw)
    guard status == MH_OK else { return (status, nil) }
    let rows = UnsafeBufferPointer(start: raw.rows, count: Int(raw.n_rows)).map { row in
      Row(
        role: UInt32(row.role), flags: UInt32(row.flags),
        box: [row.box.x, row.box.y, row.box.width, row.box.height].map(Double.init),
        characters: text(row.characters))
    }
    return (status, Layout(aspect: Double(raw.aspect), overlay: text(raw.overlay), rows: rows))
  }

  func interpret(
    _ rows: [[UInt8]], meter: UInt32, unit: UInt32 = MH_UNIT_NONE, _ capacities: Capacities = .ample
  ) -> Meaning {
    let sink = TestSink(capacities, state, actions: false)
    let (status, verdict) = call(rows, meter, unit, &sink.sink)
    return Meaning(status: status, verdict: verdict, records: sink.take())
  }

  /// The verdict alone, for tests that ask a hundred thousand times; 0 when the call failed, or its records do not go
  /// with it.
  func verdict(_ rows: [[UInt8]], meter: UInt32, unit: UInt32) -> UInt32 {
    quick.sink.n_records = 0
    quick.sink.n_values = 0
    quick.sink.n_arena = 0
    let (status, verdict) = call(rows, meter, unit, &quick.sink)
    return status == MH_OK && quick.sink.n_records == (verdict == MH_OCR_VALID ? 1 : 0) ? verdict : 0
  }

  private func call(
    _ rows: [[UInt8]], _ meter: UInt32, _ unit: UInt32, _ sink: inout mh_sink
  ) -> (status: Int32, verdict: UInt32) {
    let bytes = rows.flatMap { $0 }
    var verdict: UInt32 = 0
    let status = bytes.withUnsafeBytes { buffer in
      var offset = 0
      let texts = rows.map { row in
        defer { offset += row.count }
        let start = buffer.baseAddress.map { $0 + offset }?.assumingMemoryBound(to: CChar.self)
        return mh_ocr_text(text: mh_str(p: row.isEmpty ? nil : start, n: UInt64(row.count)))
      }
      return table.interpret(meter, UInt16(unit), texts, UInt32(texts.count), &verdict, &sink)
    }
    return (status, verdict)
  }

  func interpret(_ rows: [String], meter: UInt32, unit: UInt32 = MH_UNIT_NONE) -> Meaning {
    interpret(rows.map { Array($0.utf8) }, meter: meter, unit: unit)
  }
}

/// What registry.json says of a meter.
struct Peripheral: Decodable, CustomStringConvertible, Sendable {
  let id: UInt32
  let kind: String
  let name: String
  let type: String
  let driver: String?
  /// UCUM units that it may be set to, its default first.
  let units: [String]?

  var description: String { name }

  private struct Registry: Decodable { let peripherals: [Peripheral] }

  static func ofThisDriver() -> [Peripheral] {
    guard let data = try? Data(contentsOf: packageFolder().appendingPathComponent("registry.json")),
      let registry = try? JSONDecoder().decode(Registry.self, from: data)
    else { return [] }
    return registry.peripherals.filter { $0.driver == "org.meterhost.segment-display" }
  }

  /// Their codes in the contract.
  var unitCodes: [UInt32] {
    let known = (try? MetricNames.load().units) ?? []
    return (units ?? []).compactMap { name in known.first { $0.ucum == name }.map { UInt32($0.code) } }
  }
}
