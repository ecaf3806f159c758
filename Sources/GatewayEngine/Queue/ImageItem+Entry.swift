package import GatewayAPI
package import MeterCore

extension ImageItem {
  /// Describes an image of the queue.
  package init(_ entry: ImageEntry) {
    self.init(
      position: entry.position, logID: "\(entry.logID)", image: entry.checksum, contentType: entry.contentType.rawValue,
      size: entry.size, sink: entry.sink, state: entry.state == .inFlight ? "in_flight" : entry.state.rawValue,
      reason: entry.reason, attempts: entry.attempts, lastError: entry.lastError)
  }
}
