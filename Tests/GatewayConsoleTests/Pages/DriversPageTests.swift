import GatewayAPI
import Testing

@testable import GatewayConsole

/// The page of drivers: one table, with what was found against one above it.
@Suite("Page of drivers") struct DriversPageTests {
  private static func page(_ offences: [OffenceDescription] = []) -> DriversPage {
    let catalogue =
      (1...5).map { Samples.entry($0, name: "Meter \($0)") }
      + [
        Samples.entry(1, kind: "ocr", name: "A display"),
        Samples.entry(9, name: "Another's", driver: "org.example.other"),
      ]
    return DriversPage(
      [Samples.driver(), Samples.driver("org.example.none")], catalogue: catalogue, offences: offences, updates: nil,
      times: Samples.times)
  }

  @Test func metersStandByNameAndPicture() throws {
    let driver = try #require(Self.page().drivers.first)
    #expect(driver.meters.map(\.name) == ["Meter 1", "Meter 2", "Meter 3"] && driver.more == "3 more")
    #expect(driver.moreMeters.map(\.name) == ["Meter 4", "Meter 5", "A display"])
    #expect(driver.meters.first?.picture == "/pictures/bluetooth-1")
    // The same number is another meter in the catalogue of displays.
    #expect(driver.moreMeters.last?.picture == "/pictures/ocr-1")
    #expect(Self.page().drivers.last?.meters.isEmpty == true && Self.page().drivers.last?.more == nil)
    let document = try HTMLDocument(try Samples.html(Self.page()))
    #expect(document.all("table").count == 1 && document.all("img").count { $0.attributes["src"] != "/icon.svg" } == 6)
    #expect(!document.text.contains("found against"))
  }

  @Test func whatWasFoundStandsAboveTheTable() throws {
    let html = try Samples.html(Self.page([Samples.offence()]))
    let found = try #require(html.firstRange(of: "found against"))
    let updates = try #require(html.firstRange(of: "Look for updates"))
    let table = try #require(html.firstRange(of: "<table"))
    #expect(found.lowerBound < updates.lowerBound && updates.lowerBound < table.lowerBound)
    #expect(html.contains("/drivers/org.example.meter/release"))
    #expect(!html.contains("/drivers/org.example.none/release"))
  }

  @Test(arguments: ["bluetooth-1000", "ocr-7"])
  func aPictureHasAPath(name: String) throws {
    let picture = try #require(MeterPictureName(path: name))
    #expect(picture.path == "/pictures/\(name)")
    #expect(ConsoleRoute(path: picture.path) == .drawing(picture))
  }

  @Test(arguments: ["", "bluetooth", "import-1", "ocr--1", "ocr-+1", "ocr-4294967296", "bluetooth-1-2", "ocr-1.svg"])
  func whatNamesNoEntryIsNoPicture(name: String) {
    #expect(MeterPictureName(path: name) == nil && ConsoleRoute(path: "/pictures/\(name)") == nil)
  }
}
