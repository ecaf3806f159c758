import CurlHTTP
import MeterCore
import SinkHTTP
import StrictJSON

/// What the answer to a request with lines means, as docs/reference/influx.md lists it.
///
/// Nothing of a message is kept: it repeats the line, which is somebody's reading.
enum InfluxAnswer: Sendable, Hashable {
  /// All lines are written.
  case written
  /// The request is refused as it is; of several lines some may have been written, and each has to be tried for itself.
  case refused(status: Int)
  /// Not now, and what the lines are has nothing to do with it.
  case later(after: Duration?, text: String, isAboutItem: Bool)
  /// The database refuses the credential.
  case credentialRefused(text: String)

  init(_ response: HTTPResponse, hasCredential: Bool) {
    let isDatabase = Self.isDatabase(response)
    switch response.status {
    // By nothing else a database says that it has written: a page has a body.
    case 204: self = .written
    case 400 where isDatabase, 413,
      422 where isDatabase:
      self = .refused(status: response.status)
    case 401 where isDatabase && hasCredential:
      self = .credentialRefused(text: "HTTP 401: the database refuses the token or the password.")
    case 401, 403:
      self = .later(
        after: response.asksFor,
        text:
          "HTTP \(response.status): the database does not let this host write there; check the token and its permissions.",
        isAboutItem: false)
    case 404:
      self = .later(
        after: response.asksFor, text: "HTTP 404: there is no such bucket or database, or no database at the address.",
        isAboutItem: true)
    case 200..<300:
      self = .later(
        after: nil,
        text: "HTTP \(response.status), which is no database's answer to lines (204 is); check the address.",
        isAboutItem: true)
    default:
      let passes = [408, 425, 429].contains(response.status) || (500..<600).contains(response.status)
      self = .later(after: response.asksFor, text: "HTTP \(response.status)", isAboutItem: !passes)
    }
  }

  /// Whether a refusal is the database's: version 1 says `error`, version 2 `code` and `message`.
  private static func isDatabase(_ response: HTTPResponse) -> Bool {
    guard let object = response.object else { return false }
    return object.member("error")?.asString != nil
      || object.member("code")?.asString != nil && object.member("message")?.asString != nil
  }

  /// What it means for one reading that was sent alone.
  var reply: SinkReply {
    switch self {
    case .written: SinkReply(.delivered())
    case .refused(let status):
      SinkReply(
        .refused(reason: "http-\(status)"),
        text: "HTTP \(status): the database refuses the reading's lines; its log says why.", isAboutItem: true)
    case .later(let wait, let text, let isAboutItem):
      SinkReply(.retry(after: wait), text: text, isAboutItem: isAboutItem)
    case .credentialRefused(let text): SinkReply(.credentialRefused, text: text)
    }
  }
}
