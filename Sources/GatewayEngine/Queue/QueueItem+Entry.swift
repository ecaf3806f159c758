package import GatewayAPI
package import MeterCore

extension QueueItem {
  /// Describes an entry of the queue.
  ///
  /// - Parameter isWhole: Every value of a series, too, which a list leaves out.
  package init(_ entry: QueueEntry, isWhole: Bool = false) {
    self.init(
      position: entry.position, logID: "\(entry.logID)", name: "\(entry.name)", revision: entry.revision,
      sink: entry.sink, state: entry.state.word, reason: entry.reason, attempts: entry.attempts,
      lastError: entry.lastError, receiverID: entry.receiverID,
      reading: entry.record.map {
        ReadingDescription($0, state: entry.state.word, reason: entry.reason, isWhole: isWhole)
      })
  }
}
