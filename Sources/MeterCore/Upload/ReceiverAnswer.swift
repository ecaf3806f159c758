internal import Foundation

/// What the host reads in receivers' answers; members that it does not know are nobody's business.
enum ReceiverAnswer {
  private struct Inform: Decodable {
    let id: String?
    let data: Stored?
  }

  private struct Stored: Decodable {
    let id: String?
  }

  /// What stands in the place of a record that a 409 refuses.
  struct Conflict: Decodable {
    let reason: String?
    let revision: Int?
  }

  private struct Conflicting: Decodable {
    let conflict: Conflict?
  }

  private struct InformPlace: Decodable {
    struct Receipt: Decodable {
      let revision: Int?
    }

    let data: Receipt?
  }

  /// A stored image.
  struct Image: Decodable {
    let id: String?
    let url: String?
  }

  private struct Media: Decodable {
    let data: Image?
  }

  /// The member `id` of the answer's `data` or of the answer.
  static func informID(_ body: [UInt8]) -> String? {
    let answer = try? JSONDecoder().decode(Inform.self, from: Data(body))
    return answer?.data?.id ?? answer?.id
  }

  /// The member `_id` of the record in a Legacy answer, which stands under its type's name.
  static func legacyID(_ body: [UInt8], _ type: RecordType) -> String? { legacyRecord(body, type)?["_id"] as? String }

  /// Its members are numbers and texts, so that the record as a whole has no one type.
  private static func legacyRecord(_ body: [UInt8], _ type: RecordType) -> [String: Any]? {
    let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
    return object?[type.rawValue] as? [String: Any]
  }

  /// What a 409 says of the record that is there.
  static func conflict(_ body: [UInt8]) -> Conflict? {
    (try? JSONDecoder().decode(Conflicting.self, from: Data(body)))?.conflict
  }

  /// The stored revision in Inform's answer.
  static func informRevision(_ body: [UInt8]) -> Int? {
    (try? JSONDecoder().decode(InformPlace.self, from: Data(body)))?.data?.revision
  }

  /// The stored revision in a Legacy answer.
  static func legacyRevision(_ body: [UInt8], _ type: RecordType) -> Int? {
    legacyRecord(body, type)?["revision"] as? Int
  }

  /// Id and address of a stored image, each of a length that can be kept. An address that leaves out scheme and host has those
  /// of the receiver.
  static func image(_ body: [UInt8], from endpoint: ReceiverEndpoint) -> (id: String?, url: String?) {
    let image = (try? JSONDecoder().decode(Media.self, from: Data(body)))?.data
    let url = image?.url.flatMap { URL(string: $0, relativeTo: URL(string: endpoint.base + "/"))?.absoluteString }
    return (image?.id.flatMap { $0.utf8.count <= 256 ? $0 : nil }, url.flatMap { $0.utf8.count <= 2048 ? $0 : nil })
  }
}
