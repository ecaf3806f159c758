import Foundation
import GatewayEngine
import GatewayTools
import MeterCore
import TestSupport
import Testing

@Suite("How exports come, to the doctor", .timeLimit(.minutes(60))) struct IngestDoctorTests {
  private func finding(_ locations: GatewayLocations) async -> DoctorFinding? {
    await Doctor(locations: locations).examine().first { $0.check == "ingest" }
  }

  /// Changes something in the state folder, and lets go of it.
  private func change(_ locations: GatewayLocations, _ body: (MeterStore) throws -> Void) throws {
    try body(try MeterStore(folder: URL(filePath: locations.state)))
    waitUntilFree(stateFolder: URL(filePath: locations.state))
  }

  @Test("a folder that cannot be read fails, and an endpoint beyond this machine is warned of") func found()
    async throws
  {
    try await Sandbox.with { sandbox in
      let locations = try GatewayFixture.locations(state: sandbox.path("state"))
      let folder = sandbox.path("exports")
      var found = await finding(locations)
      #expect(found?.status == .passed && found?.message.contains("by hand") == true)

      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      try change(locations) { store in
        let user = SessionUser(userID: "patient-1", organizationID: "clinic")
        let generation = try store.startSession(user, token: AccessToken("token")).session.generation
        try store.setHealthFeed(HealthFeed(kind: "folder", name: folder, content: ""), of: generation)
        try store.setHostSetting("127.0.0.1:8099", "health-ingest")
      }
      found = await finding(locations)
      #expect(found?.status == .passed && found?.message == "\(folder), http://127.0.0.1:8099")

      try change(locations) { try $0.setHostSetting("0.0.0.0:8099", "health-ingest") }
      found = await finding(locations)
      #expect(found?.status == .warning && found?.cure?.contains("127.0.0.1:8099") == true)

      try FileManager.default.removeItem(atPath: folder)
      found = await finding(locations)
      #expect(found?.status == .failed && found?.message.contains(folder) == true)
      try Data("a file".utf8).write(to: URL(filePath: folder))
      #expect(await finding(locations)?.status == .failed)
    }
  }
}
