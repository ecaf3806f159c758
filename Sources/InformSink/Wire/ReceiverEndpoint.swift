public import MeterCore
import CurlHTTP
public import HostErrors
import HostPrimitives

/// Where a receiver listens.
public struct ReceiverEndpoint: Sendable, Hashable {
  /// The base URL without a slash at its end.
  public let base: String

  /// A base URL that cannot be used.
  public struct InvalidURL: HostError, Hashable {
    /// What is wrong and what to do.
    public let message: String
    /// What to do about it, where the message does not say it.
    public let hint: String?
    /// It is the fault of what was given.
    public var kind: HostErrorKind { .usage }
    /// The one code of its type.
    public var code: String { "receiver_address" }

    init(message: String, hint: String? = nil) {
      self.message = message
      self.hint = hint
    }
  }

  /// An endpoint from a base URL such as `https://receiver.example`.
  ///
  /// Plain `http` is taken for this machine only (`localhost`, `127.0.0.1`, `[::1]`): anywhere else it would show token
  /// and health data to the network. A Unix socket is `http+unix://` with its path, percent-encoded, in the place of the host:
  /// `http+unix://%2Frun%2Fmeterhost%2Freceiver.sock`.
  ///
  /// - Parameter allowsPlainHTTP: Takes plain `http` everywhere, for a network that protects itself.
  public init(_ url: String, allowsPlainHTTP: Bool = false) throws(InvalidURL) {
    do { base = try HTTPReach.base(of: url, allowsPlainHTTP: allowsPlainHTTP) } catch {
      throw InvalidURL(message: error.message, hint: error.hint)
    }
  }

  /// Where records of a type are posted (Inform v2); with the receiver's id, where that record is.
  public func data(_ type: RecordType, recordID: String? = nil) -> String {
    "\(base)/connect/provider/data/\(type.informCollection)" + (recordID.map { "/\(Self.segment($0))" } ?? "")
  }
  /// Where records of a user and type are posted (Legacy); with the receiver's id, where that record is.
  public func legacy(_ type: RecordType, of user: SessionUser, recordID: String? = nil) -> String {
    "\(base)/v1/organizations/\(Self.segment(user.organizationID))/users/\(Self.segment(user.userID))"
      + "/\(type.rawValue)" + (recordID.map { "/\(Self.segment($0))" } ?? "") + ".json"
  }
  /// Where an image of a stored record is posted; `recordID` is the receiver's own id of the record.
  public func media(ofRecord recordID: String) -> String {
    "\(base)/connect/provider/records/\(Self.segment(recordID))/media"
  }
  /// Where a token is validated: our own call, documented beside Inform's.
  public var user: String { base + "/connect/provider/user" }

  /// One segment of a path: everything but unreserved characters escaped (RFC 3986 section 2.3), so that no id leads
  /// elsewhere. Dots alone would: they are escaped as well.
  static func segment(_ text: String) -> String {
    let isDots = text == "." || text == ".."
    var result = ""
    for byte in text.utf8 {
      let isPlain =
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
          true
        case UInt8(ascii: "."): !isDots
        default: false
        }
      if isPlain {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        result += "%" + byte.hexadecimal(digits: 2, uppercase: true)
      }
    }
    return result
  }

  /// - Parameter token: For the Authorization field; nil when the body holds it.
  func request(
    _ method: String, _ url: String, token: AccessToken?, body: [UInt8]? = nil,
    contentType: String = "application/json"
  ) -> HTTPRequest {
    var headers = [("Accept", "application/json")]
    if let token { headers.insert(("Authorization", "Bearer \(token.secret)"), at: 0) }
    if body != nil { headers.append(("Content-Type", contentType)) }
    return HTTPRequest(method: method, url: url, headers: headers, body: body)
  }
}
