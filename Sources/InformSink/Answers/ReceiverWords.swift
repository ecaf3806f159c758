import MeterCore
import CurlHTTP
internal import StrictJSON

/// What a receiver gives as its reason, as one line that may be kept and shown.
///
/// It is taken from the members in which receivers give reasons, decoded. The text of an answer as it came may hold the token
/// in a spelling that nobody looks for, and all that was sent, which is somebody's reading; a page of something in between says
/// nothing that helps.
enum ReceiverWords {
  /// They are kept up to this many characters.
  static let limit = 512

  /// The line, such as `metrics[0].unit: is unknown; Bad Request`; empty without a reason.
  ///
  /// - Parameter token: What the answer may not repeat: then nothing of it is kept.
  static func text(of body: [UInt8], hiding token: AccessToken) -> String {
    guard !body.isEmpty else { return "" }
    guard let answer = ReceiverAnswer.object(body) else { return "(not a receiver's JSON)" }
    var all: [String] = []
    collect(answer, into: &all)
    guard all.reduce(0, { $0 + $1.utf8.count }) <= TokenTrace.limit else {
      return "(too long to be searched for the token, and not kept)"
    }
    guard !TokenTrace(token).isIn(all, inPart: true) else { return "(it repeats the token, and is not kept)" }
    var reasons: [String] = []
    for name in ["errors", "message", "error", "detail", "title"] {
      guard let member = answer.member(name) else { continue }
      for reason in self.reasons(member) where !reason.isEmpty && !reasons.contains(reason) { reasons.append(reason) }
    }
    return line(reasons.joined(separator: "; "))
  }

  /// Every text of an answer, keys as well.
  private static func collect(_ element: JSONElement, into texts: inout [String]) {
    for (key, value) in element.members {
      if let text = key.asString { texts.append(text) }
      collect(value, into: &texts)
    }
    for value in element.walk { collect(value, into: &texts) }
    if let text = ReceiverAnswer.text(element) { texts.append(text) }
  }

  /// Texts, lists of them, and lists by the name of a field.
  private static func reasons(_ element: JSONElement) -> [String] {
    if let text = element.asString { return [text] }
    if element.kind == .array { return element.elements.flatMap(reasons) }
    return element.members.map { key, value in
      let found = reasons(value).joined(separator: ", ")
      return (key.asString ?? "") + (found.isEmpty ? "" : ": \(found)")
    }
  }

  private static func line(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(limit).map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: " "
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
