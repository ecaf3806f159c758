import Crypto
import HostPrimitives

@testable import MeterReceiver

/// A store with one organisation, and messages of its users.
struct FleetSamples: Sendable {
  static let organization = "clinic"
  static let rules = FleetRules(ReceiverConfiguration(database: ""))

  let store: ReceiverStore

  static func token(_ user: String) -> String { "token-of-\(user)-0123456789" }

  /// A message of a user's gateway, as the gateway makes it.
  static func message(
    _ user: String, _ record: JSONObject, gateway: String = "gw1", organization: String = organization,
    collection: String = "measurements", token: String? = nil
  ) -> FleetMessage {
    message(
      user, payload: Array(JSONValue.object(record).text.utf8), name: name(record), gateway: gateway,
      organization: organization, collection: collection, token: token)
  }

  static func message(
    _ user: String, payload: [UInt8], name: String, gateway: String = "gw1", organization: String = organization,
    collection: String = "measurements", token: String? = nil
  ) -> FleetMessage {
    let subject = "mh.\(organization).\(gateway).r.\(collection)"
    let digest = Array(SHA256.hash(data: Array((token ?? Self.token(user)).utf8)))
    let mac = FleetMessage.mac(tokenDigest: digest, subject: subject, messageID: name, payload: payload)
    return FleetMessage(
      subject: subject,
      headers: [
        FleetMessage.Header.messageID: name, FleetMessage.Header.user: digest.prefix(8).hexadecimal,
        FleetMessage.Header.mac: mac.hexadecimal, FleetMessage.Header.confirm: "mh.\(organization).\(gateway).c",
      ], payload: payload)
  }

  private static func name(_ record: JSONObject) -> String {
    guard case .string(let logID)? = record["log_id"] else { return "none:1:00000000" }
    return "\(logID):\(record["revision"]?.integer ?? 1):00000000"
  }

  /// What becomes of messages, in the words of the confirmations.
  func take(_ messages: [FleetMessage]) async throws -> [String] {
    try await store.take(messages, by: Self.rules).map(\.word)
  }

  /// The log_ids of a user's stored records, in their order.
  func stored(_ user: String) throws -> [String] {
    try store.records(organization: Self.organization, uid: user).map(\.logID)
  }
}

/// A measurement in a revision.
func revised(_ number: Int, _ revision: Int = 1, value: Double = 111) -> JSONObject {
  measurementObject(logID: logID(number), value: value) { $0["revision"] = .integer(revision) }
}
