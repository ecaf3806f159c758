public import GatewayAPI
import Foundation
public import MeterCore
import InformSink
import CurlHTTP

/// A receiver beside the session's own: it gets every reading, too.
public struct GatewaySink: Sendable, Hashable {
  /// Its name.
  public let name: String
  /// How it is reached.
  public let setting: ReceiverSetting
  /// That as the store keeps it.
  let stored: [UInt8]
  /// Whether it has accepted the token.
  public let isValidated: Bool
  /// Whether it has refused the token: nothing is sent to it until it gets a new one.
  public let isRefused: Bool

  /// The receivers beside the session's own, by name.
  ///
  /// - Throws: ``GatewayError`` with code `receiver_setting` for one whose setting cannot be read; `StoreError`.
  public static func all(in store: MeterStore) throws -> [GatewaySink] {
    try store.storedSinks().map { sink in
      do {
        return GatewaySink(
          name: sink.name, setting: try JSONDecoder().decode(ReceiverSetting.self, from: Data(sink.setting)),
          stored: sink.setting,
          isValidated: sink.isValidated, isRefused: sink.isRefused)
      } catch {
        throw GatewayError(
          .failed, code: "receiver_setting", "the setting of the receiver \(sink.name) is damaged",
          hint: "add it again: `meterhost session sink add \(sink.name) --help`", cause: error)
      }
    }
  }

  /// Adds a receiver to the session, or gives one that is there another setting and token.
  ///
  /// - Returns: Why it has not validated the token yet; nil when it has.
  /// - Throws: ``GatewayError`` with code `token_refused`, `token_of_other_user` or one of ``ReceiverSetting/checked()``;
  ///   then nothing has changed. `StoreError` with code `sink` or `not_found`.
  public static func add(
    _ name: String, setting: ReceiverSetting, token: AccessToken, to store: MeterStore
  ) async throws -> String? {
    let setting = try setting.checked()
    guard let user = try store.currentSession().user else {
      throw GatewayError(
        .failed, code: "no_session", "there is no session to add a receiver to",
        hint: "start one: `meterhost session start --help`")
    }
    let answer = await (try setting.endpoint())
      .answer(on: token, of: user, transport: CurlTransport(settings: setting.transportSettings))
    guard answer.verdict != .refused else { throw GatewayDelivery.refused }
    guard answer.verdict != .otherUser else { throw GatewayDelivery.otherUser }
    try store.setSink(name, setting: setting.stored(), token: token, after: answer)
    if case .unknown(let reason) = answer.verdict { return reason }
    return nil
  }
}
