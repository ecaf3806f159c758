internal import Glibc

/// The parts of an address that a person has written, such as `https://receiver.example:8443/path` (RFC 3986).
///
/// Libraries are lenient where they read one: they drop line breaks, take a number for a host, or leave a port out that is none.
/// What they then connect to is something else than what was written, so that nothing is guessed here.
package struct WebAddress: Sendable, Hashable {
  /// Why an address cannot be used; it quotes nothing of it, which may hold a password.
  package struct Refusal: Error, Hashable {
    /// What of it, such as "has a line break (character 9)".
    package let problem: String
    /// What to do.
    package let cure: String

    init(_ problem: String, _ cure: String) { (self.problem, self.cure) = (problem, cure) }
  }

  /// In small letters, such as `https`.
  package let scheme: String
  /// As it is written; an IPv6 address in brackets.
  package let host: String
  /// 1 to 65535; nil where there is none.
  package let port: Int?
  /// What stands behind host and port; empty or with a slash before it.
  package let path: String

  /// Longer than this no address is.
  static let longest = 2_048

  /// Reads an address.
  package init(_ text: String) throws(Refusal) {
    try Self.checkCharacters(text)
    guard let (scheme, rest) = Self.split(text), !scheme.isEmpty else {
      throw Refusal("does not begin with a scheme and ://", "write it like https://HOST[:PORT][/PATH]")
    }
    self.scheme = scheme.lowercased()
    for (mark, part) in [("?", "query"), ("#", "fragment")] where rest.contains(Character(mark)) {
      throw Refusal("has a \(part)", "leave away what begins with \(mark)")
    }
    let authority = rest.prefix { $0 != "/" }
    guard !authority.contains("@") else {
      throw Refusal("has a user or password before an @", "leave it out: it would be shown and stored plain")
    }
    path = String(rest.dropFirst(authority.count))
    (host, port) = try Self.hostAndPort(authority)
    try Self.checkHost(host)
    try Self.checkPath(path)
  }

  private static func split(_ text: String) -> (Substring, Substring)? {
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
    return (text[..<colon], text[text.index(colon, offsetBy: 3)...])
  }

  private static func checkCharacters(_ text: String) throws(Refusal) {
    guard text.utf8.count <= longest else { throw Refusal("has more than \(longest) bytes", "give a shorter one") }
    for (number, scalar) in text.unicodeScalars.enumerated() {
      let name =
        switch scalar.value {
        case 0x0A, 0x0D: "a line break"
        case 0x20, 0x09: "a space"
        case 0..<0x20, 0x7F..<0xA0: "a control character"
        case 0x80...: "a letter outside ASCII"
        default: #"<>"{}|\^`"#.unicodeScalars.contains(scalar) ? "the character \(scalar)" : ""
        }
      guard name.isEmpty else {
        throw Refusal(
          "has \(name) (character \(number + 1))",
          scalar.value >= 0xA0 ? "write a host's name as xn--..., and a path with %" : "take it out")
      }
    }
  }

  private static func hostAndPort(_ authority: Substring) throws(Refusal) -> (String, Int?) {
    var host = authority
    var port: Substring?
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { throw Refusal("has a [ without a ]", "close the bracket") }
      host = authority[...end]
      let rest = authority[authority.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else {
        throw Refusal("has something else than a port behind its host", "write it like https://[::1]:8443")
      }
      if !rest.isEmpty { port = rest.dropFirst() }
    } else if let colon = authority.firstIndex(of: ":") {
      host = authority[..<colon]
      port = authority[authority.index(after: colon)...]
    }
    guard let port else { return (String(host), nil) }
    guard !port.isEmpty, port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(port),
      (1...65_535).contains(number)
    else {
      let shown = port.utf8.count <= 20 && port.utf8.allSatisfy { $0 != UInt8(ascii: ":") } ? " \(port)" : ""
      throw Refusal("has the port\(shown)", "ports are 1 to 65535; an IPv6 address stands in [brackets]")
    }
    return (String(host), number)
  }

  private static func checkHost(_ host: String) throws(Refusal) {
    guard !host.isEmpty else { throw Refusal("names no host", "write it like https://HOST[:PORT][/PATH]") }
    if host.hasPrefix("[") {
      // An address of one link names the interface behind %25 (RFC 6874).
      let inside = host.dropFirst().dropLast()
      let zone = inside.firstIndex(of: "%").map { inside[$0...] } ?? ""
      var address = in6_addr()
      let isZone = zone.isEmpty || zone.hasPrefix("%25") && zone.count > 3 && zone.dropFirst(3).utf8.allSatisfy(isName)
      guard isZone, inet_pton(AF_INET6, String(inside.dropLast(zone.count)), &address) == 1 else {
        throw Refusal("has no IPv6 address in its brackets", "write it like https://[::1]:8443")
      }
      return
    }
    let labels = (host.hasSuffix(".") ? host.dropLast() : host[...]).split(
      separator: ".", omittingEmptySubsequences: false)
    guard host.utf8.count <= 254, labels.allSatisfy({ (1...63).contains($0.utf8.count) && $0.utf8.allSatisfy(isName) }),
      labels.allSatisfy({ !$0.hasPrefix("-") && !$0.hasSuffix("-") })
    else {
      throw Refusal("names a host that can be none", "names have letters, digits, - and dots between their parts")
    }
    // To libraries 127.1, 0x7f.1 and 2130706433 are addresses, too.
    guard let last = labels.last, isNumber(last) else { return }
    guard labels.count == 4, labels.allSatisfy(isByte) else {
      throw Refusal("has a number for a host that is no IPv4 address", "write it like 192.0.2.1")
    }
  }

  private static func checkPath(_ path: String) throws(Refusal) {
    var bytes = path.utf8[...]
    while let byte = bytes.popFirst() {
      guard byte == UInt8(ascii: "%") else { continue }
      guard bytes.count >= 2, bytes.prefix(2).allSatisfy(isHexadecimal) else {
        throw Refusal("has a % without two hexadecimal digits", "write a % itself as %25")
      }
    }
    for part in path.lowercased().split(separator: "/") {
      let plain = part.replacing("%2e", with: ".")
      guard plain != ".", plain != ".." else {
        throw Refusal("leads elsewhere with . or ..", "write the path that is meant")
      }
    }
  }

  private static func isNumber(_ label: Substring) -> Bool {
    label.utf8.allSatisfy(isDigit)
      || label.lowercased().hasPrefix("0x") && label.dropFirst(2).utf8.allSatisfy(isHexadecimal)
  }

  private static func isByte(_ label: Substring) -> Bool {
    guard label.utf8.allSatisfy(isDigit), let number = Int(label), number <= 255 else { return false }
    return label.count == 1 || !label.hasPrefix("0")
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  private static func isName(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_")
  }
}
