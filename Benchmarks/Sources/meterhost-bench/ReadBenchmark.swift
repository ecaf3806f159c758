import BluetoothWire
import Foundation
import MeterBluetooth
import MeterCore
import MeterDrivers
import VirtualMeter

/// From the advertisement to readings on disk, and what goes over the link for it.
///
/// Each read meets a meter with two readings that the host has not seen. Cold and warm reads take turns.
struct ReadBenchmark {
  private let options: Options
  private let reads: Int
  private let registry: Registry

  /// A meter and the PDUs that its profile cannot do without once handles are known.
  private struct Subject {
    var script: String
    var name: String
    /// Per connection: each subscription is a request and a response; a glucose meter's report procedure adds its
    /// request, response, indication and confirmation.
    var neededPerRead: Int
    /// Per reading: a measurement and a context that nobody answers, or an indication and its confirmation.
    var neededPerReading: Int
  }

  private static let subjects = [
    Subject(script: "contour-next-one.json", name: "contour", neededPerRead: 3 * 2 + 4, neededPerReading: 2),
    Subject(script: "pyle-thermometer.json", name: "thermometer", neededPerRead: 2, neededPerReading: 2),
  ]

  /// What the reads of one kind have cost.
  private struct Cost {
    var milliseconds: [Double] = []
    var pdus: [Double] = []
  }

  init(_ options: Options) throws {
    self.options = options
    reads = options.count(50, smoke: 1)
    registry = try Registry.load(RegistrySources(base: options.registry))
  }

  func run(_ report: inout Report) async throws {
    for subject in Self.subjects {
      for isolation in [DriverHostConfiguration.Isolation.worker, .inProcess] {
        let folder = FileManager.default.temporaryDirectory
          .appendingPathComponent("meterhost-bench-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
          at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        try await measure(subject, isolation, in: folder, &report)
      }
    }
  }

  private func measure(
    _ subject: Subject, _ isolation: DriverHostConfiguration.Isolation, in folder: URL, _ report: inout Report
  ) async throws {
    let script = try MeterScript.load(file: "\(options.meters)/\(subject.script)")
    let peripheral = try peripheral(of: script)
    let store = try MeterStore(folder: folder.appendingPathComponent("state"))
    let air = VirtualAir(folder: folder.appendingPathComponent("air").path)
    let drivers = DriverHost(
      configuration: DriverHostConfiguration(isolation: isolation, workerPath: options.worker))
    let controller = PeripheralController(
      registry: registry, bundles: BundleCatalog(registry: registry), drivers: drivers, store: store,
      radio: VirtualRadio(air: air))
    var (cold, warm) = (Cost(), Cost())
    // The first round only fills the caches of the machine.
    for round in 0...reads {
      for isWarm in [false, true] {
        if !isWarm { try store.setCached(nil, "gatt-\(peripheral)", address: script.address.description) }
        let fresh = Self.fresh(script, number: UInt16(10 + 4 * round + (isWarm ? 2 : 0)))
        let (milliseconds, pdus) = try await read(fresh, as: peripheral, with: controller, in: air, isWarm: isWarm)
        guard round > 0 else { continue }
        if isWarm {
          warm.milliseconds.append(milliseconds)
          warm.pdus.append(pdus)
        } else {
          cold.milliseconds.append(milliseconds)
          cold.pdus.append(pdus)
        }
      }
    }
    add(subject, isolation, cold, warm, readings: script.records.count, to: &report)
  }

  private func add(
    _ subject: Subject, _ isolation: DriverHostConfiguration.Isolation, _ cold: Cost, _ warm: Cost, readings: Int,
    to report: inout Report
  ) {
    let needed = subject.neededPerRead + subject.neededPerReading * readings
    for (cost, cache) in [(cold, "cold"), (warm, "warm")] {
      let name = "\(subject.name), \(cache), \(isolation.rawValue)"
      let pdus = Measurement(
        "read", "\(name): PDUs", unit: "a read", cost.pdus, note: "\(readings) readings; the profile needs \(needed)")
      report.measurements += [
        Measurement("read", "\(name): advertisement to commit", unit: "ms", cost.milliseconds), pdus,
      ]
      guard cache == "warm" else { continue }
      report.goals.append(
        Goal("read", "\(name): most PDUs of a read", limit: Double(needed), measured: pdus.maximum))
    }
  }

  /// One read of a meter that is switched on for it.
  private func read(
    _ script: MeterScript, as peripheral: UInt32, with controller: PeripheralController, in air: VirtualAir,
    isWarm: Bool
  ) async throws -> (milliseconds: Double, pdus: Double) {
    let meter = VirtualMeter(script: script)
    let happenings = meter.events()
    let running = Task { try await meter.run(in: air) }
    var options = ReadOptions()
    options.takesHistory = true
    options.clockTrust = .vouched
    options.allowList = [script.address.description]
    var result: ReadSummary?
    for await event in try controller.read(peripheral: peripheral, options: options) {
      switch event {
      case .completed(let summary): result = summary
      case .failed(let error, _): throw error
      default: break
      }
    }
    // The meter takes what was sent last and then sees the link end; only then its count is whole.
    for await case .disconnected in happenings { break }
    let counters = meter.counters
    running.cancel()
    _ = await running.result
    guard let result, let time = result.advertisementToCommit else {
      throw BenchmarkError("a read of \(script.name) ended without a result")
    }
    guard result.records.count == script.records.count, result.usedCache == isWarm else {
      throw BenchmarkError(
        "a read of \(script.name) brought \(result.records.count) new readings of \(script.records.count), "
          + "cache used: \(result.usedCache)")
    }
    // The meter's own count: what really went over the link.
    return (time.nanoseconds / 1e6, Double(counters.pdusIn + counters.pdusOut))
  }

  private func peripheral(of script: MeterScript) throws -> UInt32 {
    let meter = VirtualMeter(script: script)
    var seen = SeenDevice(meter.advertisement)
    seen.manufacturer = Self.text(0x2A29, of: script)
    seen.model = Self.text(0x2A24, of: script)
    guard case .chosen(let match) = registry.match(seen) else {
      throw BenchmarkError("no one entry of the catalogue fits \(script.name)")
    }
    return match.peripheral.id
  }

  private static func text(_ uuid: BluetoothUUID, of script: MeterScript) -> String {
    let characteristic = script.services.lazy.flatMap(\.characteristics).first { $0.uuid == uuid }
    return characteristic.map { String(decoding: $0.value, as: UTF8.self) } ?? ""
  }

  /// The same values under numbers and times that the host has not seen: known ones under other numbers are the same readings. A
  /// thermometer's records carry no number: the host takes each of them for a new one.
  private static func fresh(_ script: MeterScript, number: UInt16) -> MeterScript {
    guard case .glucose = script.behaviour else { return script }
    var script = script
    guard let date = script.records.first?.measurement[3...7] else { return script }
    for index in script.records.indices {
      let sequence = number + UInt16(index)
      let bytes = [UInt8(truncatingIfNeeded: sequence), UInt8(sequence >> 8)]
      let time = date + [UInt8(sequence / 60 % 60), UInt8(sequence % 60)]
      script.records[index].sequence = sequence
      script.records[index].measurement.replaceSubrange(1...9, with: bytes + time)
      script.records[index].context?.replaceSubrange(1...2, with: bytes)
    }
    return script
  }
}
