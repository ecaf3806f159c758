import Foundation
import GatewayAPI
import GatewayEngine
import HTTPTypes
import Hummingbird
import NIOCore

/// What a sender is told in place of a success.
struct IngestRefusal: Error {
  var status: HTTPResponse.Status
  var code: String
  /// What to do about it; nil of a refusal that says nothing to strangers.
  var message: String?
  /// In whole seconds.
  var retryAfter: Int?
  /// What came of the samples, where there were some.
  var tally: HealthTally?

  init(_ status: HTTPResponse.Status, _ code: String, _ message: String? = nil) {
    (self.status, self.code, self.message) = (status, code, message)
  }

  private struct Body: Encodable {
    struct Reason: Encodable {
      var code: String
      var message: String?
    }

    var error: Reason
    var accepted: Int?
    var duplicates: Int?
    var refused: Int?
  }

  /// The body of the answer.
  var json: String {
    GatewayJSON.line(
      Body(
        error: Body.Reason(code: code, message: message), accepted: tally?.accepted, duplicates: tally?.duplicates,
        refused: tally?.refused))
  }

  var response: Response {
    var headers: HTTPFields = [.contentType: "application/json"]
    if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
    if let retryAfter { headers[.retryAfter] = "\(retryAfter)" }
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: json)))
  }
}

extension IngestRefusal {
  static let notFound = IngestRefusal(
    .notFound, "not_found",
    "there is no such resource; post to /ingest/auto, /ingest/hae, /ingest/hc-webhook or /ingest/shortcuts")
  /// Without a word that tells a wrong token from one that was taken back.
  static let unauthorized = IngestRefusal(.unauthorized, "unauthorized")
  static let tooLarge = IngestRefusal(
    .contentTooLarge, "too_large",
    "a body has at most \(IngestBody.limit) bytes, inflated, too; send fewer days at once")
  static let noSession = later("no_session", "the host has no session now; send it again later", in: 300)

  /// Nothing is kept, and the same may succeed later.
  static func later(_ code: String, _ message: String, in seconds: Int) -> IngestRefusal {
    var refusal = IngestRefusal(.serviceUnavailable, code, message)
    refusal.retryAfter = seconds
    return refusal
  }

  static func tooOften(_ seconds: Int) -> IngestRefusal {
    var refusal = IngestRefusal(.tooManyRequests, "too_many_requests", "send again in \(seconds) seconds")
    refusal.retryAfter = seconds
    return refusal
  }

  /// A body that was kept and is no export, or of which nothing can be used.
  static func useless(_ code: String, _ message: String, _ tally: HealthTally) -> IngestRefusal {
    var refusal = IngestRefusal(.unprocessableContent, code, message)
    refusal.tally = tally
    return refusal
  }

  /// A body for which there is no room.
  init(_ error: SpoolError) {
    switch error {
    case .full: self = .later("spool_full", "too much waits to be imported; send it again later", in: 60)
    case .diskFull: self = .later("disk_full", "the host's disk is full; send it again later", in: 300)
    case .broken: self = .later("spool", "the host cannot keep it now; send it again later", in: 60)
    }
  }
}
