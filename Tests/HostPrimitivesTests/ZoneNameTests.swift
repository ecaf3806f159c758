import HostPrimitives
import Testing

@Suite("Zone names")
struct ZoneNameTests {
  @Test(
    "are names with a place, universal ones, and those that are in the list",
    arguments: ["Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+3", "UTC", "GMT", "Japan", "EST5EDT"])
  func names(text: String) {
    #expect(ZoneName(text, isListed: { ["Japan", "EST5EDT", "BST"].contains($0) })?.text == text)
  }

  @Test(
    "are no abbreviations, offsets and paths",
    arguments: [
      "", "BST", "EST", "IST", "CEST", "GMT+2", "UTC-2", "/etc/passwd", "../Berlin", "Europe//Berlin",
      "Europe/Berlin\n",
      "Europe/Berl\u{ED}n", String(repeating: "a", count: 40) + "/" + String(repeating: "a", count: 40),
    ])
  func others(text: String) { #expect(ZoneName(text, isListed: { ["BST", "EST"].contains($0) }) == nil) }

  @Test("are looked for in the list only where nothing else tells")
  func list() {
    for text in ["Europe/Berlin", "UTC", "BST", "", "a b"] {
      _ = ZoneName(
        text,
        isListed: {
          Issue.record("\($0)")
          return true
        })
    }
  }
}
