import CMeterDriver
import DriverContract

/// What one round of a driver's output consists of, before anything is checked. Its rows are a part of the unit's content.
struct RawImportRound: Sendable, Hashable {
  var samples: UInt32 = 0
  var attributes: UInt32 = 0
  var names: UInt32 = 0
  var counts: UInt32 = 0
  var refusals: UInt32 = 0
  var arena: UInt32 = 0
  var exportedMicroseconds: Int64 = 0
  var flags: UInt64 = 0

  /// Whether the driver has put nothing in.
  var isEmpty: Bool {
    samples == 0 && attributes == 0 && names == 0 && counts == 0 && refusals == 0 && arena == 0
      && exportedMicroseconds == 0 && flags == 0
  }

  var extent: ImportExtent {
    ImportExtent(
      samples: Int(samples), attributes: Int(attributes), names: Int(names), counts: Int(counts),
      refusals: Int(refusals), arena: Int(arena))
  }
}

/// Everything that one event of an import produced, unchecked: what a worker sends and the host checks.
struct RawImportUnit: Sendable {
  var status: Int32
  var rounds: [RawImportRound] = []
  var actions: [RawTalkAction] = []
  var logs: [DriverLogLine] = []
  /// The rows and arenas of all rounds, one behind the other, as `ImportBatch` has them. On the host's side a part of the message.
  var content: ArraySlice<UInt8> = []
}
