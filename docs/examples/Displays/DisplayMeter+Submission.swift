import MeterCore
public import MeterOCR

extension DisplayMeter {
  /// Hands a reading in that a person has confirmed: records and picture are on disk when this returns, or nothing is. An
  /// uploader of the store delivers them.
  ///
  /// - Parameter picture: The reading's crop as a JPEG file.
  /// - Returns: What has become of it, for a person.
  public func submit(_ reading: OCRReading, picture: [UInt8]) async throws -> String {
    guard let batch = IntakeBatch(reading, picture: try RecordImage(picture), notes: drawnNote) else {
      throw ExampleError("the reading has no name; read it again")
    }
    let context = IntakeContext(display: entry, driver: driver, in: session)
    let receipt = try await Intake(store).take(batch, context, clock: HostClockReading(of: reading)).commit
    guard session.user != nil else { return "There is no session: the reading is kept and never delivered." }
    for case .held(let reason) in (receipt.new + receipt.revised + receipt.suspects).map(\.disposition) {
      return "The reading is kept until a person decides (\(reason.rawValue))."
    }
    return "Submitted: the reading is saved and will be delivered."
  }

  /// A receiver that gets what was tried out must be able to tell it from what was measured.
  private var drawnNote: [RecordNote] {
    guard case .drawn = pictures, let note = Metric.named("note").first else { return [] }
    return [RecordNote(field: note.code, text: "drawn by an example: nothing was measured")]
  }
}
