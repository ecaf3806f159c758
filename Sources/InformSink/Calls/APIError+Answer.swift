import MeterCore
import CurlHTTP

extension APIError {
  /// The error that an answer outside 2xx means.
  init(_ answer: HTTPResponse, hiding token: AccessToken) {
    let words = ReceiverWords.text(of: answer.body, hiding: token)
    let said = "the receiver says \(answer.status)" + (words.isEmpty ? "" : ": \(words)")
    let retryAfter = RetryAfter.seconds(answer)
    let conflict = answer.status == 409 ? ReceiverAnswer.conflict(answer.body) : nil
    switch answer.status {
    case 401:
      self.init(.unauthorized, said, cure: "start the session again with a valid token", status: answer.status)
    case 404, 410:
      self.init(
        .missingRecord, said, cure: "check id and type: the receiver knows no such record of this user",
        status: answer.status)
    case 409 where conflict?.reason == "type":
      self.init(
        .mismatchedRecordTypes, said, cure: "give the record the type that it has there, or another name",
        status: answer.status)
    case 409:
      self.init(
        .conflict, said, cure: "use upsert to replace what is there, or give the record another name",
        status: answer.status, storedRevision: conflict?.revision)
    case 408, 425, 429, 500..<600:
      self.init(.busy, said, cure: "try again later", status: answer.status, retryAfterSeconds: retryAfter)
    case 400, 413, 422:
      self.init(.invalidRecords, said, cure: "correct what the receiver names", status: answer.status)
    default:
      self.init(
        .refused, said, cure: "check that the receiver has this call in this format", status: answer.status)
    }
  }
}
