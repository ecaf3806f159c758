/// A text that is what its bytes are.
///
/// Swift takes two texts for equal that a reader cannot tell apart: `é` as one character and as two, or the sign for kelvin and
/// the letter K. Databases, receivers, file systems and drivers compare bytes, so that such texts are two users, two keys or two tokens
/// there. Whatever names something outside of this process is compared as they do it; nothing is normalised, because what was given out
/// under one spelling is not found under another one.
package struct ExactText: Sendable, Hashable, Comparable {
  /// The text as it was given.
  package let text: String

  /// A text that is compared by its bytes.
  package init(_ text: String) { self.text = text }

  package static func == (first: ExactText, second: ExactText) -> Bool { first.text.isExactly(second.text) }

  package static func < (first: ExactText, second: ExactText) -> Bool {
    first.text.utf8.lexicographicallyPrecedes(second.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { bytes in
      hasher.combine(bytes.count)
      hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    }
  }
}

extension StringProtocol {
  /// Whether another text has the same bytes; `==` asks only whether both look the same.
  package func isExactly(_ other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

  /// Whether the text begins with these bytes; `hasPrefix` compares letters, of which a mark behind the last one makes another.
  package func beginsExactly(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
}
