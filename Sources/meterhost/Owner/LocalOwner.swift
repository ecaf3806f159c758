import Foundation
import GatewayAPI
import GatewayEngine
import MeterCore
import MeterService

// The owner of the state folder as this process reaches it: itself when the folder is free, else the running service. Commands
// hand in requests and get answers, and know nothing of who performs them.

extension LocationOptions {
  /// Has a request performed by whoever owns the state folder: this process when the folder is free, else the running
  /// service.
  ///
  /// - Throws: `StoreError` with code `busy`, which names the owner, when that is no service.
  func perform<R: HandledRequest>(_ request: R) async throws -> R.Answer {
    do {
      return try await performOnce(request)
    } catch let error as GatewayError where R.isRepeatable && error.code == ControlClient.serviceLost {
      // The service has ended in between, perhaps with the request done: this process or the next service tells.
      return try await performOnce(request)
    }
  }

  private func performOnce<R: HandledRequest>(_ request: R) async throws -> R.Answer {
    if let answer = try await runningHost()?.perform(request) { return answer }
    let gateway = try gateway()
    let store: MeterStore
    do throws(StoreError) { store = try gateway.openStore(toLook: R.onlyLooks) } catch  where error.code == .busy {
      guard let answer = try await client(gateway).perform(request) else { throw error }
      return answer
    }
    tellOfReadOnly(store)
    return try await owner(gateway, store).once { try await request.perform(on: $0) }
  }

  /// Has a request performed by the running host, and by nobody else: the folder is not touched.
  ///
  /// - Throws: ``GatewayError`` with code `no_running_host` when none runs.
  func performByService<R: ControlRequest>(_ request: R) async throws -> R.Answer {
    let folder = URL(fileURLWithPath: places.state)
    // Without a folder there is no host either; one that cannot be opened says why.
    guard FileManager.default.fileExists(atPath: folder.path),
      let answer = try await ControlClient(stateFolder: folder).perform(request)
    else { throw GatewayError.noRunningHost }
    return answer
  }

  /// Holds a conversation with whoever owns the state folder.
  ///
  /// - Throws: as ``perform(_:)``.
  func converse<C: HandledConversation>(_ conversation: C, with partner: ControlPartner<C.Event>) async throws {
    if let host = try runningHost(), try await host.converse(conversation, with: partner) { return }
    let gateway = try gateway()
    let store: MeterStore
    do throws(StoreError) { store = try gateway.openStore(toLook: conversation.onlyLooks) } catch
      where error.code == .busy
    {
      guard try await client(gateway).converse(conversation, with: partner) else { throw error }
      return
    }
    tellOfReadOnly(store)
    try await owner(gateway, store).once {
      try await conversation.perform(on: $0, with: partner)
    }
  }

  /// The running host: this process owns the state folder from here on.
  ///
  /// - Throws: ``GatewayError``; `StoreError` with code `busy` when another process owns the folder.
  func host(radio: RadioChoice) throws -> GatewayService {
    let gateway = try gateway(spares: 1)
    // First: the store says what is logged, and a host that is refused it has touched no group.
    let store = try gateway.openStore()
    // This process alone: another command has a person's terminal beside it.
    gateway.groupWorkers()
    gateway.prepareWorkers()
    return GatewayService(
      gateway: gateway, store: store, radio: radio.isMade ? radio : ConfigurationInForce.radio)
  }

  /// This process as the owner, for one request.
  private func owner(_ gateway: Gateway, _ store: MeterStore) -> GatewayOwner {
    GatewayOwner(gateway: gateway, store: store, radio: ConfigurationInForce.radio)
  }

  private func tellOfReadOnly(_ store: MeterStore) {
    guard store.isReadOnly else { return }
    Terminal().error(
      "the state folder \(store.folder.path) is on a file system that is mounted read-only: this is what was stored last, and nothing "
        + "is taken from meters or delivered from here")
  }

  /// The running host, where one may listen. It is asked first: whoever finds the folder taken waits a moment for its owner to let go of
  /// it, as other commands do, and a host never does. A folder of another user is told of by the store.
  private func runningHost() throws(GatewayError) -> ControlClient? {
    let folder = URL(fileURLWithPath: places.state)
    return ControlClient.mayFindHost(in: folder) ? try ControlClient(stateFolder: folder) : nil
  }

  private func client(_ gateway: Gateway) throws(GatewayError) -> ControlClient {
    try ControlClient(stateFolder: URL(fileURLWithPath: gateway.locations.state))
  }
}

extension QueueItem {
  /// A page of what an ended session has left in its recovery file. The file tells it without an owner.
  ///
  /// - Throws: `StoreError` with code `recoveryFile`.
  static func page(of recoveryFile: URL, after position: Int64, limit: Int) throws -> [QueueItem] {
    let page = try UnsyncedPage(of: recoveryFile, after: position, limit: limit)
    return page.entries.map { QueueItem($0, isWhole: true) }
  }
}
