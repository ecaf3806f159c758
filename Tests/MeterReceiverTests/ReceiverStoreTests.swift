import Foundation
import Testing

@testable import MeterReceiver

@Suite(.everyStorage) struct ReceiverStoreTests {
  private func withStore(_ body: (ReceiverStore) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let store = try ReceiverStore(path: try await Storage.current.place(in: folder))
      try await body(store)
      try store.close()
    }
  }

  @Test func digestComparisonNeedsEveryByte() throws {
    let digest = try #require(AccessToken(presented: "abc")).digest
    #expect(digest.matches(digest.bytes))
    #expect(!digest.matches(Array(digest.bytes.dropLast())))
    for index in digest.bytes.indices {
      var other = digest.bytes
      other[index] ^= 1
      #expect(!digest.matches(other))
    }
  }

  @Test func accountsHaveTypedErrors() async throws {
    func code(_ body: () throws(ReceiverError) -> Void) -> ReceiverError.Code? {
      do {
        try body()
        return nil
      } catch {
        return error.code
      }
    }
    let token = "a-token-of-some-length"
    try await withStore { store in
      #expect(
        code { () throws(ReceiverError) in try store.createUser(organization: "clinic", uid: "anna") } == .notFound)
      try store.createOrganization("clinic")
      #expect(code { () throws(ReceiverError) in try store.createOrganization("clinic") } == .alreadyExists)
      try store.createUser(organization: "clinic", uid: "anna", token: token)
      #expect(
        code { () throws(ReceiverError) in try store.createUser(organization: "clinic", uid: "anna") }
          == .alreadyExists)
      #expect(
        code { () throws(ReceiverError) in try store.createUser(organization: "clinic", uid: "bert", token: token) }
          == .tokenInUse)
      for id in ["", "a/b", "a b", "..", String(repeating: "x", count: 129), "ä"] {
        #expect(
          code { () throws(ReceiverError) in try store.createUser(organization: "clinic", uid: id) }
            == .invalidIdentifier)
      }
      for weak in ["", "short", "has a space in the middle", String(repeating: "x", count: 513)] {
        #expect(
          code { () throws(ReceiverError) in try store.createUser(organization: "clinic", uid: "bert", token: weak) }
            == .invalidToken)
      }
      #expect(
        code { () throws(ReceiverError) in _ = try store.measurements(organization: "clinic", uid: "bert") }
          == .notFound)
      #expect(
        code { () throws(ReceiverError) in try store.setStatus(.suspended, organization: "clinic", uid: "bert") }
          == .notFound)
    }
  }

  @Test func tokensFindTheirUsersAndNobodyElse() async throws {
    try await withStore { store in
      let organizationToken = try store.createOrganization("clinic")
      let (_, token) = try store.createUser(organization: "clinic", uid: "anna")
      #expect(token.utf8.count == 64)
      #expect(token != organizationToken)
      let wanted = try #require(AccessToken(presented: token))
      #expect(try await store.account(token: wanted)?.uid == "anna")
      #expect(try await store.account(token: AccessToken()) == nil)
      #expect(try await store.organization(token: wanted) == nil)
    }
  }

  @Test func writersOfOneUserComeOneAfterTheOther() async throws {
    try await withStore { store in
      try store.createOrganization("clinic")
      let account = try store.createUser(organization: "clinic", uid: "anna").account
      let validator = RecordValidator(vocabulary: .standard)
      // Forty writers, four for each log_id: one of the four is first.
      let outcomes = try await withThrowingTaskGroup(of: [StoreOutcome].self) { group in
        for writer in 0..<40 {
          let valid = try validator.validate(.object(measurementObject(logID: logID(writer % 10))))
          group.addTask { try await store.store([valid], for: account).map(\.outcome) }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(outcomes.count { $0 == .created } == 10)
      #expect(outcomes.count { $0 == .unchanged } == 30)
      #expect(Set(try store.records(organization: "clinic", uid: "anna").map(\.logID)).count == 10)
    }
  }

  @Test func bytesAndTextsComeBackAsTheyWere() async throws {
    try await withStore { store in
      try store.createOrganization("clinic")
      let account = try store.createUser(organization: "clinic", uid: "anna").account
      let text = "\u{0} \u{1} \u{7F} \u{FFFF} \u{10FFFF} e\u{301} \u{E9} \\ ' $1 %"
      let valid = try RecordValidator(vocabulary: .standard).validate(
        .object(
          measurementObject {
            $0["user_notes"] = .array([.object(["type": .string("note"), "value": .string(text)])])
            $0["source"] = .object(["type": .string("device\u{0}")])
          }))
      let receipt = try #require(try await store.store([valid], for: account).first)
      let stored = try #require(try store.records(organization: "clinic", uid: "anna").first)
      #expect(stored.content.utf8.elementsEqual(valid.content.utf8))
      let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
      let outcome = try await store.addMedia(bytes, type: .jpeg, toRecord: receipt.id, of: account, limit: 2)
      guard case .created(let media) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(try await store.mediaContent(id: media.id, of: account)?.bytes == bytes)
    }
  }

  @Test func replacedTokenIsRefused() async throws {
    try await withStore { store in
      try store.createOrganization("clinic")
      let (account, old) = try store.createUser(organization: "clinic", uid: "anna")
      let new = try store.replaceToken(organization: "clinic", uid: "anna")
      #expect(try await store.account(token: #require(AccessToken(presented: old))) == nil)
      #expect(try await store.account(token: #require(AccessToken(presented: new)))?.id == account.id)
    }
  }

  @Test func startOptionsCanBeRepeatedAndChanged() async throws {
    try await withStore { store in
      var seed = ReceiverConfiguration.Account(
        organization: "clinic", organizationToken: "organization-token-1", uid: "anna", token: "anna-token-0123456")
      try store.provision(seed)
      let first = try store.user(organization: "clinic", uid: "anna")
      try store.provision(seed)
      #expect(try store.user(organization: "clinic", uid: "anna") == first)
      seed.token = "anna-token-6543210"
      try store.provision(seed)
      #expect(try await store.account(token: AccessToken(chosen: "anna-token-0123456")) == nil)
      #expect(try await store.account(token: AccessToken(chosen: "anna-token-6543210"))?.id == first?.id)
      seed.uid = "bert"
      #expect(throws: ReceiverError.self) { try store.provision(seed) }
      #expect(try store.user(organization: "clinic", uid: "bert") == nil)
    }
  }

  @Test func organizationsOfStartOptionsGetTheirToken() async throws {
    try await withStore { store in
      var seed = ReceiverConfiguration.Organization(id: "clinic", token: "organization-token-1")
      try store.provision(seed)
      try store.provision(seed)
      #expect(try await store.organization(token: AccessToken(chosen: "organization-token-1")) == "clinic")
      try store.createUser(organization: "clinic", uid: "anna", token: "anna-token-0123456")
      seed.token = "organization-token-2"
      try store.provision(seed)
      #expect(try await store.organization(token: AccessToken(chosen: "organization-token-1")) == nil)
      #expect(try await store.organization(token: AccessToken(chosen: "organization-token-2")) == "clinic")
      seed.token = "anna-token-0123456"
      let error = #expect(throws: ReceiverError.self) { try store.provision(seed) }
      #expect(error?.code == .tokenInUse)
    }
  }

  @Test func whatBeganBeforeADeletionFindsNobodyElse() async throws {
    try await withStore { store in
      try store.createOrganization("clinic")
      let gone = try store.createUser(organization: "clinic", uid: "anna").account
      try store.deleteUser(organization: "clinic", uid: "anna")
      let next = try store.createUser(organization: "clinic", uid: "anna").account
      #expect(next.number > gone.number)
      let valid = try RecordValidator(vocabulary: .standard).validate(.object(measurementObject()))
      let error = await #expect(throws: ReceiverError.self) { try await store.store([valid], for: gone) }
      #expect(error?.code == .notFound)
      #expect(try store.records(organization: "clinic", uid: "anna").isEmpty)
    }
  }
}
