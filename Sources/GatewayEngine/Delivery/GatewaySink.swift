import Foundation
import GatewayAPI
import InformSink
package import MeterCore

/// A sink of the session with its setting read.
package struct GatewaySink: Sendable {
  /// The sink as the store keeps it.
  package let stored: StoredSink
  /// How it is reached, and what it takes.
  package let setting: any SinkSetting

  package var name: String { stored.name }

  /// The session's sinks, its own receiver first; that one is missing where an earlier version has kept no setting of it.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_setting` for one whose setting cannot be read; `StoreError`.
  package static func all(in store: MeterStore) throws -> [GatewaySink] {
    try store.sinks().compactMap { stored in
      if stored.target.setting.isEmpty {
        return try ReceiverFile.read(in: store.folder).map { GatewaySink(stored: stored, setting: $0) }
      }
      return GatewaySink(stored: stored, setting: try setting(of: stored))
    }
  }

  /// The session's own receiver; nil without a session, or when nothing is known of it.
  package static func own(in store: MeterStore) throws -> GatewaySink? {
    try all(in: store).first { $0.stored.role == .session }
  }

  /// The receivers beside the session's own, by name.
  package static func further(in store: MeterStore) throws -> [GatewaySink] {
    try all(in: store).filter { $0.stored.role == .further }
  }

  /// The sink of a name.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_sink`.
  package static func named(_ name: String, in store: MeterStore) throws -> GatewaySink {
    guard let sink = try all(in: store).first(where: { $0.name == name }) else {
      throw GatewayError(
        .usage, code: "unknown_sink", "the session has no receiver \(name)",
        hint: "`meterhost sink list` shows what there is")
    }
    return sink
  }

  private static func setting(of stored: StoredSink) throws(GatewayError) -> any SinkSetting {
    do { return try SinkKinds.gateway.setting(stored.target) } catch {
      let isOwn = stored.role == .session
      throw GatewayError(
        .failed, code: "receiver_setting",
        isOwn
          ? "the setting of the session's receiver is damaged"
          : "the setting of the receiver \(stored.name) is damaged",
        hint: isOwn
          ? "start the session again: `meterhost session start --receiver URL ...`"
          : "add it again: `meterhost sink add \(stored.name) --help`", cause: error)
    }
  }

  /// Adds a receiver to the session, or gives one that is there another setting and token.
  ///
  /// - Parameter confirmed: What a person has confirmed, where the receiver says whose readings it would take them for.
  /// - Returns: Why it has not validated the token yet; nil when it has.
  /// - Throws: ``GatewayError`` with code `token_refused`, `token_of_other_user`, `not_confirmed`, `subject_changed`, or that
  ///   of a setting that cannot be used; then nothing has changed. `StoreError` with code `sink` or `not_found`.
  package static func add(
    _ name: String, setting: any SinkSetting, token: AccessToken?, confirmed: String? = nil, to store: MeterStore
  ) async throws -> String? {
    var setting = try setting.checked(in: SinkPlace(stateFolder: store.folder))
    try setting.checkCredential(token)
    guard let user = try store.currentSession().user else {
      throw GatewayError(
        .failed, code: "no_session", "there is no session to add a receiver to",
        hint: "start one: `meterhost session start --help`")
    }
    let (credential, gateway) = (SinkCredential(user: user, token: token), try store.gateway())
    setting = try await setting.confirmed(by: confirmed, credential, of: gateway)
    let answer = await (try setting.sink(of: gateway)).answer(on: credential)
    guard answer.verdict != .refused else { throw GatewayDelivery.refused }
    guard answer.verdict != .otherUser else { throw GatewayDelivery.otherUser }
    try store.setSink(name, setting.stored(), token: token, after: answer)
    if case .unknown(let reason) = answer.verdict { return reason }
    return nil
  }
}

extension SinkSetting {
  /// - Throws: `SinkSettingError` with code `sink_credential`.
  func checkCredential(_ token: AccessToken?) throws(SinkSettingError) {
    if token == nil, credentialNeed == .required {
      throw SinkSettingError(
        .credential, "receivers of the kind \(Self.kind) want a token", hint: "give one with --token-file")
    }
    if token != nil, credentialNeed == .none {
      throw SinkSettingError(
        .credential, "there is nobody behind a receiver of the kind \(Self.kind) who could ask for a token",
        hint: "leave the token out")
    }
    if let token { try check(token) }
  }
}

/// The file in which the first versions kept the setting of the session's own receiver.
enum ReceiverFile {
  private static let name = "receiver.json"

  /// - Throws: ``GatewayError`` with code `receiver_setting`.
  static func read(in folder: URL) throws(GatewayError) -> ReceiverSetting? {
    let path = folder.appendingPathComponent(name).path
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    do {
      return try JSONDecoder().decode(ReceiverSetting.self, from: FileManager.default.contents(atPath: path) ?? Data())
    } catch {
      throw GatewayError(
        .failed, code: "receiver_setting", "\(path) is damaged",
        hint: "start the session again: `meterhost session start --receiver URL ...`", cause: error)
    }
  }

  /// Removes it; without it or with it the sink's row is what counts.
  static func remove(of folder: URL) {
    try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
  }
}
