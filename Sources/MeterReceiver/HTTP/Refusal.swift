import HTTPTypes
import Hummingbird

/// An answer that is not success, with its reasons in the members of all of Inform v2's error shapes.
struct Refusal: Error {
  var status: HTTPResponse.Status
  var errors: JSONValue
  var headers: HTTPFields = [:]
  var shape = Shape.inform
  /// Of a 409: what is stored, for programs. MeterHost's extension.
  var conflict: JSONObject?

  /// Which wire format the answer is in.
  enum Shape {
    /// `{"errors", "message", "status", "error"}`: Inform has four shapes, `{"errors": [...]}`, `{"errors": {field: [...]}}`,
    /// `{"message"}` and `{"status", "error"}`, and a program reads the one that it knows.
    case inform
    /// `{"code", "message", "errors"}`
    case legacy
  }

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

  /// 409 because of what is stored already: `{"conflict": {"reason", "id", "revision"}}` beside the reasons.
  static func conflict(_ receipt: StoreReceipt, fields: FieldErrors) -> Refusal {
    var refusal = Refusal(.conflict, fields: fields)
    refusal.conflict = receipt.conflict
    return refusal
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

  /// The first reason, with its field.
  private var reason: String {
    switch errors {
    case .array(let reasons):
      if case .string(let reason)? = reasons.first { return reason }
    case .object(let fields):
      if let field = fields.members.first, case .array(let reasons) = field.value,
        case .string(let reason)? = reasons.first
      {
        return "\(field.name) \(reason)"
      }
    default: break
    }
    return status.reasonPhrase
  }

  /// The body of the answer.
  var bytes: [UInt8] { Array(JSONValue.object(json).text.utf8) }

  private var json: JSONObject {
    var body: JSONObject = [
      "errors": errors, "message": .string(reason), "status": .integer(status.code),
      "error": .string(status.reasonPhrase),
    ]
    if shape == .legacy {
      body = ["code": .integer(status.code), "message": .string(reason), "errors": errors]
    }
    if let conflict { body["conflict"] = .object(conflict) }
    return body
  }

  var response: Response {
    var response = Response(status: status, json: json)
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
