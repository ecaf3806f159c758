import GatewayAPI
import Testing

@testable import GatewayConsole

/// What stands beside the meters: radios, pictures, and what is read without anybody asking.
@Suite("Page of meters") struct MetersPageTests {
  private static func passive(_ word: String = "yes", isRunning: Bool = true) -> PassiveDescription {
    PassiveDescription(
      peripherals: [PassiveDescription.Entry(peripheral: 1000, name: "Meter", passive: word)], isRunning: isRunning)
  }

  @Test func aRadioTellsWhoHasItsConnections() {
    let row = RadioRow.all(Samples.radios(), meters: [Samples.meter("BPM-1")])[0]
    #expect(row.connections == "1 of 4 taken, 3 free" && row.meters == "BPM-1" && row.mark == "works")
    let strangers = RadioRow.all(Samples.radios(meters: ["00:00:00:00:00:09"]), meters: [Samples.meter()])[0]
    #expect(strangers.meters == "00:00:00:00:00:09")
    let full = RadioRow.all(Samples.radios(meters: ["1", "2", "3", "4"]), meters: [])[0]
    #expect(full.connections == "4 of 4 taken, 0 free" && full.mark == "waits")
    let idle = RadioRow.all(Samples.radios(meters: []), meters: [])[0]
    #expect(idle.meters == "nobody")
  }

  @Test func radiosAreMissedOnlyWhenNoneWorks() {
    func gone(_ name: String) -> RadioDescription.Adapter {
      RadioDescription.Adapter(name: name, isUp: false, slots: 0, connections: 0, meters: [])
    }
    var facts = OverviewFacts()
    facts.radios = RadioDescription(adapters: [gone("hci0"), gone("hci1")])
    #expect(Attention.all(facts).map(\.text) == ["No radio can be used: hci0, hci1"])
    facts.radios?.adapters += Samples.radios("hci2").adapters
    #expect(Attention.all(facts).isEmpty)
    facts.radios = RadioDescription(adapters: [])
    #expect(Attention.all(facts).isEmpty)
  }

  @Test func whatIsReadByItselfIsSaid() {
    let meter = Samples.meter()
    #expect(MeterRow.passive(meter, Self.passive()) == "yes")
    #expect(MeterRow.passive(meter, Self.passive("unreliable")) == "yes, with gaps")
    #expect(MeterRow.passive(meter, Self.passive(isRunning: false)) == "chosen, but not at the moment")
    #expect(MeterRow.passive(meter, PassiveDescription(peripherals: [], isRunning: true)) == "no")
    #expect(MeterRow.passive(meter, nil) == "unknown")
  }

  @Test func batteryAndFirmwareAreToldAsTheMeterToldThem() throws {
    var silent = Samples.meter("Silent")
    (silent.battery, silent.firmware) = (nil, nil)
    let page = MetersPage(
      [silent, Samples.meter("1.4")], search: "", order: .battery, heard: nil, times: Samples.times)
    #expect(page.rows.map(\.battery) == ["12 %", ""] && page.rows.map(\.isLow) == [true, false])
    #expect(page.rows.map(\.firmware) == ["1.4", ""])
    let told = MeterPage(Samples.meter("1.4"), entry: nil, times: Samples.times).facts
    #expect(told.first { $0.label == "Battery" }?.text == "12 %, told at 2026-03-01 09:00:00")
    let untold = MeterPage(silent, entry: nil, times: Samples.times).facts
    #expect(untold.filter { $0.text == "not told by this meter" }.map(\.label) == ["Battery", "Firmware"])
    let table = MeterTable.csv([Samples.meter("1.4")])
    #expect(table.contains(#""12","2026-03-01T07:00:00Z","1.4""#))
  }

  @Test func metersHaveThePictureOfTheirKind() throws {
    let catalogue = [Samples.entry(1000, kind: "ocr"), Samples.entry(1000)]
    let page = MetersPage(
      [Samples.meter()], search: "", order: .name, heard: nil,
      beside: MetersPage.Surroundings(catalogue: catalogue, passive: Self.passive(), radios: Samples.radios()),
      times: Samples.times)
    #expect(page.rows.first?.picture == "/pictures/bluetooth-1000" && page.rows.first?.passive == "yes")
    let document = try HTMLDocument(try Samples.html(page))
    #expect(document.text.contains("1 of 4 taken, 3 free"))
    #expect(MeterPage(Samples.meter(), entry: catalogue[1], times: Samples.times).picture == "/pictures/bluetooth-1000")
    #expect(MeterPage(Samples.meter(), entry: nil, times: Samples.times).picture == nil)
  }
}
