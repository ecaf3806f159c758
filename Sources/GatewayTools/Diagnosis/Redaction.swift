import Foundation
import HostPrimitives

/// Takes out of a text what a support file must not have: what the gateway knows to be private, and what looks like it.
struct Redaction: Sendable {
  /// Texts that belong to people: users, receivers, meters, tokens. Nil: nobody could say which there are.
  private let known: [String]?
  private let home: String?

  /// Patterns look at every place of a word again: a text of one endless word would take for ever.
  private static let longest = 4_096

  /// - Parameter known: Whatever the gateway knows to be private, in any case of its letters; nil where it cannot be told,
  ///   so that no words of a message are safe.
  init(known: [String]?, home: String? = ProcessInfo.processInfo.environment["HOME"]) {
    // Longest first: a name that holds another one goes as a whole.
    self.known = known.map { known in
      Set(known.filter { !$0.isEmpty }).sorted { ($0.count, $0) > ($1.count, $1) }
    }
    self.home = home.flatMap { $0.count > 1 ? $0 : nil }
  }

  /// A text of this program, such as a finding of the doctor: paths of the installation, versions and counts stay.
  func text(_ text: String) -> String {
    var text = text
    for word in known ?? [] { text = Self.without(word, text) }
    if let home { text = text.replacing(home, with: "~") }
    return Self.patterns(Self.bounded(text))
  }

  /// A short word would tear others apart: it goes where it stands alone.
  private static func without(_ word: String, _ text: String) -> String {
    guard word.count < 3 else {
      return text.replacingOccurrences(of: word, with: "[private]", options: .caseInsensitive)
    }
    let alone = "(?<![\\p{L}\\p{N}])\(NSRegularExpression.escapedPattern(for: word))(?![\\p{L}\\p{N}])"
    return text.replacingOccurrences(of: alone, with: "[private]", options: [.regularExpression, .caseInsensitive])
  }

  /// The beginning of a text, without the word that the end would cut.
  private static func bounded(_ text: String) -> String {
    guard text.utf8.count > longest else { return text }
    let start = text.prefix(longest)
    let whole = start.lastIndex(where: \.isWhitespace).map { start[..<$0] } ?? ""
    return "\(whole) [and more]"
  }

  private static func patterns(_ text: String) -> String {
    var text = text
    text = text.replacing(/[A-Za-z][A-Za-z0-9+.\-]*:\/\/[^\s"'»)]+/, with: "[url]")
    text = text.replacing(/[^\s"'<(]+@[^\s"'>)]+/, with: "[mail]")
    text = text.replacing(/\b[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b/, with: "[uuid]")
    text = text.replacing(/(^|[^0-9A-Za-z])[0-9A-Fa-f]{2}([:\-_]?[0-9A-Fa-f]{2}){5}(?![0-9A-Za-z])/) {
      "\($0.1)[address]"
    }
    // Homes of other users than the one who asks, such as the service's.
    return text.replacing(/\/home\/[^\/\s"':;,)]+/, with: "/home/[user]")
  }

  /// A line of the log. Time, level and area stay; of the message its words, without numbers, quotations, paths and whatever
  /// might be a key; of the fields their names. What drivers say may be anything and is left out, and so is every message
  /// while nobody knows what is private.
  ///
  /// Lines are as the host writes them on standard error, or as `journalctl --output json` has them.
  func logLine(_ line: String) -> String {
    if line.hasPrefix("{") { return journalEntry(line) }
    guard let match = line.firstMatch(of: /^(\S+) (trace|debug|info|notice|warning|error|critical) ([a-z]+): (.*)$/)
    else {
      return "[a line in another form]"
    }
    let head = "\(Self.time(match.1)) \(match.2) \(match.3):"
    if match.3 == "drivers" { return "\(head) [what a driver says]" }
    if known == nil { return "\(head) [a message]" }
    var message = String(match.4)
    var fields: [Substring] = []
    if let first = message.firstMatch(of: /\ [a-z_][a-zA-Z0-9_]*=/) {
      let rest = message[first.range.lowerBound...]
      fields = rest.matches(of: /\ ([a-z_][a-zA-Z0-9_]*)=/).map(\.1)
      message = String(message[..<first.range.lowerBound])
    }
    message = text(message)
    message = message.replacing(/["'«“‘].*["'»”’]/, with: "[quoted]")
    message = message.replacing(/(^|\s|\()~?\/[^\s,;:)]+/) { "\($0.1)[path]" }
    // The characters of a token (RFC 9110, token68).
    message = message.replacing(/[0-9A-Za-z_\-+=.~\/]{12,}/) { Self.mayBeKey($0.0) ? "[key]" : String($0.0) }
    message = message.replacing(/\bR[0-9]{1,2}\b/) { "R\u{1}\($0.0.dropFirst().map { Self.letter($0) }.joined())" }
    message = message.replacing(/[0-9]+([.,:][0-9]+)*/, with: "#")
    message = Self.restored(message)
    return "\(head) \(message)" + (fields.isEmpty ? "" : " [fields: \(fields.joined(separator: ", "))]")
  }

  /// Whether a long word is none of a sentence: it has digits, capitals within, or no end.
  private static func mayBeKey(_ word: Substring) -> Bool {
    word.count >= 32 || word.contains(where: \.isNumber)
      || zip(word, word.dropFirst()).contains { $0.isLowercase && $1.isUppercase }
  }

  private func journalEntry(_ line: String) -> String {
    let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    guard let object, let message = object["MESSAGE"] as? String else { return "[a line in another form]" }
    let priorities = ["2": "critical", "3": "error", "4": "warning", "5": "notice", "6": "info", "7": "debug"]
    let level = (object["PRIORITY"] as? String).flatMap { priorities[$0] } ?? "info"
    let written = object["METERHOST_AREA"] as? String ?? ""
    let area = written.wholeMatch(of: /[a-z]+/) == nil ? "drivers" : written
    let time = (object["__REALTIME_TIMESTAMP"] as? String).flatMap { Int64($0) }.map(
      CivilMoment.utcSeconds(microseconds:))
    let fields = object.keys.filter { $0.hasPrefix("METERHOST_") && $0 != "METERHOST_AREA" }.sorted()
    let names = fields.map { " \($0.dropFirst("METERHOST_".count).lowercased())=" }.joined()
    return logLine("\(time ?? "-") \(level) \(area): \(message.prefix { !$0.isNewline })\(names)")
  }

  /// The numbers of rules are the contract's: they are written as letters while other numbers are taken out.
  private static func letter(_ digit: Character) -> String {
    String(UnicodeScalar(UInt8(ascii: "\u{2}") + UInt8(digit.wholeNumberValue ?? 0)))
  }

  private static func restored(_ text: String) -> String {
    text.replacing(/R\u{1}([\u{2}-\u{B}]+)/) { match in
      "R" + match.1.unicodeScalars.map { "\($0.value - 2)" }.joined()
    }
  }

  /// A time as the log writes it, or nothing: another word at its place may be anything.
  private static func time(_ word: Substring) -> Substring {
    word.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+\-][0-9:]+)/) == nil ? "[time]" : word
  }
}
