package import MeterCore

extension EndedSession {
  /// All deliveries that were open.
  package func entries() throws -> [QueueEntry] {
    var entries: [QueueEntry] = []
    try forEachUnsynced { entries.append($0) }
    return entries
  }
}
