import Foundation

/// What makes two spellings of a source one source.
package enum SourceKey {
  /// The key of a source of an export.
  package static func key(of source: HealthSource, in family: HealthFamily) -> String {
    switch family {
    case .healthConnect where source.key == "android" || source.key.hasPrefix("com.android.healthconnect.phone."):
      // Steps that the system itself counts, under whatever package it does so.
      "android"
    case .apple, .healthConnect, .samsung: normalized(source.key)
    }
  }

  /// The name with compatible characters (NFKC), straight quotes, and single blanks: exports write a Watch's name with a no-break space
  /// and a typographic apostrophe in one record and without them in the next.
  package static func normalized(_ name: String) -> String {
    var result = ""
    var hasBlank = false
    for scalar in name.precomposedStringWithCompatibilityMapping.unicodeScalars {
      switch scalar {
      case "\u{2018}", "\u{2019}", "\u{201B}", "\u{2BC}", "\u{60}", "\u{B4}", "\u{2032}": append("'")
      case "\u{201C}", "\u{201D}", "\u{201F}", "\u{2033}": append("\"")
      // Marks of direction and width that nobody sees.
      case "\u{200B}"..."\u{200F}", "\u{202A}"..."\u{202E}", "\u{2060}"..."\u{2069}", "\u{FEFF}": continue
      case _ where scalar.properties.isWhitespace || scalar.value < 0x20: hasBlank = true
      default: append(scalar)
      }
    }
    func append(_ scalar: Unicode.Scalar) {
      if hasBlank, !result.isEmpty { result.append(" ") }
      hasBlank = false
      result.unicodeScalars.append(scalar)
    }
    return result
  }

  /// A device's description without what differs from export to export: the address of an object in memory, and versions.
  ///
  /// `<<HKDevice: 0x283a>, name:Apple Watch, hardware:Watch6,1, software:9.1>` is `name:Apple Watch, hardware:Watch6,1`.
  package static func deviceText(_ detail: String) -> String {
    var text = detail[...]
    if let start = text.range(of: "HKDevice: 0x"), let end = text[start.upperBound...].firstIndex(of: ">") {
      text = text[text.index(after: end)...]
    }
    let parts = text.components(separatedBy: ", ")
      .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " ,<>")) }
      .filter { part in !part.isEmpty && !["software:", "firmware:"].contains { part.hasPrefix($0) } }
    return parts.joined(separator: ", ")
  }

  /// What kind of device a source is.
  package static func kind(of source: HealthSource) -> SourceKind {
    let texts = [source.name, deviceText(source.detail)]
    func names(_ word: String) -> Bool { texts.contains { $0.range(of: word, options: .caseInsensitive) != nil } }
    if source.flags.contains(.watch) || names("Watch") { return .watch }
    return source.flags.contains(.phone) || names("iPhone") || names("iPod") ? .phone : .other
  }
}

/// What kind of device a source is.
package enum SourceKind: String, Sendable, Hashable, Codable, CaseIterable {
  case watch
  case phone
  case other

  /// Higher counts more where nobody chose an order.
  package var rank: Int {
    switch self {
    case .watch: 30
    case .phone: 20
    case .other: 10
    }
  }
}
