/// What may stand where the protocol wants a subject: tokens between dots.
package enum NATSSubject {
  /// A server takes a line of 4,096 bytes; a subject leaves room for the reply, the sizes and the word.
  package static let longest = 1024

  /// Whether something can be published under it: no empty token, no wildcard, no white space.
  package static func isPublishable(_ subject: String) -> Bool {
    isSubject(subject) { !$0.elementsEqual("*".utf8) && !$0.elementsEqual(">".utf8) }
  }

  /// Whether it can be subscribed to: as ``isPublishable(_:)``, and `*` for a token, `>` for all that are left.
  package static func isSubscribable(_ subject: String) -> Bool {
    let tokens = subject.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return isSubject(subject) { _ in true }
      && !tokens.dropLast().contains { $0.elementsEqual(">".utf8) }
  }

  /// Whether it is one token of the letters that we give to names of our own: A to Z, a to z, 0 to 9, - and _.
  package static func isName(_ token: String) -> Bool {
    (1...64).contains(token.utf8.count)
      && token.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
      }
  }

  /// Whether a subject is one that a pattern with wildcards means.
  package static func matches(_ subject: String, _ pattern: String) -> Bool {
    let dot = UInt8(ascii: ".")
    let tokens = subject.utf8.split(separator: dot, omittingEmptySubsequences: false)
    let wanted = pattern.utf8.split(separator: dot, omittingEmptySubsequences: false)
    for (index, token) in wanted.enumerated() {
      if token.elementsEqual(">".utf8) { return tokens.count > index }
      guard index < tokens.count, token.elementsEqual("*".utf8) || token.elementsEqual(tokens[index]) else {
        return false
      }
    }
    return tokens.count == wanted.count
  }

  private static func isSubject(_ subject: String, _ isToken: (Substring.UTF8View) -> Bool) -> Bool {
    guard (1...longest).contains(subject.utf8.count), subject.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      return false
    }
    return subject.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .allSatisfy { !$0.isEmpty && isToken(Substring($0).utf8) }
  }
}
