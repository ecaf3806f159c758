package import GatewayAPI
import HostPrimitives
import MeterCore

extension SinkDescription {
  /// Describes a sink of the session.
  package init(_ sink: GatewaySink) {
    let stored = sink.stored
    let capabilities = sink.setting.capabilities
    let seconds = capabilities.keepsContent.components.seconds
    self.init(
      name: stored.name, role: stored.role.rawValue, kind: sink.setting.kindName, receiver: sink.setting.address,
      format: sink.setting.format,
      token: stored.isRefused
        ? "refused" : !stored.hasToken ? "none" : stored.isValidated ? "validated" : "not_yet",
      paused: stored.isPaused, acknowledgement: capabilities.acknowledgement.rawValue,
      keepsContent: seconds > 0 ? Int(seconds) : nil)
  }
}

extension SinkReport {
  /// All that a store knows of a sink.
  init(_ sink: GatewaySink, in store: MeterStore) throws {
    let stored = sink.stored
    let counts = try store.tally(sink: sink.name)
    self.init(
      sink: SinkDescription(sink), setting: try [String: SettingValue](setting: sink.setting.stored().setting),
      queue: Dictionary(counts.map { ($0.key.word, $0.value) }, uniquingKeysWith: +),
      wait: try SinkWaitDescription.all(in: store)?.first { $0.sink == sink.name },
      lastSuccess: stored.lastSuccessMicroseconds.map { utcText($0) },
      lastError: stored.lastError.map { SinkDescription.Failure(time: utcText($0.microseconds), text: $0.text) },
      clockSkew: try store.clockSkews()[sink.name]?.seconds)
  }
}

extension SinkKindDescription {
  init(_ kind: SinkKind) {
    self.init(
      kind: kind.name, summary: kind.summary, token: kind.credentialUse.rawValue,
      members: kind.members.map(Member.init),
      confirms: kind.confirmsSubject ? true : nil)
  }
}

extension SinkSubjectDescription {
  /// What a receiver says of a person.
  init(_ subject: SinkSubject) {
    self.init(
      reference: subject.reference, facts: subject.facts.map { Fact(name: $0.name, value: $0.value) },
      birthDate: subject.birthDate, digest: subject.digest)
  }
}

extension SinkKindDescription.Member {
  init(_ member: SinkMember) {
    let (form, words): (String, [String]?) =
      switch member.form {
      case .text: ("text", nil)
      case .path: ("path", nil)
      case .number: ("number", nil)
      case .word(let words): ("word", words)
      }
    self.init(name: member.name, form: form, words: words, required: member.isRequired, help: member.help)
  }
}

extension SinkSetting {
  var kindName: String { Self.kind }

  /// The setting's member `format`, of kinds that have one.
  var format: String? {
    guard let values = try? [String: SettingValue](setting: stored().setting) else { return nil }
    return values["format"]?.text
  }
}
