import GatewayAPI
import MeterCore

extension SinkWaitDescription {
  /// The receivers that are waited for now, by name; nil for none.
  static func all(in store: MeterStore) throws(StoreError) -> [SinkWaitDescription]? {
    let now = BootClock.now
    let waits = try store.sinkWaits(at: now).sorted { $0.key < $1.key }.map { sink, wait in
      let left = wait.left(at: now).components
      return SinkWaitDescription(
        sink: sink, seconds: Int(left.seconds) + (left.attoseconds > 0 ? 1 : 0), isAsked: wait.isAsked(at: now),
        error: wait.error)
    }
    return waits.isEmpty ? nil : waits
  }
}
