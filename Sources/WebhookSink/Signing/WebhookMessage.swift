import Foundation
import MeterCore
import ReadingJSON
import SinkHTTP

/// One reading as it is posted. Its id is the same each time that it is sent, so that a receiver can drop what it has; timestamp and
/// signature are of the attempt.
struct WebhookMessage: Sendable {
  /// `LOG_ID-rREVISION-USER`; the last part tells apart two users who have read one meter, without naming them.
  let id: String
  /// One JSON object.
  let body: [UInt8]

  /// - Throws: ``FormatRefusal`` for a reading that cannot be written.
  init(_ record: Record, of user: SessionUser) throws(FormatRefusal) {
    body = try ReadingJSON.bytes(of: record, user: user)
    id = "\(record.logID)-r\(record.revision)-\(user.pseudonym)"
  }

  /// The fields that say what it is and who has sent it (Standard Webhooks 1.0.0, "Signature scheme").
  ///
  /// - Parameter seconds: The date, in seconds since 1970-01-01T00:00Z.
  func fields(signedWith secret: WebhookSecret, at seconds: Int64) -> [(name: String, value: String)] {
    let code = secret.code(of: Array("\(id).\(seconds).".utf8) + body)
    return [
      ("Content-Type", "application/json"), ("webhook-id", id), ("webhook-timestamp", "\(seconds)"),
      ("webhook-signature", "v1,\(Data(code).base64EncodedString())"),
    ]
  }
}
