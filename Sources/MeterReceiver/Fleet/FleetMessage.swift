import Crypto
import HostPrimitives

/// A reading as a gateway has published it. All of it comes from outside; the server vouches for the subject alone.
package struct FleetMessage: Sendable, Hashable {
  /// Names of the fields.
  package enum Header {
    /// The sender's name of the message: `LOG_ID:REVISION:HASH:OWNER`.
    package static let messageID = "Nats-Msg-Id"
    /// Which user: the first eight bytes of the SHA-256 of their token, in hexadecimal.
    package static let user = "Meterhost-User"
    /// The proof that the sender has that token: 64 hexadecimal digits.
    package static let mac = "Meterhost-Mac"
    /// That the sender wants to hear what became of it, and where.
    package static let confirm = "Meterhost-Confirm"
  }

  /// What it was published under.
  package var subject: String
  /// The value of each field that is there once.
  package var headers: [String: String]
  /// The record, as the body of an upload.
  package var payload: [UInt8]

  /// A message.
  package init(subject: String, headers: [String: String], payload: [UInt8]) {
    (self.subject, self.headers, self.payload) = (subject, headers, payload)
  }

  /// Whether a message can be called so: up to 256 visible characters of ASCII.
  package static func isName(_ text: String) -> Bool {
    (1...256).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// The proof of a message: HMAC-SHA256 by the SHA-256 of the token over subject, name and payload, each but the last with a line
  /// feed behind it, which no subject and no name has.
  ///
  /// - Parameter tokenDigest: SHA-256 of the token, which is all that a receiver keeps of it.
  package static func mac(tokenDigest: [UInt8], subject: String, messageID: String, payload: [UInt8]) -> [UInt8] {
    Array(
      HMAC<SHA256>.authenticationCode(
        for: authenticated(subject, messageID, payload), using: SymmetricKey(data: tokenDigest)))
  }

  fileprivate static func authenticated(_ subject: String, _ messageID: String, _ payload: [UInt8]) -> [UInt8] {
    Array("\(subject)\n\(messageID)\n".utf8) + payload
  }
}

/// Whose reading a message says that it is, before that is proved.
struct FleetClaim: Sendable {
  let subject: FleetSubject
  let messageID: String
  /// What the user's row is looked up by.
  let lookup: Int64
  private let mac: [UInt8]
  private let authenticated: [UInt8]

  /// - Throws: ``FleetFault`` where a field is missing, or none of ours.
  init(_ message: FleetMessage) throws(FleetFault) {
    guard let subject = FleetSubject(message.subject) else {
      throw FleetFault("the subject is none of a gateway's readings")
    }
    let headers = message.headers
    guard let id = headers[FleetMessage.Header.messageID], FleetMessage.isName(id) else {
      throw FleetFault("the message has no name (\(FleetMessage.Header.messageID))")
    }
    guard let user = headers[FleetMessage.Header.user].flatMap({ [UInt8](hexadecimal: $0.utf8) }), user.count == 8,
      let mac = headers[FleetMessage.Header.mac].flatMap({ [UInt8](hexadecimal: $0.utf8) }), mac.count == 32
    else {
      throw FleetFault(
        "the message does not prove whose reading it is (\(FleetMessage.Header.user), \(FleetMessage.Header.mac))")
    }
    self.subject = subject
    self.mac = mac
    messageID = id
    lookup = Int64(bigEndianBytes: user)
    authenticated = FleetMessage.authenticated(message.subject, id, message.payload)
  }

  /// Whether the sender has the token of that digest.
  func isProved(by tokenDigest: [UInt8]) -> Bool {
    HMAC<SHA256>.isValidAuthenticationCode(mac, authenticating: authenticated, using: SymmetricKey(data: tokenDigest))
  }
}

/// Why a message is nobody's.
struct FleetFault: Error {
  /// For people; it repeats nothing of the message.
  let text: String

  init(_ text: String) { self.text = text }
}
