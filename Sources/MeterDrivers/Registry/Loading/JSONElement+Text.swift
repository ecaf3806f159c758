import HostPrimitives
import StrictJSON

/// The kinds of text that a registry holds, each with its own idea of what is fit.
extension JSONElement {
  /// One line that people read; not empty.
  func name(limit: Int = RegistryLimits.name) throws(RegistryError) -> String {
    let text = try peopleText(limit: limit, mayBreakLines: false)
    guard !text.isEmpty else { throw error(.invalidValue, "is empty", cure: "write a text") }
    return text
  }

  /// A text that people read; line feeds allowed, may be empty.
  func text() throws(RegistryError) -> String {
    try peopleText(limit: RegistryLimits.text, mayBreakLines: true)
  }

  /// One line that people read; may be empty.
  func line() throws(RegistryError) -> String {
    try peopleText(limit: RegistryLimits.name, mayBreakLines: false)
  }

  private func peopleText(limit: Int, mayBreakLines: Bool) throws(RegistryError) -> String {
    let text = try string(limit: limit)
    if isPlain { return text }
    let bad = text.unicodeScalars.first { !isFitForPeople($0) && !(mayBreakLines && $0 == "\n") }
    if let bad {
      throw error(
        .invalidValue, "holds the invisible or control character U+\(String(bad.value, radix: 16, uppercase: true))",
        cure: "remove it: a text shown to people must be what it looks like")
    }
    return text
  }

  /// A word of `a-z`, digits and the characters of `others`, starting with a letter.
  func word(_ others: String, limit: Int = RegistryLimits.identifier) throws(RegistryError) -> String {
    let text = try string(limit: limit)
    let isWord = text.utf8.allSatisfy { byte in
      (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || others.utf8.contains(byte)
    }
    guard isWord, let first = text.utf8.first, (0x61...0x7a).contains(first) else {
      throw error(
        .invalidValue, "\"\(shown(text))\" is no identifier",
        cure: "write a lower-case letter, then lower-case letters, digits and any of '\(others)'")
    }
    return text
  }

  /// Reverse-DNS name of a driver: words with dots between them.
  func driverID() throws(RegistryError) -> String {
    let text = try word(".-")
    var before = UInt8(ascii: ".")
    var dots = 0
    var hasBadPart = false
    for byte in text.utf8 {
      let isDot = byte == UInt8(ascii: ".")
      dots += isDot ? 1 : 0
      // A part is not empty and neither starts nor ends with a dash.
      if before == UInt8(ascii: "."), isDot || byte == UInt8(ascii: "-") { hasBadPart = true }
      if before == UInt8(ascii: "-"), isDot { hasBadPart = true }
      before = byte
    }
    guard dots > 0, !hasBadPart, before != UInt8(ascii: "."), before != UInt8(ascii: "-") else {
      throw error(
        .invalidValue, "\"\(shown(text))\" is no reverse-DNS name", cure: "write a name such as org.example.scale")
    }
    return text
  }

  func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ type: Choice.Type
  ) throws(RegistryError) -> Choice {
    let text = try string(limit: RegistryLimits.identifier)
    guard let choice = Choice(rawValue: text) else {
      let known = Choice.allCases.map(\.rawValue)
      let guess = nearest(to: text, among: known).map { "did you mean \"\($0)\"? " } ?? ""
      throw error(
        .invalidValue, "\"\(shown(text))\" is unknown", cure: guess + "Write one of \(known.joined(separator: ", "))")
    }
    return choice
  }

  func version() throws(RegistryError) -> SemanticVersion {
    let text = try string(limit: 64)
    guard let version = SemanticVersion(text) else {
      throw error(.invalidValue, "\"\(shown(text))\" is no semantic version", cure: "write a version such as 1.2.3")
    }
    return version
  }

  func uuid() throws(RegistryError) -> UUIDString {
    let text = try string(limit: 36)
    guard let uuid = UUIDString(text) else {
      throw error(
        .invalidValue, "\"\(shown(text))\" is no UUID",
        cure: "write 4 hex digits for a Bluetooth SIG id, or 36 characters such as f0000000-0451-4000-b000-000000000000"
      )
    }
    return uuid
  }

  func sha256() throws(RegistryError) -> BundleHash {
    let text = try string(limit: 64)
    guard let hash = BundleHash(hexadecimal: text) else {
      throw error(
        .invalidValue, "\"\(shown(text))\" is no SHA-256", cure: "write the 64 hex digits that sha256sum prints")
    }
    return hash
  }

  /// A path below the folder of the file: relative, in plain form. Symbolic links are checked when it is used.
  func relativePath() throws(RegistryError) -> String {
    let text = try string(limit: RegistryLimits.path)
    let cure = "write a path relative to the folder of this file, without '.', '..' or empty parts"
    if text.utf8.first == 0x2f { throw error(.escapingPath, "\"\(shown(text))\" is absolute", cure: cure) }
    let parts = text.utf8.split(separator: 0x2f, omittingEmptySubsequences: false)
    if parts.contains(where: { $0.elementsEqual("..".utf8) }) {
      throw error(.escapingPath, "\"\(shown(text))\" leaves the folder", cure: cure)
    }
    let isPlain = parts.allSatisfy { !$0.isEmpty && !$0.elementsEqual(".".utf8) }
    let isFit = self.isPlain || text.unicodeScalars.allSatisfy(isFitForPeople)
    guard isPlain, isFit, !text.utf8.contains(0x5c) else {
      throw error(.invalidValue, "\"\(shown(text))\" is no plain path", cure: cure)
    }
    return text
  }

  /// An https URL, or a relative path.
  func imageURL() throws(RegistryError) -> String {
    let text = try string(limit: 2_048)
    if text.hasPrefix("https://") {
      guard text.utf8.count > 8, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }) else {
        throw error(.invalidValue, "\"\(shown(text))\" is no URL", cure: "percent-encode what is not plain ASCII")
      }
      return text
    }
    if text.utf8.contains(0x3a) {
      throw error(.invalidValue, "\"\(shown(text))\" is not https", cure: "write an https URL or a relative path")
    }
    return try relativePath()
  }
}
