import DriverContract
import MeterCore

// What those who count hear of reads.
extension ReadSurroundings {
  /// Tells of a read or pairing that is over.
  ///
  /// - Parameter last: How it ended; nil when the meter was another one than was asked for.
  func count(_ last: Result<ReadEvent, BluetoothError>?, of peripheral: UInt32, for purpose: DriverPurpose) {
    let outcome = last?.countedOutcome ?? "other_meter"
    guard purpose == .pair else { return store.counted.tell(.read(peripheral: peripheral, outcome: outcome)) }
    // No reading is wanted of a pairing.
    store.counted.tell(.paired(outcome: outcome == "nothing_new" ? "completed" : outcome))
  }
}

extension Result<ReadEvent, BluetoothError> {
  /// A stable word: `completed`, `nothing_new`, `already_delivered`, `cancelled`, or the error's code.
  fileprivate var countedOutcome: String {
    switch self {
    case .success(.alreadyDelivered): "already_delivered"
    case .success(.cancelled): "cancelled"
    case .success(.failed(let error, _)), .failure(let error): error.code.rawValue
    case .success(.completed(let summary)) where !summary.hasNews: "nothing_new"
    // The others are no end.
    case .success: "completed"
    }
  }
}

extension MeterFacts {
  /// How full the battery is, from 0 to 1; nil when the meter has not said so in percent.
  var batteryRatio: Double? {
    guard let level = quantities.first(where: { $0.metric == "battery_level" && $0.unit == "%" })?.value,
      (0...100).contains(level)
    else { return nil }
    return level / 100
  }

  /// Adds what people look for later to what was told before.
  func add(to told: inout ToldFacts) {
    if let ratio = batteryRatio { told.batteryPercent = Int((ratio * 100).rounded()) }
    if let firmware = texts["firmware_version"] { told.take(firmware: firmware) }
  }
}
