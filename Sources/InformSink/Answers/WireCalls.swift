import MeterCore
import CurlHTTP
import HostPrimitives
import StrictJSON

/// Builds the requests that bring records and their images to one receiver in one format, and reads its answers.
struct WireCalls: Sendable {
  let endpoint: ReceiverEndpoint
  let format: WireFormat

  /// What is to be done with a record.
  enum RecordCall {
    /// Store it, or the next revision of one.
    case create
    /// Store it, unless it is there, by whichever gateway.
    case deliver
    /// Put it in the place of the record that has this id at the receiver, as its next revision.
    case replace(recordID: String)

    fileprivate var mark: ContentMark {
      switch self {
      case .create: .revision
      case .deliver: .revisionAndHash
      case .replace: .none
      }
    }
  }

  /// The request that brings a record.
  ///
  /// - Throws: ``EncodingRefusal`` for a record that the format cannot carry.
  func request(
    _ record: Record, _ call: RecordCall, of user: SessionUser, token: AccessToken
  ) throws(EncodingRefusal) -> HTTPRequest {
    var (method, recordID): (String, String?) = ("POST", nil)
    if case .replace(let id) = call { (method, recordID) = ("PUT", id) }
    switch format {
    case .informV2:
      let body = try InformV2Encoder().encode(record, mark: call.mark)
      return endpoint.request(method, endpoint.data(record.type, recordID: recordID), token: token, body: body)
    case .legacyV1:
      // The Legacy API takes the token in the body, and nothing in the header.
      let body = try LegacyV1Encoder().encode(record, accessToken: token.secret, mark: call.mark)
      let url = endpoint.legacy(record.type, of: user, recordID: recordID)
      return endpoint.request(method, url, token: nil, body: body)
    }
  }

  /// Deletes the record that has this id at the receiver.
  func delete(_ type: RecordType, recordID: String, of user: SessionUser, token: AccessToken) -> HTTPRequest {
    switch format {
    case .informV2:
      return endpoint.request("DELETE", endpoint.data(type, recordID: recordID), token: token)
    case .legacyV1:
      var json = JSONWriter()
      json.object { $0.member("access_token", token.secret) }
      let url = endpoint.legacy(type, of: user, recordID: recordID)
      return endpoint.request("DELETE", url, token: nil, body: json.bytes)
    }
  }

  /// Stores an image of a record that the receiver has; the same call in both formats.
  func store(_ image: RecordImage, ofRecord recordID: String, token: AccessToken) -> HTTPRequest {
    endpoint.request(
      "POST", endpoint.media(ofRecord: recordID), token: token, body: image.bytes,
      contentType: image.contentType.rawValue)
  }

  /// The receiver's own id in the answer to a stored record; an answer without one is an answer all the same.
  ///
  /// - Parameter token: What the id may not repeat.
  func recordID(in answer: [UInt8], of type: RecordType, hiding token: AccessToken) -> String? {
    let id =
      switch format {
      case .informV2: ReceiverAnswer.informID(answer)
      case .legacyV1: ReceiverAnswer.legacyID(answer, type)
      }
    return ReceiverAnswer.kept(id, 256, hiding: token)
  }

  /// The revision that the receiver has stored, as its answer says.
  func revision(in answer: [UInt8], of type: RecordType) -> Int? {
    switch format {
    case .informV2: ReceiverAnswer.informRevision(answer)
    case .legacyV1: ReceiverAnswer.legacyRevision(answer, type)
    }
  }
}
