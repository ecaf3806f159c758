import StrictJSON

/// A QR code or barcode with what it holds, which may be a key: it is shown masked only.
package struct ScannedCode: Sendable, Hashable {
  /// What kind of code it is; the raw value is its name for people.
  package enum Kind: String, Sendable, Hashable {
    case qr = "QR code"
    case code128 = "Code 128"
  }

  /// What kind of code it is.
  package let kind: Kind
  /// What it holds, as it was printed.
  package let content: [UInt8]

  package init(_ kind: Kind, _ content: [UInt8]) {
    self.kind = kind
    self.content = content
  }

  /// Enough for a person to compare it with what is printed beside the code, and too little to use: its length, and of a long
  /// one the first and the last two characters.
  package var masked: String {
    let text = String(decoding: content, as: UTF8.self)
    let count = text.unicodeScalars.count
    guard count >= 16 else { return "\(count) characters" }
    let first = shown(String(String.UnicodeScalarView(text.unicodeScalars.prefix(2))))
    let last = shown(String(String.UnicodeScalarView(text.unicodeScalars.suffix(2))))
    return "\(count) characters, \(first)...\(last)"
  }
}
