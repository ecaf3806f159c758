/// Commands of a guide, a `sh` block of it, with the lines that the `text` block behind it promises.
struct GuideStep {
  let commands: String
  /// Lines, each of which must stand in the answer.
  var answers: [String] = []

  /// All steps of a guide, in its order.
  static func all(in guide: String) -> [GuideStep] {
    var steps: [GuideStep] = []
    var block: (language: String, lines: [String])?
    for line in guide.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if let (language, lines) = block {
        guard line == "```" else {
          block = (language, lines + [line])
          continue
        }
        if language == "sh" { steps.append(GuideStep(commands: lines.joined(separator: "\n"))) }
        if language == "text", !steps.isEmpty { steps[steps.count - 1].answers += lines }
        block = nil
      } else if line.hasPrefix("```") {
        block = (String(line.dropFirst(3)), [])
      }
    }
    return steps
  }
}
