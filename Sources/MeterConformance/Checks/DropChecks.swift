import BluetoothWire
import VirtualMeter

extension Check {
  /// The link breaks, or a packet arrives damaged, and the meter is read again (rule R25).
  static let drops: [Check] = [
    drop("dropped", "The link breaks behind a PDU that arrived", isLost: false),
    drop("lost", "The link breaks and takes a PDU along", isLost: true),
    Check(
      .r25, "damaged",
      "A stored reading that arrives damaged is not lost: read again, every stored reading is there once.",
      mend: "refuse the value with MH_E_PROTOCOL, leave the cursor before it, and end with MH_DO_FAIL"
    ) { context in
      guard !context.tapes.isEmpty else { return .skipped(context.noSession) }
      let reads = context.reads.filter { $0.first.isComplete && $0.hasStored && $0.meter.isAskedAgain }
      guard !reads.isEmpty else {
        return .skipped("no virtual meter of the bundle sends stored readings that can be asked for by number")
      }
      // The first value of a report is a measurement, and the others move the cursor behind it.
      let fault = MeterFault(
        .malformed(opcode: .handleValueNotification, how: .truncated), onlyConnection: 1, times: 1)
      for read in reads {
        let matrix = DropMatrix(context: context, read: read, isLost: false, places: 1)
        if let words = try await matrix.hurt(by: fault) {
          return .failed(words, place: "\(read.meter.name): the first reading is cut short")
        }
      }
      return .passed
    },
  ]

  private static func drop(_ name: String, _ words: String, isLost: Bool) -> Check {
    Check(
      .r25, name, "\(words), at every place of a read: read again, every stored reading is there once.",
      mend: "ask the meter to delete or acknowledge in the record's unit or a later one, and move the cursor over "
        + "records that have been put out only"
    ) { context in
      guard !context.tapes.isEmpty else { return .skipped(context.noSession) }
      let reads = context.reads.filter { $0.first.isComplete && $0.hasStored && !$0.meter.isAdvertisementOnly }
      guard !reads.isEmpty else { return .skipped("no meter of the bundle stores readings that can be read again") }
      for read in reads {
        let matrix = DropMatrix(
          context: context, read: read, isLost: isLost,
          places: context.isThorough ? .max : max(leastPlaces, mostPlaces / reads.count))
        if let (words, place) = try await matrix.run() { return .failed(words, place: place) }
      }
      return .passed
    }
  }

  /// Places at which links are broken, over all meters of a bundle, and of one meter at least. Longer reads are broken in
  /// steps, but for those who have time.
  private static let (mostPlaces, leastPlaces) = (48, 10)
}

extension SubjectMeter {
  /// Whether it reports what it stores as often as it is asked, one value a reading.
  fileprivate var isAskedAgain: Bool {
    guard case .glucose(let options) = script.behaviour else { return false }
    return !options.deletesOnConfirmation
  }
}
