import HTTPTypes
import Hummingbird

/// An answer that is not success, with its reasons in one of Inform v2's two error shapes.
struct Refusal: Error {
  var status: HTTPResponse.Status
  var errors: JSONValue
  var headers: HTTPFields = [:]

  /// `{"errors": ["reason"]}`: the request as a whole.
  init(_ status: HTTPResponse.Status, _ reason: String) {
    self.status = status
    errors = .array([.string(reason)])
  }

  /// `{"errors": {"field": ["reason"]}}`: fields of a record.
  init(_ status: HTTPResponse.Status, fields: FieldErrors) {
    self.status = status
    errors = fields.json
  }

  /// 401 with the challenge that RFC 6750 section 3 asks for.
  static func unauthorized(_ reason: String) -> Refusal {
    var refusal = Refusal(.unauthorized, reason)
    refusal.headers[.wwwAuthenticate] = "Bearer"
    return refusal
  }

  /// 503: nothing is known to be stored, and the same request may succeed later.
  static func unavailable(_ reason: String) -> Refusal {
    var refusal = Refusal(.serviceUnavailable, reason)
    refusal.headers[.retryAfter] = "5"
    return refusal
  }

  var response: Response {
    var response = Response(status: status, json: ["errors": errors])
    for field in headers { response.headers.append(field) }
    return response
  }
}

extension Response {
  init(status: HTTPResponse.Status, json: JSONObject) {
    self.init(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: JSONValue.object(json).text)))
  }
}
