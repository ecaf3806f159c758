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
  static func legacyID(_ body: [UInt8], _ type: RecordType) -> String? {
    // The other members are numbers and texts, so that the answer as a whole has no one type.
    guard let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
      let record = object[type.rawValue] as? [String: Any]
    else { return nil }
    return record["_id"] as? String
  }

  /// Id and address of a stored image, each of a length that can be kept.
  static func image(_ body: [UInt8]) -> (id: String?, url: String?) {
    let image = (try? JSONDecoder().decode(Media.self, from: Data(body)))?.data
    return (
      image?.id.flatMap { $0.utf8.count <= 256 ? $0 : nil }, image?.url.flatMap { $0.utf8.count <= 2048 ? $0 : nil }
    )
  }
}
