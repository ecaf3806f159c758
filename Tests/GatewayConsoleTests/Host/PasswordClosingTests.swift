import Foundation
import GatewayAPI
import GatewayEngine
import MeterCore
import MeterDrivers
import Synchronization
import TestSupport
import Testing

@testable import GatewayConsole

/// A password that is changed shuts out who came in by the one before.
@Suite("Closing by the password", .timeLimit(.minutes(60))) struct PasswordClosingTests {
  @Test func aPasswordThatIsChangedOrRemovedClosesTheConsole() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let installation = try Installation.shared()
      var settings = GatewayLocations.Settings()
      settings.registry = installation.registry.path
      settings.fragments = installation.fragments.path
      settings.worker = installation.worker.path
      settings.state = sandbox.path("state")
      let gateway = try Gateway(locations: GatewayLocations(settings: settings), isolation: .inProcess)
      let owner = GatewayOwner(gateway: gateway, store: store)
      // Without a console there is nothing to close.
      #expect(try ConsolePasswordRequest("several words of mine").perform(on: owner))

      let closings = Mutex(0)
      owner.console.opened {
        ConsoleLinkRequest.Answer(link: "x", seconds: 1)
      } closeVisits: {
        closings.withLock { $0 += 1 }
      }
      #expect(throws: GatewayError.self) { try ConsolePasswordRequest("short").perform(on: owner) }
      #expect(closings.withLock(\.self) == 0)
      #expect(try ConsolePasswordRequest("other words of mine").perform(on: owner))
      #expect(closings.withLock(\.self) == 1)
      #expect(try !ConsolePasswordRequest(nil).perform(on: owner))
      #expect(closings.withLock(\.self) == 2)
    }
  }
}
