import GatewayAPI
import Testing

@testable import GatewayConsole

/// Values as people read them, and the fields in which they are corrected.
@Suite("Words of readings") struct ReadingWordTests {
  private static func item(_ values: [ReadingDescription.Value]) -> QueueItem {
    let reading = ReadingDescription(
      logID: "l", revision: 1, type: "diabetes", time: "2026-03-01T08:00:00Z", values: values, model: "m",
      peripheral: 1000, state: "held", reason: "clock_suspect")
    return QueueItem(
      position: 1, logID: "l", name: "l", revision: 1, sink: "inform", state: "held", reason: "clock_suspect",
      attempts: 0, lastError: nil, reading: reading)
  }

  private static func code(_ metric: String, _ number: Int, word: String? = nil) -> ReadingDescription.Value {
    ReadingDescription.Value(metric: metric, value: Double(number), reported: "\(number)", unit: "1", word: word)
  }

  @Test(arguments: [
    ("blood_pressure_status", "0", "nothing to note"),
    ("blood_pressure_status", "6", "cuff too loose, irregular pulse"),
    ("blood_pressure_status", "16", "pulse below the meter's range"),
    ("blood_pressure_status", "24", "pulse range not known"),
    ("blood_pressure_status", "128", "bit 7, whose meaning is not known"),
    ("oximeter_measurement_status", "256", "fully qualified"),
    ("oximeter_device_status", "32800", "low perfusion, sensor disconnected"),
    ("sensor_status", "4097", "battery low, bit 12, whose meaning is not known"),
  ])
  func aStatusIsReadByItsBits(metric: String, number: String, words: String) {
    #expect(StatusWords.text(metric: metric, number: number) == words)
  }

  @Test(arguments: [("pulse", "60"), ("sensor_status", "65536"), ("sensor_status", "-1"), ("sensor_status", "x")])
  func whatIsNoStatusHasNoBits(metric: String, number: String) {
    #expect(StatusWords.text(metric: metric, number: number) == nil)
  }

  @Test func listsAndPagesShowWords() throws {
    let item = Self.item([
      Self.code("sample_type", 1, word: "capillary_whole_blood"), Self.code("blood_pressure_status", 4),
    ])
    let row = ReadingRow(item, times: Samples.times)
    #expect(row.values == "sample type capillary whole blood, blood pressure status irregular pulse")
    let page = ReadingPage([item], times: Samples.times)
    #expect(page.values.map(\.number) == ["capillary whole blood", "irregular pulse"])
    #expect(page.values.allSatisfy { !$0.isFigure })
  }

  @Test func aCodedValueIsChosenAmongTheWordsOfItsMetric() throws {
    let item = Self.item([
      Self.code("sample_location", 1, word: "finger"),
      ReadingDescription.Value(metric: "blood_glucose", value: 112, reported: "112", unit: "mg/dL"),
      // For these the dictionary has no words: the host would take none.
      Self.code("sensor_status", 1), Self.code("vendor-0x8001", 3),
    ])
    let page = ReadingPage([item], times: Samples.times)
    #expect(page.corrections.map(\.metric) == ["sample_location", "blood_glucose"])
    let choices = try #require(page.corrections.first?.choices)
    // Control solution is nobody's value, and no correction.
    #expect(choices.map(\.value) == ["finger", "alternate_site", "earlobe", "not_available"])
    #expect(choices.filter(\.isChosen).map(\.value) == ["finger"])
    #expect(choices.map(\.label).contains("alternate site"))

    let document = try HTMLDocument(try Samples.html(page))
    #expect(document.all("select").map { $0.attributes["name"] } == ["value-sample_location"])
    #expect(document.all("option").count == 4)
    #expect(document.fields(named: "was-sample_location") == ["finger"])
    let number = try #require(document.all("input") { $0.attributes["name"] == "value-blood_glucose" }.first)
    #expect(number.attributes["inputmode"] == "decimal" && number.attributes["value"] == "112")
    #expect(document.all("label").contains { $0.text == "blood glucose, in mg/dL" })
  }

  @Test func aCodeThatTheDictionaryDoesNotKnowStaysAChoice() throws {
    let page = ReadingPage([Self.item([Self.code("tester", 9)])], times: Samples.times)
    let choices = try #require(page.corrections.first?.choices)
    #expect(choices.first?.value == "9" && choices.first?.isChosen == true && choices.count { $0.isChosen } == 1)
  }
}
