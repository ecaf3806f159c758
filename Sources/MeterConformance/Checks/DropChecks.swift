extension Check {
  /// The link breaks, and the meter is read again (rule R25).
  static let drops: [Check] = [
    drop("dropped", "The link breaks behind a PDU that arrived", isLost: false),
    drop("lost", "The link breaks and takes a PDU along", isLost: true),
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
