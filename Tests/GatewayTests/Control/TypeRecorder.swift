import Foundation

@testable import GatewayAPI
@testable import GatewayEngine

/// Learns the shapes of types by decoding them once with each word of a list.
struct TypeRecorder {
  struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  /// What texts are tried with: the words by which types of several kinds tell which they are.
  let words: [String]

  /// The shape of a type: what holds for all its kinds, and what only some have.
  func shape<Value: Decodable>(of type: Value.Type) throws -> Shape {
    try runs(type).map(\.shape).reduce(nil as Shape?) { $0?.varied($1) ?? $1 } ?? unreadable(type)
  }

  /// A value of each kind that a type has, with its shape.
  func runs<Value: Decodable>(_ type: Value.Type) -> [(value: Value, shape: Shape)] {
    (["word"] + words).compactMap { word in
      let node = RecordingDecoder.Node()
      // A word that makes no value of this type says nothing of it.
      guard let value = try? RecordingDecoder(node, word: word).value(type, at: node), let shape = node.shape else {
        return nil
      }
      return (value, shape)
    }
  }

  private func unreadable<Value>(_ type: Value.Type) throws -> Shape {
    throw Unreadable(description: "\(type) was decoded with none of the words")
  }
}
