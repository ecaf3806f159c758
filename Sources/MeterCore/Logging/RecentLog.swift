internal import Synchronization

/// The newest log lines of a process, in its memory: what a person sees who cannot reach the journal.
///
/// It keeps nothing while health values may stand in log lines (``LogSettings/showsValues``): they stay where they were asked for.
package final class RecentLog: Sendable {
  /// A line with its place among all.
  package struct Entry: Sendable, Hashable {
    /// Rises by one with each line that was kept, from 1.
    package let number: Int
    /// When it was written, microseconds since 1970-01-01T00:00Z.
    package let microseconds: Int64
    package let line: LogLine
  }

  private struct State {
    /// The oldest stands at ``oldest`` once there are as many as may be.
    var entries: [Entry] = []
    var oldest = 0
    var last = 0
  }

  /// The lines of this process.
  package static let shared = RecentLog()
  /// So many are kept.
  package static let most = 500
  /// So many bytes of a message or of a field are kept.
  static let longest = 500
  /// So many fields of a line are kept.
  static let mostFields = 16

  private let logSwitch: LogSwitch
  private let state = Mutex(State())

  /// Nothing is kept yet.
  package init(obeying logSwitch: LogSwitch = .shared) { self.logSwitch = logSwitch }

  /// Keeps a line in place of the oldest.
  package func keep(_ line: LogLine, at microseconds: Int64) {
    guard !logSwitch.showsValues else { return }
    let fields = line.fields.sorted { $0.key < $1.key }.prefix(Self.mostFields).map { name, text in
      (Self.cut(name), Self.cut(text))
    }
    let kept = LogLine(
      area: line.area, level: line.level, message: Self.cut(line.message),
      fields: Dictionary(fields, uniquingKeysWith: { first, _ in first }))
    state.withLock { state in
      state.last += 1
      let entry = Entry(number: state.last, microseconds: microseconds, line: kept)
      guard state.entries.count >= Self.most else { return state.entries.append(entry) }
      state.entries[state.oldest] = entry
      state.oldest = (state.oldest + 1) % Self.most
    }
  }

  /// The newest lines, the oldest of them first.
  ///
  /// - Parameters:
  ///   - number: Only those behind the line of this number.
  ///   - limit: So many at most.
  package func lines(after number: Int = 0, atMost limit: Int) -> [Entry] {
    let (entries, oldest) = state.withLock { ($0.entries, $0.oldest) }
    let ordered = entries[oldest...] + entries[..<oldest]
    return Array(ordered.filter { $0.number > number }.suffix(max(limit, 0)))
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > longest else { return text }
    return String(decoding: text.utf8.prefix(longest), as: UTF8.self) + "…"
  }
}
