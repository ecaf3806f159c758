import DriverContract
import MeterOCR
import Testing

@Suite struct OCRCorrectionTests {
  private func reading(
    _ texts: String..., layout: DisplayLayout = Displays.glucose, confidence: Double = 0.95
  ) async throws -> OCRReading {
    var stage = Stage()
    stage.layout = layout
    let shown = Displays.reading(texts, confidence: confidence)
    let picture = Pictures.frame(1, name: "1.jpg", isStill: true)
    let controller = stage.controller(
      ScriptedReader { _, _ in .success(shown) }, ScriptedSource([.frame(picture), .end]))
    return try #require(await controller.result.reading)
  }

  private let judge = ScriptedReader("")

  private func code(
    _ reading: OCRReading, _ texts: [String?], layout: DisplayLayout = Displays.glucose
  ) async -> OCRCorrectionError.Code? {
    do throws(OCRCorrectionError) {
      _ = try await reading.corrected(texts, layout: layout, by: judge)
      return nil
    } catch { return error.code }
  }

  @Test("a correction is judged as what was read is") func aCorrectionIsJudgedAsWhatWasReadIs() async throws {
    let reading = try await reading("120")
    let corrected = try await reading.corrected(["126"], layout: Displays.glucose, by: judge)
    #expect(corrected.records == [Displays.record([126])])
    #expect(corrected.texts == ["126"])
    #expect(corrected.rows[0].readText == "120")
    #expect(corrected.isCorrected && corrected.rows[0].isCorrected && corrected.rows[0].isConfirmed)
    #expect(corrected.id == reading.id)
  }

  @Test("only what differs counts as corrected") func onlyWhatDiffersCountsAsCorrected() async throws {
    let reading = try await reading("120", "80", "60", layout: Displays.pressure)
    let corrected = try await reading.corrected([nil, "88", "60"], layout: Displays.pressure, by: judge)
    #expect(corrected.rows.map(\.isCorrected) == [false, true, false])
    #expect(corrected.records == [Displays.record([120, 88, 60])])
    let back = try await corrected.corrected([nil, "80", nil], layout: Displays.pressure, by: judge)
    #expect(!back.isCorrected && back.records == reading.records)
  }

  @Test("a number in the place of Lo is exact") func aNumberInThePlaceOfLoIsExact() async throws {
    let reading = try await reading("Lo")
    #expect(reading.records.first?.values.first?.qualifier == .below)
    let corrected = try await reading.corrected(["25"], layout: Displays.glucose, by: judge)
    #expect(corrected.records == [Displays.record([25])])
  }

  @Test(
    "what is no reading is refused",
    arguments: [
      (["80", "120", "60"], OCRCorrectionError.Code.notAValue), (["120", "120", "60"], .notAValue),
      (["", "80", "60"], .incomplete), (["888", "888", "888"], .notAValue), (["12a", "80", "60"], .impossibleText),
      (["120", "80", "1234567890123456789"], .impossibleText), (["१२०", "80", "60"], .impossibleText),
      (["120", "80"], .wrongNumberOfRows), ([], .wrongNumberOfRows),
    ])
  func whatIsNoReadingIsRefused(_ texts: [String], _ expected: OCRCorrectionError.Code) async throws {
    let reading = try await reading("120", "80", "60", layout: Displays.pressure)
    #expect(await code(reading, texts, layout: Displays.pressure) == expected)
  }

  @Test(
    "what the meter does not show is refused",
    arguments: [("999", OCRCorrectionError.Code.wrongMeter), ("5.6", .otherUnit), ("3", .notAValue)])
  func whatTheMeterDoesNotShowIsRefused(_ text: String, _ expected: OCRCorrectionError.Code) async throws {
    let reading = try await reading("120")
    #expect(await code(reading, [text]) == expected)
  }

  @Test("a driver that fails corrects nothing") func aDriverThatFailsCorrectsNothing() async throws {
    let reading = try await reading("120")
    let broken = ScriptedReader(verdict: { _, _ in
      .failure(DriverFault(.crashed, driver: "test", message: "died"))
    }) { _, _ in .success(Displays.reading("")) }
    await #expect {
      try await reading.corrected(["121"], layout: Displays.glucose, by: broken)
    } throws: { error in
      (error as? OCRCorrectionError)?.code == .driverFailed && "\(error)".contains("died")
    }
  }

  @Test("an unsure reading is held until every value is confirmed or corrected")
  func anUnsureReadingIsHeldUntilEveryValueIs() async throws {
    let reading = try await reading("120", "80", "60", layout: Displays.pressure, confidence: 0.7)
    #expect(reading.isHeld)
    #expect(reading.confirmed([0, 1]).isHeld)
    let corrected = try await reading.confirmed([0, 1]).corrected(
      [nil, nil, "68"], layout: Displays.pressure, by: judge)
    #expect(!corrected.isHeld)
    #expect(corrected.records.allSatisfy { !$0.flags.contains(.held) })
    #expect(!reading.confirmed().isHeld)
  }
}
