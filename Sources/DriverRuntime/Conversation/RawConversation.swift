import CMeterDriver
import DriverContract

/// One round of a driver's output, copied before anything is checked.
struct RawTalkRound: Sendable {
  var output: RawOutput
  /// One for each record.
  var extents: [mh_talk_extent]
  var segments: [mh_talk_segment]
  var series: [mh_talk_series]
  var points: [Double]

  /// Whether the driver has put nothing in.
  var isEmpty: Bool { output.records.isEmpty && segments.isEmpty && series.isEmpty && points.isEmpty }
}

/// An action as the driver gave it.
struct RawTalkAction: Sendable, Hashable {
  var kind: UInt32
  var token: UInt64 = 0
  var first: UInt64 = 0
  var second: UInt64 = 0
  var text: [UInt8] = []
}

/// Everything that one event of a conversation produced, unchecked: what a worker sends and the host checks.
struct RawTalkUnit: Sendable {
  var status: Int32
  var rounds: [RawTalkRound] = []
  var actions: [RawTalkAction] = []
  var writes: [DriverStorageWrite] = []
  var logs: [DriverLogLine] = []
}
