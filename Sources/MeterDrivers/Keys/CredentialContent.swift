package import HostErrors
import CMeterDriver
import HostPrimitives
import StrictJSON

/// Why a credential's content is refused; the message holds nothing of it.
package struct CredentialError: HostError, Hashable {
  /// What is wrong and what is wanted.
  package let message: String
  /// It is the fault of what was entered.
  package var kind: HostErrorKind { .usage }
  /// The one code of its type.
  package var code: String { "key_format" }
}

/// Checks credentials on entry and brings them into the form in which they are stored.
package enum CredentialContent {
  /// Longest licence file, and longest auth-key or text.
  package static let (longestLicence, longestText) = (64 << 10, 4096)

  /// The content to store.
  ///
  /// - `hex_32`: 32 hex digits become 16 bytes; spaces, colons and hyphens between them do not count.
  /// - `auth_key_file`: `{"key": "<hex>"}` becomes its digits, because an odd number of digits has no bytes.
  /// - `license_file`: any file of 1 byte to 64 KiB, as it is.
  /// - `text`: UTF-8 without its last line feed.
  ///
  /// - Throws: ``CredentialError``.
  package static func check(_ content: [UInt8], _ format: Credential.Format) throws(CredentialError) -> [UInt8] {
    switch format {
    case .hex32: return try hexKey(content)
    case .authKeyFile: return try authKey(content)
    case .licenseFile:
      guard (1...longestLicence).contains(content.count) else {
        throw CredentialError(message: "a licence file has 1 to \(longestLicence) bytes, and this one \(content.count)")
      }
      return content
    case .text: return try text(content)
    }
  }

  private static func hexKey(_ content: [UInt8]) throws(CredentialError) -> [UInt8] {
    let text = String(decoding: content, as: UTF8.self).filter { !$0.isWhitespace && $0 != ":" && $0 != "-" }
    guard let bytes = [UInt8](hexadecimal: text.utf8), bytes.count == 16 else {
      throw CredentialError(message: "the key must have exactly 32 digits from 0 to 9 and a to f")
    }
    return bytes
  }

  private static func authKey(_ content: [UInt8]) throws(CredentialError) -> [UInt8] {
    let refusal = CredentialError(
      message: #"the file must be {"key": "<hex digits>"}, without 0x, as the meter's maker gives it out"#)
    guard content.count <= longestText, let document = try? JSONDocument(content, rules: .registry),
      document.root.members.count == 1, let digits = document.root.member("key")?.asString, !digits.isEmpty,
      digits.utf8.allSatisfy({ Hexadecimal.value(of: $0) != nil })
    else { throw refusal }
    return Array(digits.utf8)
  }

  private static func text(_ content: [UInt8]) throws(CredentialError) -> [UInt8] {
    var content = content
    while let last = content.last, last == 0x0a || last == 0x0d { content.removeLast() }
    guard (1...longestText).contains(content.count), let text = String(validating: content, as: UTF8.self),
      !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f })
    else { throw CredentialError(message: "a text has 1 to \(longestText) bytes of UTF-8 in one line") }
    return content
  }
}

extension KeyService {
  /// `MH_E_NOT_FOUND`, `MH_E_DENIED` and `MH_E_UNSUPPORTED`, for layers that do not see the contract's headers.
  package static let (notFound, denied, unsupported) = (MH_E_NOT_FOUND, MH_E_DENIED, MH_E_UNSUPPORTED)
}
