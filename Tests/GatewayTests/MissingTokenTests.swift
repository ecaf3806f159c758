import Foundation
import TestSupport
import Testing

@testable import MeterCore
@testable import GatewayAPI
@testable import GatewayEngine
import InformSink

/// A receiver whose token is gone, as a repair can leave it, is never asked: the queue has no answer to show.
@Suite("Missing tokens", .timeLimit(.minutes(60)))
struct MissingTokenTests {
  @Test(
    "a delivery says that a token is missing, of the session or of a further receiver", arguments: [nil, "research"])
  func hint(sink: String?) async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      try await GatewayFixture.withReceiver(sandbox) { _, port in
        _ = try await GatewayDelivery.start(GatewayFixture.account(port: port), store: store)
        if let sink {
          let setting = ReceiverSetting(receiver: "http://127.0.0.1:\(port)")
          _ = try await GatewaySink.add(sink, setting: setting, token: AccessToken(GatewayFixture.token), to: store)
        }
        _ = try await GatewayFixture.read("contour-next-one.json", as: 1000, into: store, sandbox: sandbox)
        try store.transaction { db in try TokenRow.remove(db, sink: sink ?? MeterStore.defaultSink) }
        let delivery = try #require(try GatewayDelivery.configured(store: store))
        let error = await #expect(throws: GatewayError.self) { try await delivery.finish() }
        #expect(error?.code == "not_delivered" && error?.hint?.contains("is missing") == true, "\(error?.hint ?? "")")
        #expect(throws: StoreError.self) { try store.checkToken(sink: sink ?? MeterStore.defaultSink) }
      }
    }
  }
}
