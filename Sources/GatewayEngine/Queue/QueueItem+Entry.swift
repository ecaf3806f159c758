package import GatewayAPI
package import MeterCore

extension QueueItem {
  /// Describes an entry of the queue.
  ///
  /// - Parameters:
  ///   - isWhole: Every value of a series, too, which a list leaves out.
  ///   - acknowledgements: What an acknowledgement of each receiver means, by its name.
  package init(
    _ entry: QueueEntry, isWhole: Bool = false, acknowledgements: [String: Acknowledgement] = [:]
  ) {
    self.init(
      position: entry.position, logID: "\(entry.logID)", name: "\(entry.name)", revision: entry.revision,
      sink: entry.sink, state: entry.state.word, reason: entry.reason, attempts: entry.attempts,
      lastError: entry.lastError, receiverID: entry.receiverID,
      acknowledgement: acknowledgements[entry.sink]?.rawValue,
      keptUntil: entry.keptUntilMicroseconds.map { utcText($0) },
      reading: entry.record.map {
        ReadingDescription($0, state: entry.state.word, reason: entry.reason, isWhole: isWhole)
      })
  }

  /// Describes entries of a store's queue, with what an acknowledgement of each receiver means.
  static func all(_ entries: [QueueEntry], isWhole: Bool = false, in store: MeterStore) -> [QueueItem] {
    // A receiver whose setting is damaged is told elsewhere, and hides no reading.
    let sinks = (try? GatewaySink.all(in: store)) ?? []
    let known = Dictionary(
      sinks.map { ($0.name, $0.setting.capabilities.acknowledgement) }, uniquingKeysWith: { first, _ in first })
    return entries.map { QueueItem($0, isWhole: isWhole, acknowledgements: known) }
  }
}
