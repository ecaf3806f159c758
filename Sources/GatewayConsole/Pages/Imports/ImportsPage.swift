import GatewayAPI

/// Exports of health stores: how one is handed in, and what came of those before.
struct ImportsPage: ConsolePage {
  static let template = PageTemplate.imports
  static let area: PageArea? = .imports

  struct Report: Sendable {
    let file: String
    let began: String
    let state: String
    let format: String
    /// What came of it, a line each.
    let lines: [String]
    let error: String?
    let hint: String?
  }

  let title = "Import"
  let reports: [Report]
  let isEmpty: Bool
  let limit: String
  /// The import that is under way, or was last.
  let current: String?
  let lines: [String]
  let progress: String?
  let isRunning: Bool
  let end: String?
  let endHint: String?
  let endKind: String

  init(_ imports: [HealthImportDescription], current conversation: Conversation?, limit: Int, times: LocalTimes) {
    reports = imports.map { Self.report($0, times) }
    isEmpty = imports.isEmpty
    self.limit = "\(limit >> 20) MiB"
    let shown = conversation?.shown
    current = conversation?.title.clipped
    lines = shown?.lines ?? []
    progress = shown?.progress
    isRunning = conversation != nil && shown?.end == nil
    (end, endHint, endKind) = (shown?.end?.text, shown?.end?.hint, shown?.end?.kind ?? "")
  }

  private static func report(_ report: HealthImportDescription, _ times: LocalTimes) -> Report {
    Report(
      file: name(report.file), began: times.text(report.began, else: "unknown"),
      state: report.state.replacing("_", with: " ").clipped, format: report.format?.clipped ?? "",
      lines: lines(report), error: report.error?.message.clipped(to: 600), hint: report.error?.hint?.clipped(to: 600))
  }

  /// The file without its folder, and without the number in front of an uploaded one.
  static func name(_ path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.replacing(/^[0-9]{1,10}-/, with: "").clipped
  }

  /// What came of an import, in words.
  static func lines(_ report: HealthImportDescription) -> [String] {
    var lines: [String] = []
    for (label, counts) in [("new", report.new), ("changed", report.revised), ("held", report.held)]
    where !counts.isEmpty {
      let each = counts.sorted { $0.key < $1.key }.map { "\($0.value) \(ReadingWords.metric($0.key))" }
      lines.append("\(label): \(each.joined(separator: ", "))".clipped(to: 600))
    }
    if report.duplicates > 0 { lines.append("there already: \(report.duplicates)") }
    for refusal in report.refusals.prefix(20) {
      lines.append("refused \(refusal.count): \(refusal.reason.replacing("_", with: " "))".clipped)
    }
    if report.vanishedCount > 0 {
      lines.append("no longer in the export: \(report.vanishedCount) (`meterhost health vanished` shows them)")
    }
    return lines
  }
}
