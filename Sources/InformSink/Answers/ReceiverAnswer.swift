import MeterCore
import CurlHTTP
internal import Foundation
import HostPrimitives
internal import StrictJSON

/// What the host reads in receivers' answers; members that it does not know are nobody's business.
enum ReceiverAnswer {
  /// What stands in the place of a record that a 409 refuses.
  struct Conflict {
    let reason: String?
    let revision: Int?
  }

  /// An answer's JSON object; nil for what is none. The content type says nothing either way, receivers and proxies get it wrong.
  ///
  /// - Parameter allowsDuplicateKeys: Whether a member may stand there twice. Two readers of such an answer would read two.
  static func object(_ body: [UInt8], allowsDuplicateKeys: Bool = false) -> JSONElement? {
    // Some libraries write a byte order mark.
    let bytes = body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body
    let rules = JSONRules(depth: 64, allowsDuplicateKeys: allowsDuplicateKeys)
    guard let root = try? JSONDocument(bytes, rules: rules).root, root.kind == .object else { return nil }
    return root
  }

  /// A text, or the digits of a number: receivers name things by either.
  static func text(_ element: JSONElement?) -> String? { element?.asString ?? element?.numeral }

  /// Whether an element is this text, byte for byte: Swift calls texts equal that are spelled by other bytes, and to a receiver they are
  /// two names.
  static func isText(_ element: JSONElement, _ text: String) -> Bool {
    self.text(element)?.isExactly(text) ?? false
  }

  private static func integer(_ element: JSONElement?) -> Int? { element?.numeral.flatMap { Int($0) } }

  /// The member `id` of the answer's `data` or of the answer.
  static func informID(_ body: [UInt8]) -> String? {
    let answer = object(body)
    return text(answer?.member("data")?.member("id")) ?? text(answer?.member("id"))
  }

  /// The member `_id` of the record in a Legacy answer, which stands under its type's name.
  static func legacyID(_ body: [UInt8], _ type: RecordType) -> String? {
    text(object(body)?.member(type.rawValue)?.member("_id"))
  }

  /// What a 409 says of the record that is there.
  static func conflict(_ body: [UInt8]) -> Conflict? {
    guard let conflict = object(body)?.member("conflict"), conflict.kind == .object else { return nil }
    return Conflict(reason: conflict.member("reason")?.asString, revision: integer(conflict.member("revision")))
  }

  /// The stored revision in Inform's answer.
  static func informRevision(_ body: [UInt8]) -> Int? { integer(object(body)?.member("data")?.member("revision")) }

  /// The stored revision in a Legacy answer.
  static func legacyRevision(_ body: [UInt8], _ type: RecordType) -> Int? {
    integer(object(body)?.member(type.rawValue)?.member("revision"))
  }

  /// Id and address of a stored image, each of a length that can be kept. An address that leaves out scheme and host has those
  /// of the receiver.
  ///
  /// - Parameter token: What neither of them may repeat.
  static func image(
    _ body: [UInt8], from endpoint: ReceiverEndpoint, hiding token: AccessToken
  ) -> (id: String?, url: String?) {
    let image = object(body)?.member("data")
    let address = image?.member("url")?.asString
    let url = address.flatMap { URL(string: $0, relativeTo: URL(string: endpoint.base + "/"))?.absoluteString }
    return (kept(text(image?.member("id")), 256, hiding: token), kept(url, 2048, hiding: token))
  }

  /// A text of a receiver, if it can be kept: it is not too long, and does not repeat the token or a good part of it.
  static func kept(_ text: String?, _ limit: Int, hiding token: AccessToken) -> String? {
    guard let text, (1...limit).contains(text.utf8.count), !TokenTrace(token).isIn([text], inPart: true) else {
      return nil
    }
    return text
  }
}
