/// Help as the argument parser writes it without a limit, laid out for a width: paragraphs are joined and wrapped once, the texts of
/// options and tables hang under their column, and a long example goes on behind a backslash, so that it can be copied.
package struct HelpLayout {
  /// How the parts of a help stand.
  private enum Part {
    case discussion
    case examples
    case options
  }

  private let width: Int
  private var part = Part.discussion
  private var paragraph: [String] = []
  private var lines: [String] = []

  /// Lays a help out.
  ///
  /// - Parameter width: In columns.
  package static func text(_ help: String, width: Int = 80) -> String {
    var layout = HelpLayout(width: width)
    for line in help.split(separator: "\n", omittingEmptySubsequences: false) { layout.take(String(line)) }
    layout.endParagraph()
    return layout.lines.joined(separator: "\n")
  }

  private init(width: Int) { self.width = width }

  private mutating func take(_ line: String) {
    if line.hasPrefix("USAGE: ") {
      endParagraph()
      part = .options
      lines += Self.wrap(Self.words(line, keepingBrackets: true), first: "", rest: "       ", width: width)
    } else if line.allSatisfy(\.isWhitespace) {
      endParagraph()
      lines.append("")
    } else if line.first == " " {
      endParagraph()
      lines += indented(line)
    } else if line.allSatisfy({ $0.isUppercase || $0 == " " || $0 == ":" }) {
      endParagraph()
      if part != .options { part = line.hasPrefix("EXAMPLE") ? .examples : .discussion }
      lines.append(line)
    } else {
      paragraph.append(line)
    }
  }

  private mutating func endParagraph() {
    guard !paragraph.isEmpty else { return }
    lines += Self.wrap(Self.words(paragraph.joined(separator: " ")), first: "", rest: "", width: width)
    paragraph = []
  }

  private func indented(_ line: String) -> [String] {
    guard line.count > width else { return [line] }
    let indent = String(line.prefix { $0 == " " })
    let rest = line.dropFirst(indent.count)
    // Two columns: a name, two spaces or more, its meaning.
    if let gap = rest.firstRange(of: "  ") {
      let name = String(rest[..<gap.lowerBound])
      let meaning = rest[gap.lowerBound...].drop { $0 == " " }
      let column = line.count - meaning.count
      if column < width * 2 / 3 {
        let first = (indent + name).padding(to: column)
        return Self.wrap(
          Self.words(String(meaning)), first: first, rest: String(repeating: " ", count: column), width: width)
      }
    }
    let words = Self.words(String(rest))
    guard part == .examples else { return Self.wrap(words, first: indent, rest: indent, width: width) }
    let broken = Self.wrap(words, first: indent, rest: indent + "    ", width: width - 2)
    return broken.dropLast().map { $0 + " \\" } + broken.suffix(1)
  }

  /// - Parameter keepingBrackets: What stands in brackets is one word.
  private static func words(_ text: String, keepingBrackets: Bool = false) -> [String] {
    var words: [String] = []
    var depth = 0
    for word in text.split(separator: " ").map(String.init) {
      if depth > 0, keepingBrackets { words[words.count - 1] += " " + word } else { words.append(word) }
      depth += word.count { $0 == "[" } - word.count { $0 == "]" }
    }
    return words
  }

  /// A word that is longer than a line stands alone in one.
  private static func wrap(_ words: [String], first: String, rest: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = first
    var isEmpty = true
    for word in words {
      let gap = isEmpty ? 0 : 1
      if !isEmpty, line.count + gap + word.count > width {
        lines.append(line)
        (line, isEmpty) = (rest + word, false)
      } else {
        line += (isEmpty ? "" : " ") + word
        isEmpty = false
      }
    }
    return lines + [line]
  }
}

extension String {
  fileprivate func padding(to column: Int) -> String {
    self + String(repeating: " ", count: max(0, column - count))
  }
}
