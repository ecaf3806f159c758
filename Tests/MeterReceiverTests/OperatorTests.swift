import TestSupport
import Testing

@testable import MeterReceiver

/// What `meterhost-receiver user` and `organization` do in the database.
@Suite(.everyStorage) struct OperatorTests {
  private func withStore(_ body: (ReceiverStore) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let store = try ReceiverStore(path: try await Storage.current.place(in: folder))
      try await body(store)
      try store.close()
    }
  }

  /// Stores so many readings of a user, the first with an image.
  private func fill(_ store: ReceiverStore, _ account: ReceiverAccount, readings: Int) async throws {
    let validator = RecordValidator(vocabulary: .standard)
    let records = try (1...readings).map { try validator.validate(.object(measurementObject(logID: logID($0)))) }
    let receipts = try await store.store(records, for: account)
    let first = try #require(receipts.first)
    let outcome = try await store.addMedia([1, 2, 3], type: .jpeg, toRecord: first.id, of: account, limit: 2)
    guard case .created = outcome else { throw MissingImage() }
  }

  private struct MissingImage: Error {}

  @Test func usersAreListedWithTheirReadings() async throws {
    try await withStore { store in
      #expect(try store.overview(organization: nil).isEmpty && store.organizations().isEmpty)
      try store.createOrganization("ward")
      try store.createOrganization("clinic")
      for (organization, uid) in [("ward", "zoe"), ("clinic", "bert"), ("clinic", "anna")] {
        try store.createUser(organization: organization, uid: uid)
      }
      let anna = try #require(try store.user(organization: "clinic", uid: "anna"))
      try await fill(store, anna, readings: 3)
      try store.setStatus(.suspended, organization: "clinic", uid: "bert")
      let all = try store.overview(organization: nil)
      #expect(all.map(\.account.uid) == ["bert", "anna", "zoe"])
      #expect(all.map(\.readings) == [0, 3, 0])
      #expect(all.map(\.account.status) == [.suspended, .active, .active])
      #expect(try store.overview(organization: "ward").map(\.account.uid) == ["zoe"])
      #expect(try store.overview(organization: "clinic", uid: "anna")?.readings == 3)
      #expect(try store.overview(organization: "ward", uid: "anna") == nil)
      let organizations = try store.organizations()
      #expect(organizations.map(\.id) == ["clinic", "ward"] && organizations.map(\.users) == [2, 1])
      for unknown in ["nowhere", "clinic\u{0}"] {
        let error = #expect(throws: ReceiverError.self) { try store.overview(organization: unknown) }
        #expect(error?.code == .notFound)
      }
    }
  }

  @Test func anOrganizationGetsAnotherToken() async throws {
    try await withStore { store in
      let old = try store.createOrganization("clinic")
      let new = try store.replaceToken(organization: "clinic")
      #expect(try await store.organization(token: #require(AccessToken(presented: old))) == nil)
      #expect(try await store.organization(token: #require(AccessToken(presented: new))) == "clinic")
      for unknown in ["nowhere", "clinic\u{0}", ""] {
        let error = #expect(throws: ReceiverError.self) { try store.replaceToken(organization: unknown) }
        #expect(error?.code == .notFound)
      }
    }
  }

  @Test func aUserWithReadingsIsDeletedOnlyWithThem() async throws {
    try await withStore { store in
      try store.createOrganization("clinic")
      let (anna, token) = try store.createUser(organization: "clinic", uid: "anna")
      try store.createUser(organization: "clinic", uid: "bert")
      try await fill(store, anna, readings: 2)
      let error = #expect(throws: ReceiverError.self) {
        try store.deleteUser(organization: "clinic", uid: "anna", withReadings: false)
      }
      #expect(error?.code == .hasReadings && error?.message.contains("2 stored readings") == true)
      #expect(try store.overview(organization: "clinic", uid: "anna")?.readings == 2)
      #expect(try store.deleteUser(organization: "clinic", uid: "bert", withReadings: false) == 0)
      #expect(try store.deleteUser(organization: "clinic", uid: "anna", withReadings: true) == 2)
      #expect(try store.overview(organization: nil).isEmpty)
      #expect(try await store.account(token: #require(AccessToken(presented: token))) == nil)
      let again = #expect(throws: ReceiverError.self) {
        try store.deleteUser(organization: "clinic", uid: "anna", withReadings: true)
      }
      #expect(again?.code == .notFound)
    }
  }

  /// A reading that comes while its user is deleted is either in the count that a person was shown, or refused.
  @Test func noReadingIsLostUnseenByADeletion() async throws {
    try await withStore { store in
      try store.createOrganization("clinic")
      let anna = try store.createUser(organization: "clinic", uid: "anna").account
      let record = try RecordValidator(vocabulary: .standard).validate(.object(measurementObject()))
      let storing = Task { try await store.store([record], for: anna) }
      let deleting = Task {
        try await onOwnThread { try store.deleteUser(organization: "clinic", uid: "anna", withReadings: false) }
      }
      let (stored, deleted) = (await storing.result, await deleting.result)
      switch (stored, deleted) {
      case (.success, .failure(let error as ReceiverError)): #expect(error.code == .hasReadings)
      case (.failure(let error as ReceiverError), .success): #expect(error.code == .notFound)
      default: Issue.record("\(stored) \(deleted)")
      }
    }
  }
}
