import Foundation
import GatewayAPI
import GatewayEngine
import MeterCore
import TestSupport
import Testing

/// A kind of sink whose receiver says whose readings it would take them for.
private struct AskingSetting: SinkSetting {
  static let kind = "asking"
  static let summary = "says who it is"
  static let credentialUse = CredentialUse.optional
  static let confirmsSubject = true
  static let members = [SinkMember("name", help: "who the receiver says it is")]

  var name: String
  var confirmedDigest: String?

  var address: String { "asking" }
  var capabilities: SinkCapabilities { SinkCapabilities() }
  var credentialNeed: CredentialUse { .none }

  func checked(in place: SinkPlace) throws -> AskingSetting { self }
  func sink() throws -> any Sink { TakingSink() }
  func subject(with credential: SinkCredential, of gateway: SinkGateway) async throws -> SinkSubject? {
    SinkSubject(reference: "Patient/1", facts: [.init("name", name)], birthDate: nil)
  }
  func confirmed(_ subject: SinkSubject) -> AskingSetting {
    AskingSetting(name: name, confirmedDigest: subject.digest)
  }
}

private struct TakingSink: Sink {
  let capabilities = SinkCapabilities()
  func check(_ credential: SinkCredential) async -> CredentialReply { CredentialReply(.accepted) }
  func deliver(_ records: [Record], with credential: SinkCredential) async -> [SinkReply] {
    records.map { _ in SinkReply(.delivered()) }
  }
  func deliver(_ image: SinkImage, with credential: SinkCredential) async -> SinkReply { SinkReply(.delivered()) }
}

/// Readings of one person in the record of another do harm (hazard H97).
@Suite("A receiver that says whose readings it gets", .timeLimit(.minutes(60)))
struct ConfirmedSubjectTests {
  let folder: TemporaryFolder
  let store: MeterStore
  private let ada = AskingSetting(name: "Ada")
  private let user = SessionUser(userID: "ada", organizationID: "clinic")

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
  }

  private func digest(_ setting: AskingSetting) async throws -> String? {
    let credential = SinkCredential(user: user, token: nil)
    return try await setting.subject(with: credential, of: SinkGateway(id: "1"))?.digest
  }

  private func code(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch {
      return GatewayError(describing: error)?.code
    }
  }

  @Test("is added with what a person has confirmed, and with nothing else")
  func add() async throws {
    _ = try store.startSession(user, token: nil, options: SessionOptions(receiver: ada.stored()))
    let other = try #require(try await digest(AskingSetting(name: "Eva")))
    #expect(
      await code { _ = try await GatewaySink.add("x", setting: ada, token: nil, to: store) } == "not_confirmed")
    #expect(
      await code { _ = try await GatewaySink.add("x", setting: ada, token: nil, confirmed: other, to: store) }
        == "subject_changed")
    #expect(try store.sinks().count == 1)
    let confirmed = try #require(try await digest(ada))
    #expect(try await GatewaySink.add("x", setting: ada, token: nil, confirmed: confirmed, to: store) == nil)
    let stored = try #require(try store.sinks().first { $0.name == "x" })
    #expect(String(decoding: stored.target.setting, as: UTF8.self).contains(confirmed))
  }

  @Test("starts no session unconfirmed")
  func start() async throws {
    let account = GatewayAccount(user: user, token: nil, setting: ada)
    #expect(await code { _ = try await GatewayDelivery.start(account, store: store) } == "not_confirmed")
    #expect(try store.currentSession().user == nil)
  }

  @Test("takes no token where its way of proving who one is has none")
  func token() async throws {
    _ = try store.startSession(user, token: nil, options: SessionOptions(receiver: ada.stored()))
    let confirmed = try await digest(ada)
    #expect(
      await code {
        _ = try await GatewaySink.add("x", setting: ada, token: AccessToken("t"), confirmed: confirmed, to: store)
      } == "sink_credential")
  }
}
