import Foundation
import GatewayAPI

/// One line of a conversation: what happened, a question, or how it ended.
struct ControlLine<Event: Codable & Sendable>: Codable, Sendable {
  var event: Event?
  var question: QuestionDescription?
  var error: GatewayError.Written?
  var end: Bool?
}

/// The answer to a question of a conversation.
struct ControlAnswer: Codable, Sendable {
  var question: UInt64
  /// Nil refuses.
  var answer: String?
}

/// The body of every answer that is none.
struct ControlFailure: Codable, Sendable {
  var error: GatewayError.Written
}

/// JSON on the control socket.
enum ControlJSON {
  static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value)
  }

  static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: Data) throws -> Value {
    try JSONDecoder().decode(type, from: bytes)
  }
}
