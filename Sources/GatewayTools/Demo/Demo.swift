package import GatewayEngine
package import GatewayAPI
import BluetoothWire
import Foundation
import Logging
import MeterBluetooth
import MeterCore
import MeterDrivers
import MeterReceiver
import Synchronization
import VirtualMeter

/// The main job from end to end: a receiver, virtual meters with real meters' bytes, two reads of each, the upload, and a
/// comparison of what the receiver holds with what the vectors say.
package final class Demo: Sendable {
  /// What the demonstration is doing.
  package enum Step: Sendable {
    /// A meter is being read.
    case reading(meter: String, round: Int)
    /// A meter has been read.
    case read(meter: String, round: Int, new: Int, duplicates: Int)
    /// The queue is being delivered.
    case uploading
  }

  private static let account = (organization: "demo-clinic", user: "demo-patient", token: "demo-token-0123456789abcdef")

  private let gateway: Gateway
  private let plan: DemoPlan
  private let scripts: [MeterScript]
  let folder: URL
  private let keepsFolder: Bool
  private let current = Mutex<(controller: PeripheralController?, isCancelled: Bool)>((nil, false))

  /// Loads the meters' scripts and the expected readings.
  ///
  /// - Parameters:
  ///   - meters: The folder with the scripts and `demo/expected-readings.json`; nil is the one that is installed.
  ///   - folder: Where both databases go and stay; nil is a temporary folder that is removed.
  /// - Throws: ``GatewayError`` when the meters or the plan are missing or unreadable.
  package init(gateway: Gateway, meters: String? = nil, folder: String? = nil) throws(GatewayError) {
    self.gateway = gateway
    guard let place = meters ?? GatewayLocations.shippedMeters else {
      throw GatewayError(
        .unavailable, code: "no_meters", "the folder with the virtual meters is not beside this program",
        hint: "name it with --meters, SDK/meters in a checkout")
    }
    plan = try DemoPlan.load(from: place)
    var loaded: [MeterScript] = []
    for name in plan.meters {
      do {
        loaded.append(try MeterScript.load(file: "\(place)/\(name)"))
      } catch {
        throw GatewayError(error, kind: .unavailable)
      }
    }
    scripts = loaded
    if let folder, let present = try? FileManager.default.contentsOfDirectory(atPath: folder), !present.isEmpty {
      throw GatewayError(
        .usage, code: "folder_not_empty", "the folder \(folder) is not empty",
        hint: "a demonstration shows nothing where readings are already: name a new folder")
    }
    keepsFolder = folder != nil
    self.folder =
      folder.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("meterhost-demo-\(UUID().uuidString.prefix(8))")
  }

  /// Gives up at the next safe moment.
  package func cancel() {
    current.withLock { state in
      state.isCancelled = true
      return state.controller
    }?.cancel()
  }

  /// Runs everything and cleans up after itself.
  ///
  /// - Parameter tell: Hears of each step.
  /// - Throws: ``GatewayError``, `BluetoothError`, `StoreError` or `ReceiverError` of the step that failed.
  package func run(_ tell: @escaping @Sendable (Step) -> Void = { _ in }) async throws -> DemoReport {
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw GatewayError(
        .failed, code: "folder", "the folder \(folder.path) cannot be made: \(error.localizedDescription)", cause: error
      )
    }
    defer { if !keepsFolder { try? FileManager.default.removeItem(at: folder) } }
    let receiver = try makeReceiver()
    let (ports, announce) = AsyncStream<Int>.makeStream()
    let air = VirtualAir(folder: folder.appendingPathComponent("air").path)
    let meters = scripts.map { VirtualMeter(script: $0) }
    return try await withThrowingTaskGroup(of: DemoReport?.self) { group in
      group.addTask {
        defer { announce.finish() }
        try await receiver.run { port in announce.yield(port) }
        return nil
      }
      for meter in meters where !meter.script.measuresOnce {
        group.addTask {
          try await meter.run(in: air)
          return nil
        }
      }
      group.addTask {
        guard let port = await ports.first(where: { _ in true }) else { return nil }
        return try await self.readAndDeliver(meters, air: air, port: port, receiver: receiver, tell)
      }
      // Whoever ends first decides: the report, or the meter or receiver that fails before there is one.
      let first = try await group.next()
      group.cancelAll()
      var failure: (any Error)?
      while let result = await group.nextResult() {
        guard case .failure(let error) = result, !(error is CancellationError) else { continue }
        failure = failure ?? error
      }
      // With a report, the others ended because they were told to; how they say so does not matter any more.
      guard let report = first ?? nil else {
        if let failure { throw failure }
        try checkCancellation()
        throw GatewayError(.failed, code: "ended_early", "a meter or the receiver ended before everything was read")
      }
      return report
    }
  }

  private func makeReceiver() throws -> Receiver {
    var configuration = ReceiverConfiguration(database: folder.appendingPathComponent("receiver.sqlite").path)
    configuration.accounts = [
      .init(organization: Self.account.organization, uid: Self.account.user, token: Self.account.token)
    ]
    return try Receiver(configuration: configuration, logger: Logger(label: "meterhost.receiver"))
  }

  private func readAndDeliver(
    _ meters: [VirtualMeter], air: VirtualAir, port: Int, receiver: Receiver, _ tell: @escaping @Sendable (Step) -> Void
  ) async throws -> DemoReport {
    let store = try MeterStore(folder: folder.appendingPathComponent("state"), sinkKinds: .gateway)
    let account = GatewayAccount(
      user: SessionUser(userID: Self.account.user, organizationID: Self.account.organization),
      token: AccessToken(Self.account.token), receiver: "http://127.0.0.1:\(port)")
    let delivery = try await GatewayDelivery.start(account, store: store).delivery
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await delivery.run() }
      let controller = gateway.controller(store: store, radio: VirtualRadio(air: air))
      current.withLock { $0.controller = controller }
      for round in 1...2 {
        // What has nothing in its memory, such as a scale that only advertises, has nothing to give the second time.
        for meter in meters where round == 1 || meter.recordsLeft > 0 {
          try checkCancellation()
          let name = meter.script.name
          tell(.reading(meter: name, round: round))
          if meter.script.measuresOnce { group.addTask { try await meter.run(in: air) } }
          let summary = try await read(meter, with: controller)
          tell(.read(meter: name, round: round, new: summary.records.count, duplicates: summary.duplicates))
        }
      }
      tell(.uploading)
      // What could not be delivered shows below as a missing reading.
      _ = await delivery.drain()
      group.cancelAll()
    }
    try checkCancellation()
    return try report(receiver)
  }

  /// Reads one meter as the catalogue's entry that its advertisement matches.
  private func read(_ meter: VirtualMeter, with controller: PeripheralController) async throws -> ReadSummary {
    let script = meter.script
    let peripheral = try gateway.peripheral(matching: meter.advertisement, information: script.deviceFacts)
    var options = ReadOptions()
    // The demonstration's user is the meters' first.
    options.takesHistory = true
    // The demonstration must work on a machine that no time source reaches; its meter without a clock is read live.
    options.clockTrust = .vouched
    options.allowList = [script.address.description]
    var outcome: Result<ReadSummary, any Error> = .failure(
      GatewayError(.failed, code: "no_outcome", "reading \(script.name) ended without a result"))
    let events = try controller.read(peripheral: peripheral, options: options)
    // Whoever gave up before the read had started could not reach it.
    if current.withLock(\.isCancelled) { controller.cancel() }
    for await event in events {
      switch event {
      case .completed(let summary): outcome = .success(summary)
      case .cancelled: outcome = .failure(CancellationError())
      case .failed(let error, _): outcome = .failure(error)
      default: break
      }
    }
    try checkCancellation()
    return try outcome.get()
  }

  private func checkCancellation() throws {
    guard !Task.isCancelled, !current.withLock(\.isCancelled) else { throw CancellationError() }
  }

  private func report(_ receiver: Receiver) throws -> DemoReport {
    let names = Dictionary(
      scripts.map { ($0.deviceFacts.model ?? $0.name, $0.name) }, uniquingKeysWith: { first, _ in first })
    let stored = try receiver.store.measurements(organization: Self.account.organization, uid: Self.account.user)
    let readings = stored.flatMap { measurement in
      measurement.metrics.map { metric in
        DemoReading(
          meter: measurement.deviceModel.flatMap { names[$0] } ?? measurement.deviceModel ?? "unknown",
          metric: metric.type, value: metric.value, unit: metric.unit, time: measurement.startTime,
          civilTime: measurement.civilTime, logID: measurement.logID, receiverID: measurement.id,
          revision: measurement.revision)
      }
    }
    return DemoReport(readings: readings, meterCount: scripts.count, problems: plan.problems(in: readings))
  }
}
