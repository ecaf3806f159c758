public import HostErrors
public import DriverContract

/// Why a person's correction is refused.
public struct OCRCorrectionError: HostError, Hashable {
  /// What is wrong. The raw value is stable.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// There is not one text for each row.
    case wrongNumberOfRows = "wrong_number_of_rows"
    /// A text has characters that the row cannot show, or is too long.
    case impossibleText = "impossible_text"
    /// A row that has to be there is empty.
    case incomplete
    /// Together the texts are no reading: out of range, or diastolic not below systolic.
    case notAValue = "not_a_value"
    /// No display of this meter shows them.
    case wrongMeter = "wrong_meter"
    /// They would be a reading in the meter's other unit.
    case otherUnit = "other_unit"
    /// The driver could not judge the texts: they may be right.
    case driverFailed = "driver_failed"
  }

  /// What is wrong, for programs.
  public var code: Code
  /// The row, when it is one.
  public var row: Int?
  /// What happened and what to do.
  public var message: String
  /// The driver's own words.
  public var cause: String?

  init(_ code: Code, row: Int? = nil, _ message: String, cause: String? = nil) {
    (self.code, self.row, self.message, self.cause) = (code, row, message, cause)
  }

  /// Decides the exit status.
  public var kind: HostErrorKind { code == .driverFailed ? .failed : .usage }
}

extension OCRReading {
  /// The longest text of a row (`MH_OCR_TEXT_MAX`).
  private static let longestText = 16

  /// The reading with what a person says that the display shows. The driver judges the texts as it judges those that were
  /// read: what it would not take from a display it does not take from a person. What is changed counts as confirmed. A "Lo"
  /// or "Hi" that was replaced by a number is an exact value, because the number alone is asked about.
  ///
  /// - Parameters:
  ///   - texts: One for each row; nil leaves it as it is.
  ///   - layout: Of the peripheral.
  public func corrected(
    _ texts: [String?], layout: DisplayLayout, by recogniser: any DisplayRecognizing
  ) async throws(OCRCorrectionError) -> OCRReading {
    guard texts.count == rows.count, layout.rows.count == rows.count else {
      throw OCRCorrectionError(
        .wrongNumberOfRows, "there are \(texts.count) texts for \(rows.count) rows; give one for each")
    }
    var reading = self
    for (index, text) in texts.enumerated() {
      guard let text, text != reading.rows[index].text else { continue }
      try Self.expect(text, layout.rows[index], index)
      reading.rows[index].text = text
      reading.rows[index].isConfirmed = true
    }
    reading.interpreted = try await meaning(of: reading.texts, by: recogniser)
    return reading
  }

  /// The reading with rows that a person has compared with the picture.
  ///
  /// - Parameter indices: Which rows; nil: all.
  public func confirmed(_ indices: Set<Int>? = nil) -> OCRReading {
    var reading = self
    for index in rows.indices where indices?.contains(index) ?? true { reading.rows[index].isConfirmed = true }
    return reading
  }

  private static func expect(_ text: String, _ row: DisplayRow, _ index: Int) throws(OCRCorrectionError) {
    guard text.utf8.count <= longestText, text.utf8.allSatisfy({ row.characters.utf8.contains($0) || $0 == 0x20 })
    else {
      throw OCRCorrectionError(
        .impossibleText, row: index,
        "the display does not show this text; use at most \(longestText) of the characters \"\(row.characters)\"")
    }
  }

  private func meaning(
    of texts: [String], by recogniser: any DisplayRecognizing
  ) async throws(OCRCorrectionError) -> [DriverRecord] {
    let verdict: DisplayVerdict
    do throws(DriverFault) {
      verdict = try await recogniser.interpret(texts, meter: peripheralID, unit: unit)
    } catch {
      throw OCRCorrectionError(.driverFailed, "the driver could not judge the texts; try again", cause: "\(error)")
    }
    switch verdict {
    case .valid(let records) where !records.isEmpty: return records
    case .valid, .incomplete:
      throw OCRCorrectionError(.incomplete, "a value that has to be there is missing; enter it as the display shows it")
    case .notAValue:
      throw OCRCorrectionError(
        .notAValue, "this is no reading of the meter; enter what the display shows, digit by digit")
    case .wrongMeter:
      throw OCRCorrectionError(.wrongMeter, "the meter does not show such a value; compare with the picture")
    case .otherUnit:
      throw OCRCorrectionError(.otherUnit, "this is a value in the meter's other unit; read again with that unit")
    }
  }
}
