public import DriverContract
import DriverRuntime

/// Reads the displays of a driver's meters (rule R17), in a worker of its own or in this process as configured.
///
/// A worker that dies, hangs or talks nonsense is a `DriverFault`, and this reader is over: open another. A driver that only
/// refuses (`refused`: a meter that it does not know, a frame that contradicts itself) can be asked on. When a calling task is
/// cancelled, the worker is stopped.
public actor DisplayReader {
  private enum Engine {
    case worker(ExtensionWorker)
    case local(LocalDisplay)
    case closed
  }

  private let executor = BlockingExecutor(label: "meterhost.display")
  private let driver: String
  private let assets: [String: [UInt8]]
  private var engine = Engine.closed
  private var layouts: [UInt32: DisplayLayout] = [:]

  /// A thread of its own: a worker is asked and waited for.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The worker's process, while there is one.
  var process: WorkerProcess? { if case .worker(let worker) = engine { worker.connection.process } else { nil } }

  private init(_ bundle: VerifiedBundle, _ entry: DriverEntry) {
    driver = entry.id
    assets = bundle.assets
  }

  /// Loads a driver that reads displays.
  ///
  /// - Parameters:
  ///   - host: Where drivers run.
  ///   - bundle: Its verified bundle, with its assets.
  ///   - entry: Its entry; what the bundle says of itself must agree with it.
  public static func open(
    host: DriverHost, bundle: VerifiedBundle, entry: DriverEntry
  ) async throws(DriverFault) -> DisplayReader {
    let reader = DisplayReader(bundle, entry)
    try await reader.load(host, bundle, entry)
    return reader
  }

  private func load(_ host: DriverHost, _ bundle: VerifiedBundle, _ entry: DriverEntry) throws(DriverFault) {
    try entry.expect(.ocr)
    guard host.configuration.isolation == .worker else {
      let library = try DriverHost.library(bundle)
      try entry.expectAgreement(with: library.drivers)
      engine = .local(try LocalDisplay(library: library, driver: entry.id, assets: bundle.assets))
      return
    }
    let worker = try ExtensionWorker(
      host, bundle, entry, DisplayClient.kind, opening: DisplayClient.opening(assets: bundle.assets),
      openingLimit: host.configuration.startLimit)
    engine = .worker(worker)
  }

  /// A file that came with the driver, such as the overlay that a layout names.
  package nonisolated func asset(_ name: String) -> [UInt8]? { assets[name] }

  /// Where the rows of a meter's display lie.
  ///
  /// - Parameter meter: The id of the peripheral, of the kind `ocr`.
  public func layout(meter: UInt32) async throws(DriverFault) -> DisplayLayout {
    if let known = layouts[meter] { return known }
    let layout = try await ask(
      { client, limit throws(WorkerFailure) in try client.layout(meter: meter, within: limit) },
      { display throws(DriverFault) in try display.layout(meter: meter) })
    guard assets[layout.overlay] != nil else {
      throw DriverFault(
        .brokeRule, driver: driver, rule: "R17",
        message:
          "the overlay \"\(layout.overlay)\" of the peripheral \(meter) is none of the driver's assets; add it to "
          + "\"assets\" of the driver's entry")
    }
    layouts[meter] = layout
    return layout
  }

  /// The text of each row, or of each box where the frame names boxes, as the driver reads them.
  public func recognize(_ frame: DisplayFrame, meter: UInt32) async throws(DriverFault) -> DisplayReading {
    if let problem = frame.problem { throw refused("this is \(problem); give another frame") }
    let rows: Int
    switch frame.place {
    case .overlay: rows = try await layout(meter: meter).rows.count
    case .boxes(let boxes): rows = boxes.count
    }
    return try await ask(
      { client, limit throws(WorkerFailure) in
        try client.recognize(frame, meter: meter, rows: rows, within: limit)
      }, { display throws(DriverFault) in try display.recognize(frame, meter: meter) })
  }

  /// What texts mean.
  ///
  /// - Parameters:
  ///   - texts: Of all rows in the layout's order, empty where a row is.
  ///   - unit: A unit of the dictionary (`MH_UNIT_*`); nil: the meter's default.
  public func interpret(
    _ texts: [String], meter: UInt32, unit: UInt16? = nil
  ) async throws(DriverFault) -> DisplayVerdict {
    let rows = try await layout(meter: meter).rows.count
    guard texts.count == rows else { throw refused("there are \(texts.count) texts, and the display has \(rows) rows") }
    if let problem = DisplayFrame.problem(of: texts) { throw refused("there are \(problem); correct them") }
    return try await ask(
      { client, limit throws(WorkerFailure) in
        try client.interpret(texts, meter: meter, unit: unit, within: limit)
      }, { display throws(DriverFault) in try display.interpret(texts, meter: meter, unit: unit) })
  }

  /// Ends the worker. Harmless when it has ended already.
  public func close() {
    if case .worker(let worker) = engine { worker.close() }
    engine = .closed
  }

  // MARK: - Asking

  private func ask<Success: Sendable>(
    _ remote: @Sendable (DisplayClient, Duration) throws(WorkerFailure) -> Result<Success, DriverFault>,
    _ local: (LocalDisplay) throws(DriverFault) -> Success
  ) async throws(DriverFault) -> Success {
    switch engine {
    case .closed: throw ExtensionWorker.closed(driver)
    case .local(let display):
      guard !Task.isCancelled else { throw ExtensionWorker.cancelled(driver) }
      return try local(display)
    case .worker(let worker):
      let process = worker.connection.process
      try expectUnstopped(process)
      let result = await withTaskCancellationHandler {
        exchange(worker, remote)
      } onCancel: {
        process.kill()
      }
      do { return try result.get() } catch  where error.code == .refused {
        throw error
      } catch {
        close()
        throw Task.isCancelled ? ExtensionWorker.cancelled(driver) : error.ofExtension
      }
    }
  }

  /// A caller may have given up when its answer was there already: the worker is gone then, and nobody has failed.
  private func expectUnstopped(_ process: WorkerProcess) throws(DriverFault) {
    guard process.wasStopped else { return }
    close()
    throw ExtensionWorker.cancelled(driver)
  }

  private func exchange<Success>(
    _ worker: ExtensionWorker, _ remote: (DisplayClient, Duration) throws(WorkerFailure) -> Result<Success, DriverFault>
  ) -> Result<Success, DriverFault> {
    do throws(DriverFault) {
      return try worker.connection.exchange { client throws(WorkerFailure) in
        try remote(DisplayClient(client), worker.limit)
      }
    } catch { return .failure(error) }
  }

  private func refused(_ words: String) -> DriverFault {
    DriverFault(.refused, driver: driver, rule: "R17", message: words)
  }
}
