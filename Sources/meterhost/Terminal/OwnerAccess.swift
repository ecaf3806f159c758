import Foundation
import MeterCore
import GatewayAPI
import GatewayEngine
import MeterService

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
    let gateway = try gateway()
    let store: MeterStore
    do throws(StoreError) { store = try gateway.openStore(toLook: R.onlyLooks) } catch  where error.code == .busy {
      guard let answer = try await client(gateway).perform(request) else { throw error }
      return answer
    }
    tellOfReadOnly(store)
    return try await GatewayOwner(gateway: gateway, store: store).once { try await request.perform(on: $0) }
  }

  /// Holds a conversation with whoever owns the state folder.
  ///
  /// - Throws: as ``perform(_:)``.
  func converse<C: HandledConversation>(_ conversation: C, with partner: ControlPartner<C.Event>) async throws {
    let gateway = try gateway()
    let store: MeterStore
    do throws(StoreError) { store = try gateway.openStore(toLook: conversation.onlyLooks) } catch
      where error.code == .busy
    {
      guard try await client(gateway).converse(conversation, with: partner) else { throw error }
      return
    }
    tellOfReadOnly(store)
    try await GatewayOwner(gateway: gateway, store: store).once {
      try await conversation.perform(on: $0, with: partner)
    }
  }

  private func tellOfReadOnly(_ store: MeterStore) {
    guard store.isReadOnly else { return }
    Terminal().error(
      "the state folder \(store.folder.path) is on a file system that is mounted read-only: this is what was stored last, and nothing "
        + "is taken from meters or delivered from here")
  }

  /// Whoever owns the state folder, as the judge of drivers that read displays.
  var displayJudge: DisplayJudge {
    DisplayJudge(verdict: { try await perform($0) }, note: { _ = try await perform($0) })
  }

  private func client(_ gateway: Gateway) throws(GatewayError) -> ControlClient {
    try ControlClient(stateFolder: URL(fileURLWithPath: gateway.locations.state))
  }
}
