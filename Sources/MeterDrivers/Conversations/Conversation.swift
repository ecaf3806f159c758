package import DriverContract
import DriverRuntime

/// A conversation with a driver that reads what does not come over the air (rule R18), in a worker of its own or in this process
/// as configured.
///
/// ```swift
/// let talk = try await Conversation.open(host: host, bundle: bundle, entry: entry, opening: opening)
/// var turn = try await talk.tell(.started, monotonicNanoseconds: now, unixMicroseconds: today)
/// // Put turn.records and turn.writes on disk, then say so: what acknowledges them comes with the answer.
/// turn = try await talk.tell(.committed(through: turn.sequence), monotonicNanoseconds: now, unixMicroseconds: today)
/// ```
///
/// A worker that dies, hangs or talks nonsense is a `DriverFault`, and the conversation is over: nothing that waited for a commit is
/// handed out. When a calling task is cancelled, the worker is stopped.
package actor Conversation {
  private enum Engine {
    case worker(ExtensionWorker)
    case local(any ExtensionServer)
    case closed
  }

  private let executor = BlockingExecutor(label: "meterhost.conversation")
  private let driver: String
  private let client: ConversationClient
  private let recorder: SessionRecorder?
  private var order: ConversationOrder
  private var engine = Engine.closed

  /// A thread of its own: a worker is asked and waited for.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The worker's process, while there is one.
  var process: WorkerProcess? { if case .worker(let worker) = engine { worker.connection.process } else { nil } }

  private init(_ entry: DriverEntry, _ recorder: SessionRecorder?) {
    driver = entry.id
    client = ConversationClient(driver: entry.id, limits: entry.limits)
    order = ConversationOrder(driver: entry.id)
    self.recorder = recorder
  }

  /// Opens a conversation.
  ///
  /// - Parameters:
  ///   - host: Where drivers run.
  ///   - bundle: A verified bundle; its assets are the opening's.
  ///   - entry: Its entry; what the bundle says of itself must agree with it.
  ///   - opening: What the driver is told.
  ///   - recorder: Hears everything that goes in and comes out of a worker (rule R8).
  package static func open(
    host: DriverHost, bundle: VerifiedBundle, entry: DriverEntry, opening: ConversationOpening,
    recorder: SessionRecorder? = nil
  ) async throws(DriverFault) -> Conversation {
    let conversation = Conversation(entry, recorder)
    try await conversation.load(host, bundle, entry, opening)
    return conversation
  }

  private func load(
    _ host: DriverHost, _ bundle: VerifiedBundle, _ entry: DriverEntry, _ opening: ConversationOpening
  ) throws(DriverFault) {
    try entry.expect(.conversation)
    var opening = opening
    opening.assets = bundle.assets
    let payload = ConversationClient.opening(opening)
    guard host.configuration.isolation == .worker else {
      let library = try DriverHost.library(bundle)
      try entry.expectAgreement(with: library.drivers)
      engine = .local(
        try ConversationClient.server(library: library, driver: driver, opening: payload, limits: entry.limits))
      return
    }
    recorder?.open(DriverOpening())
    do throws(DriverFault) {
      engine = .worker(
        try ExtensionWorker(host, bundle, entry, ConversationClient.kind, opening: payload, recorder: recorder))
    } catch {
      recorder?.note(error)
      throw error
    }
  }

  /// Tells the driver one fact.
  ///
  /// - Returns: What is to be put on disk and what may be carried out now.
  /// - Throws: `DriverFault`; `refused` for a fact that cannot be told, after which the conversation goes on unless the driver's
  ///   worker has said so, and any other code at its end.
  package func tell(
    _ fact: ConversationFact, monotonicNanoseconds: UInt64, unixMicroseconds: Int64
  ) async throws(DriverFault) -> ConversationTurn {
    if let problem = ConversationClient.problem(in: fact) {
      throw DriverFault(.refused, driver: driver, rule: "R18", message: "this is \(problem); report this host")
    }
    let (released, isTold) = try order.admit(fact)
    guard isTold else { return ConversationTurn(sequence: order.sequence, actions: released, isLast: true) }
    let event = ConversationEvent(
      sequence: order.sequence, monotonicNanoseconds: monotonicNanoseconds, unixMicroseconds: unixMicroseconds,
      fact: fact)
    do throws(DriverFault) {
      let unit = try await answer(event)
      return order.take(unit, released: released)
    } catch {
      order.fail()
      recorder?.note(error)
      close()
      throw error
    }
  }

  /// Ends the worker. Harmless when it has ended already.
  ///
  /// - Returns: What the driver did wrong on its way out; nothing of the conversation depends on it any more.
  @discardableResult
  package func close() -> DriverFault? {
    defer { engine = .closed }
    switch engine {
    case .worker(let worker):
      let fault = worker.close()
      recorder?.close(fault)
      return fault
    case .local(let server):
      server.close()
      return nil
    case .closed: return nil
    }
  }

  private func answer(_ event: ConversationEvent) async throws(DriverFault) -> ConversationUnit {
    switch engine {
    case .closed: throw ExtensionWorker.closed(driver)
    case .local(let server):
      guard !Task.isCancelled else { throw ExtensionWorker.cancelled(driver) }
      return try client.tell(event, order, to: server)
    case .worker(let worker):
      let process = worker.connection.process
      // A caller may have given up when its answer was there already: nobody has failed.
      guard !process.wasStopped else { throw ExtensionWorker.cancelled(driver) }
      let result = await withTaskCancellationHandler {
        exchange(worker, event)
      } onCancel: {
        process.kill()
      }
      do { return try result.get() } catch {
        throw Task.isCancelled ? ExtensionWorker.cancelled(driver) : error.ofExtension
      }
    }
  }

  private func exchange(
    _ worker: ExtensionWorker, _ event: ConversationEvent
  ) -> Result<ConversationUnit, DriverFault> {
    let (client, order) = (client, order)
    do throws(DriverFault) {
      var unit = try worker.connection.exchange { talk throws(WorkerFailure) in
        try client.tell(event, order, to: talk, within: worker.limit)
      }
      unit.logs += worker.connection.process.output.logLines()
      return .success(unit)
    } catch { return .failure(error) }
  }
}
