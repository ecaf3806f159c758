package import GatewayAPI
import MeterCore

extension SinkAddRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) async throws -> Answer {
    let unvalidated = try await GatewaySink.add(
      sink, setting: SinkKinds.gateway.setting(kind, setting), token: token.map { AccessToken($0) },
      confirmed: confirmed, to: owner.store)
    return Answer(
      sink: SinkDescription(try GatewaySink.named(sink, in: owner.store)), unvalidated: unvalidated)
  }
}

extension SinkListRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> [SinkDescription] {
    try GatewaySink.all(in: owner.store).map(SinkDescription.init)
  }
}

extension SinkShowRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `unknown_sink`.
  package func perform(on owner: GatewayOwner) throws -> SinkReport {
    try SinkReport(GatewaySink.named(sink, in: owner.store), in: owner.store)
  }
}

extension SinkKindsRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) -> [SinkKindDescription] {
    SinkKinds.gateway.all.map(SinkKindDescription.init)
  }
}

extension SinkSubjectRequest: HandledRequest {
  /// - Throws: What is wrong with the setting, or with what the receiver says.
  package func perform(on owner: GatewayOwner) async throws -> Answer {
    let setting = try SinkKinds.gateway.setting(kind, setting).checked(in: SinkPlace(stateFolder: owner.store.folder))
    let token = token.map { AccessToken($0) }
    try setting.checkCredential(token)
    // Before the first session nobody is anybody; the receiver says who it is.
    let user = try owner.store.currentSession().user ?? SessionUser(userID: "", organizationID: "")
    let subject = try await setting.subject(
      with: SinkCredential(user: user, token: token), of: owner.store.gateway())
    return Answer(subject: subject.map(SinkSubjectDescription.init))
  }
}

extension SinkTestRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `unknown_sink` or `no_token`, and what is wrong with the setting.
  package func perform(on owner: GatewayOwner) async throws -> Answer {
    let found = try GatewaySink.named(sink, in: owner.store)
    let setting = try found.setting.checked(in: SinkPlace(stateFolder: owner.store.folder))
    guard let credential = try owner.store.credential(ofSink: sink) else {
      throw GatewayError(
        .failed, code: "no_token", "there is no token for the receiver \(sink)",
        hint: "give it one: `meterhost sink add \(sink) --help`")
    }
    let reply = await (try setting.sink(of: owner.store.gateway())).check(credential)
    return switch reply.verdict {
    case .accepted: Answer(verdict: "accepted")
    case .refused: Answer(verdict: "refused")
    case .otherUser: Answer(verdict: "other_user", reason: reply.text.isEmpty ? nil : reply.text)
    case .cannotSay, .unclear, .outOfReach: Answer(verdict: "unknown", reason: reply.reason)
    }
  }
}

extension SinkPauseRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `unknown_sink`.
  package func perform(on owner: GatewayOwner) throws -> SinkDescription {
    try owner.store.setPaused(paused, sink: sink)
    return SinkDescription(try GatewaySink.named(sink, in: owner.store))
  }
}

extension SinkRemoveRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `unknown_sink`.
  package func perform(on owner: GatewayOwner) throws -> Bool {
    guard try owner.store.removeSink(sink) else {
      throw GatewayError(
        .usage, code: "unknown_sink", "the session has no receiver \(sink)",
        hint: "`meterhost sink list` shows what there is")
    }
    return true
  }
}

extension SinkKinds {
  /// The setting that a request has.
  ///
  /// - Parameter kind: Its kind; nil for Inform's.
  func setting(_ kind: String?, _ values: [String: SettingValue]) throws -> any SinkSetting {
    let kind = try self.kind(kind ?? "inform")
    let known = Set(kind.members.map(\.name))
    if let unknown = values.keys.sorted().first(where: { !known.contains($0) }) {
      throw SinkSettingError(
        .setting, "the kind \(kind.name) has no member \(unknown.prefix(40))",
        hint: "it says " + kind.members.map { $0.isRequired ? $0.name : "[\($0.name)]" }.joined(separator: ", "))
    }
    return try kind.setting(try values.json())
  }
}
