import DriverRuntime
import BluetoothWire
import Foundation
import MeterCore
import TestSupport
import Testing
import VirtualMeter

@testable import MeterBluetooth
@testable import MeterDrivers

@Suite("A Bluetooth capture", .jumpingTime, .timeLimit(.minutes(60)))
struct CaptureImportTests {
  private static func importer(_ peripheral: UInt32, _ staged: StagedRegistry) throws -> CaptureImport {
    let entry = try #require(staged.registry.peripheral(id: peripheral))
    let driver = try #require(staged.registry.driver(id: entry.driverID ?? ""))
    return CaptureImport(peripheral: entry, driver: driver, bundle: try staged.bundles.bundle(for: driver))
  }

  private static func replay(_ recording: Recording, _ staged: StagedRegistry) async throws -> ReplayReport {
    let driver = try #require(staged.registry.driver(id: recording.head.driver))
    let host = DriverHost(configuration: DriverHostConfiguration(isolation: .inProcess))
    return try await RecordingReplay(host: host).run(recording, bundle: staged.bundles.bundle(for: driver))
  }

  /// What went over the air while a shipped meter was read, and the records that its driver made of it.
  private static func read(
    _ peripheral: UInt32, _ meter: String
  ) async throws -> (items: [CapturingRadio.Item], records: [DriverRecord], bench: ReadBench) {
    let radio = CapturingRadio(BenchRadio([try BenchMeter.shipped(meter)]))
    let bench = try ReadBench(radio, isolation: .inProcess)
    let result = try await bench.read(peripheral, .with { $0.records = true })
    #expect(result.end == "completed", "\(result.words) \(result.error?.message ?? "")")
    let file = try #require(bench.store.recordings.file(result.summary.recordings.first ?? ""))
    let recording = try RecordingReader(state: bench.store.folder.path).open(RecordingReader.sealed(path: file.path))
    let units = recording.steps.compactMap { if case .unit(let unit) = $0 { unit } else { nil } }
    return (radio.items, units.flatMap(\.records), bench)
  }

  @Test(
    "of a read gives the read's records again, whoever wrote it",
    arguments: [
      (1000, "contour-next-one"), (4000, "thermometer-with-clock"), (10101, "omron-x4-smart"), (10300, "fora-glucose"),
      (10400, "verio-flex"), (10310, "choicemmed-oximeter"),
    ] as [(UInt32, String)])
  func shipped(peripheral: UInt32, meter: String) async throws {
    let (items, records, _) = try await Self.read(peripheral, meter)
    let staged = try StagedRegistry.shared.get()
    #expect(records.contains { $0.kind == .measurement })
    for link in CaptureWriter.Link.allCases {
      for fragment in [1, 27, 251] {
        let imported = try Self.importer(peripheral, staged).importing(
          CaptureWriter.file(items, link, fragment: fragment), address: nil)
        #expect(imported.connections == 1 && imported.recording.head.origin == .capture)
        let report = try await Self.replay(imported.recording, staged)
        let found = report.records.filter { $0.kind == .measurement }
        #expect(found == records.filter { $0.kind == .measurement }, "\(link) \(fragment) \(report.words)")
        #expect(report.fault == nil && report.verdict == .none)
      }
    }
  }

  @Test("survives being sealed and opened")
  func sealed() async throws {
    let (items, _, bench) = try await Self.read(1000, "contour-next-one")
    let staged = try StagedRegistry.shared.get()
    let imported = try Self.importer(1000, staged).importing(CaptureWriter.file(items, .uart), address: nil)
    let name = try RecordingWriter(store: bench.store).write(
      imported.recording, generation: try bench.store.currentSession().generation, knowsDate: true)
    let file = try #require(bench.store.recordings.file(name))
    let opened = try RecordingReader(state: bench.store.folder.path).open(RecordingReader.sealed(path: file.path))
    #expect(opened == imported.recording)
  }

  @Test("without discovery says that the phone knew the meter")
  func cached() async throws {
    let (items, _, _) = try await Self.read(1000, "contour-next-one")
    // Requests and answers of discovery: 04 to 11.
    let without = items.filter { item in
      switch item {
      case .sent(let pdu), .received(let pdu): !(0x04...0x11).contains(pdu[0])
      default: true
      }
    }
    let error = #expect(throws: CaptureError.self) {
      try Self.importer(1000, StagedRegistry.shared.get()).importing(CaptureWriter.file(without, .uart), address: nil)
    }
    #expect(error?.code == .unresolved && error?.message.contains("1808") == true)
    // An earlier connection of the same capture may have found them.
    let twice = try Self.importer(1000, StagedRegistry.shared.get()).importing(
      CaptureWriter.file(items + without, .uart), address: nil)
    #expect(twice.connections == 2)
  }

  @Test("in which the meter asks the phone, too, loses nothing of what the phone asked")
  func bothAsk() async throws {
    let (items, _, _) = try await Self.read(1000, "contour-next-one")
    let mixed = items.flatMap { item -> [CapturingRadio.Item] in
      guard case .sent(let pdu) = item, ATTOpcode(rawValue: pdu[0]).isRequest else { return [item] }
      // It reads a value, looks for the Current Time, which is not there, and is notified by the phone.
      return [
        item, .received([0x0A, 0x10, 0]), .sent([0x0B, 1, 2, 3]), .received([0x08, 1, 0, 0xFF, 0xFF, 0x2B, 0x2A]),
        .sent([0x01, 0x08, 1, 0, 0x0A]), .sent([0x1B, 0x10, 0, 9]),
      ]
    }
    let importer = try Self.importer(1000, StagedRegistry.shared.get())
    let alone = try importer.importing(CaptureWriter.file(items, .uart), address: nil)
    let both = try importer.importing(CaptureWriter.file(mixed, .uart), address: nil)
    func contents(_ capture: ImportedCapture) -> [CapturedStep.Content] {
      capture.recording.steps.compactMap { if case .captured(let step) = $0 { step.content } else { nil } }
    }
    #expect(contents(both) == contents(alone) && both.notes == alone.notes)
  }

  @Test("of another meter is refused, and of several asks which")
  func addresses() async throws {
    let (items, _, _) = try await Self.read(1000, "contour-next-one")
    let other = items.map { item in
      if case .connected = item { CapturingRadio.Item.connected(BluetoothAddress(value: 7)) } else { item }
    }
    let importer = try Self.importer(1000, StagedRegistry.shared.get())
    let file = CaptureWriter.file(items + other, .monitor)
    let several = #expect(throws: CaptureError.self) { try importer.importing(file, address: nil) }
    #expect(several?.code == .ambiguous && several?.message.contains("00:00:00:00:00:07") == true)
    #expect(try importer.importing(file, address: BluetoothAddress(value: 7)).connections == 1)
    let nobody = #expect(throws: CaptureError.self) {
      try importer.importing(file, address: BluetoothAddress(value: 8))
    }
    #expect(nobody?.code == .noMeter)
    let empty = #expect(throws: CaptureError.self) {
      try importer.importing(CaptureWriter.file([], .uart), address: nil)
    }
    #expect(empty?.code == .noMeter)
  }

  @Test("that does not answer what the driver asks is told so")
  func unanswered() async throws {
    let (items, _, _) = try await Self.read(1000, "contour-next-one")
    let staged = try StagedRegistry.shared.get()
    let onlySubscribed = items.filter { item in
      guard case .sent(let pdu) = item, pdu[0] == 0x12 else { return true }
      // A subscription has two bytes of which the second is 0; an operation of RACP has an operator behind its code.
      return pdu.count == 5 && pdu[4] == 0
    }
    let imported = try Self.importer(1000, staged).importing(
      CaptureWriter.file(onlySubscribed, .uart), address: nil)
    let report = try await Self.replay(imported.recording, staged)
    #expect(report.outcome == .differs)
    #expect(
      report.words.contains { $0.contains("asked to write") && $0.contains("does not answer") }, "\(report.words)")
  }

  @Test("of a scale that only advertises gives its weight")
  func advertisements() async throws {
    let staged = try Beacon.staged.get()
    let items: [CapturingRadio.Item] = [
      .heard(Beacon.says(.unstable, 7000)), .heard(Beacon.says(.unstable, 7000)), .heard(Beacon.says(.unstable, 7100)),
      .heard(Beacon.says(.stable, 7150)),
    ]
    for link in CaptureWriter.Link.allCases {
      let imported = try Self.importer(Beacon.peripheral, staged).importing(
        CaptureWriter.file(items, link), address: nil)
      // A repeat is left out; the last is the silence.
      #expect(imported.recording.steps.count == 4)
      let report = try await Self.replay(imported.recording, staged)
      #expect(
        report.records.filter { $0.kind == .measurement }.contains { !$0.flags.contains(.provisional) }, "\(report)")
    }
  }

  @Test("whose end is missing is read up to there")
  func cutOff() async throws {
    let (items, _, _) = try await Self.read(4000, "thermometer-with-clock")
    let importer = try Self.importer(4000, StagedRegistry.shared.get())
    let file = CaptureWriter.file(items, .uart)
    #expect(try importer.importing(file, address: nil).notes.isEmpty)
    let cut = try importer.importing(Array(file.dropLast(3)), address: nil)
    #expect(cut.notes.contains { $0.contains("cut off at byte") })
  }

  @Test("that is damaged never crashes the import", arguments: CaptureWriter.Link.allCases)
  func fuzz(link: CaptureWriter.Link) async throws {
    let (items, _, _) = try await Self.read(1000, "contour-next-one")
    let importer = try Self.importer(1000, StagedRegistry.shared.get())
    let file = CaptureWriter.file(items, link)
    var generator = SeededGenerator(seed: UInt64(link.rawValue))
    var imported = 0
    for _ in 0..<600 {
      var bytes = file
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: bytes.indices, using: &generator)
        bytes[place] =
          [0, 1, 0x7F, 0xFF, UInt8.random(in: 0...255, using: &generator)].randomElement(using: &generator) ?? 0
      }
      if Int.random(in: 0..<4, using: &generator) == 0 {
        bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
      }
      if (try? importer.importing(bytes, address: nil)) != nil { imported += 1 }
    }
    #expect(imported > 0)
    for length in stride(from: 0, to: file.count, by: 7) {
      _ = try? importer.importing(Array(file.prefix(length)), address: nil)
    }
    for _ in 0..<300 {
      let head = Array(file.prefix(16))
      _ = try? importer.importing(head + generator.bytes(0...400), address: nil)
    }
  }

  @Test("of another kind is refused with its place")
  func refused() throws {
    let importer = try Self.importer(1000, StagedRegistry.shared.get())
    func error(_ bytes: [UInt8]) -> CaptureError? {
      #expect(throws: CaptureError.self) { try importer.importing(bytes, address: nil) }
    }
    #expect(error([])?.code == .notACapture)
    #expect(error(Array("btsnoop\0".utf8))?.code == .damaged)
    let wrong = error(Array("btsnoop\0".utf8) + CaptureWriter.big(2) + CaptureWriter.big(1002))
    #expect(wrong?.code == .unsupported && wrong?.offset == 8)
    var writer = CaptureWriter(.uart)
    writer.packet(4, [1, 2, 3], isReceived: true, original: 2)
    let impossible = error(writer.bytes)
    #expect(impossible?.code == .damaged && impossible?.offset == 16)
  }
}
