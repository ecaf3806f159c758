import Foundation
import TestSupport
import Testing

@testable import MeterReceiver

@Suite("Keys of a fleet", .everyStorage) struct FleetKeyTests {
  private func withStore(_ body: (ReceiverStore) throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let store = try ReceiverStore(path: try await Storage.current.place(in: folder))
      try store.createOrganization("clinic")
      try store.createOrganization("other")
      try body(store)
      try store.close()
    }
  }

  private func code(_ body: () throws(ReceiverError) -> Void) -> ReceiverError.Code? {
    do {
      try body()
      return nil
    } catch {
      return error.code
    }
  }

  @Test("keys are kept, listed and forgotten; all of a list go in, or none") func lives() async throws {
    try await withStore { store in
      try store.addFleetKeys(organization: nil, [("main", "U0")])
      try store.addFleetKeys(organization: "clinic", [("gw1", "U1"), ("gw2", "U2")])
      try store.addFleetKeys(organization: "other", [("gw3", "U3")])
      #expect(try store.fleetKeys().map(\.name) == ["main", "gw1", "gw2", "gw3"])
      #expect(try store.fleetKeys(organization: "clinic").map(\.publicKey) == ["U1", "U2"])
      #expect(
        code { () throws(ReceiverError) in
          try store.addFleetKeys(organization: "clinic", [("gw4", "U4"), ("gw1", "U5")])
        } == .alreadyExists)
      #expect(try store.fleetKeys().count == 4)
      try store.removeFleetKey(organization: "clinic", name: "gw1")
      #expect(try store.fleetKeys(organization: "clinic").map(\.name) == ["gw2"])
    }
  }

  /// Answers come under the name: whoever shared one could read another's messages.
  @Test("a name is nobody else's in the fleet, whatever the organisation") func names() async throws {
    try await withStore { store in
      try store.addFleetKeys(organization: nil, [("main", "U0")])
      try store.addFleetKeys(organization: "clinic", [("gw1", "U1")])
      for (organization, name) in [("other", "gw1"), ("clinic", "main"), (nil, "gw1")] {
        #expect(
          code { () throws(ReceiverError) in try store.addFleetKeys(organization: organization, [(name, "U9")]) }
            == .alreadyExists)
      }
      #expect(
        code { () throws(ReceiverError) in try store.removeFleetKey(organization: "other", name: "gw1") } == .notFound)
      #expect(
        code { () throws(ReceiverError) in try store.removeFleetKey(organization: nil, name: "gw1") } == .notFound)
      #expect(
        code { () throws(ReceiverError) in try store.addFleetKeys(organization: "nowhere", [("gw9", "U9")]) }
          == .notFound)
      #expect(
        code { () throws(ReceiverError) in _ = try store.fleetKeys(organization: "nowhere") } == .notFound)
    }
  }
}
