/// The form in which records go to a receiver (C10).
public enum WireFormat: String, Sendable, Hashable, Codable, CaseIterable {
  /// Validic Inform v2: all record types.
  case informV2 = "inform-v2"
  /// Validic's Legacy API (v1): seven record types, a field and a unit for each value.
  case legacyV1 = "legacy-v1"
}

/// Builds the requests that bring records and their images to one receiver in one format, and reads its answers.
struct WireCalls: Sendable {
  let endpoint: ReceiverEndpoint
  let format: WireFormat

  /// Stores a record, or the next revision of one.
  ///
  /// - Throws: ``EncodingRefusal`` for a record that the format cannot carry.
  func store(_ record: Record, of user: SessionUser, token: AccessToken) throws(EncodingRefusal) -> HTTPRequest {
    switch format {
    case .informV2:
      let body = try InformV2Encoder().encode(record)
      return endpoint.request("POST", endpoint.data(record.type), token: token, body: body)
    case .legacyV1:
      // The Legacy API takes the token in the body, and nothing in the header.
      let body = try LegacyV1Encoder().encode(record, accessToken: token.secret)
      return endpoint.request("POST", endpoint.legacy(record.type, of: user), token: nil, body: body)
    }
  }

  /// Stores an image of a record that the receiver has; the same call in both formats.
  func store(_ image: RecordImage, ofRecord recordID: String, token: AccessToken) -> HTTPRequest {
    endpoint.request(
      "POST", endpoint.media(ofRecord: recordID), token: token, body: image.bytes,
      contentType: image.contentType.rawValue)
  }

  /// The receiver's own id in the answer to a stored record; an answer without one is an answer all the same.
  func recordID(in answer: [UInt8], of type: RecordType) -> String? {
    let id =
      switch format {
      case .informV2: ReceiverAnswer.informID(answer)
      case .legacyV1: ReceiverAnswer.legacyID(answer, type)
      }
    return id.flatMap { (1...256).contains($0.utf8.count) ? $0 : nil }
  }
}
