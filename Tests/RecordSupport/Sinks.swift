package import MeterCore

extension SinkTarget {
  /// A target of a kind that nobody knows: its sink takes everything.
  package static func unknown(_ setting: [UInt8] = []) -> SinkTarget { SinkTarget(kind: "unknown", setting: setting) }
}

extension MeterStore {
  /// The receivers beside the session's own.
  package func furtherSinks() throws -> [StoredSink] { try sinks().filter { $0.role == .further } }
}
