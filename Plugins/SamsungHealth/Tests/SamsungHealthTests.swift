import Foundation
import TestSupport
import Testing

@Suite("Samsung Health's export") struct SamsungHealthTests {
  @Test("A day has one sum: the merged row, or the largest device, or an older table") func days() throws {
    let play = try ImportPlay("SamsungHealth")
    let said = try play.run(play.written(by: "samsung.py").appending(path: "samsung.zip"))
    #expect(said.isClean)
    #expect(said.samples(#""value":"8123e0""#, #""date":"2025-03-01""#, #""merged":true"#).count == 1)
    #expect(said.samples(#""value":"1100e0""#, #""date":"2025-03-02""#).count == 1)
    #expect(said.samples(#""value":"3000e0""#, #""date":"2025-02-28""#).count == 1)
    #expect(said.samples("daily_trend.count").count == 3)
  }

  @Test("Dotted headers, marks, semicolons, UTF-16 and line ends in quotes") func forms() throws {
    let play = try ImportPlay("SamsungHealth")
    let said = try play.run(play.written(by: "samsung.py").appending(path: "samsung.zip"))
    #expect(said.samples(#""value":"61e0""#, #""start":1774735800"#, #""offset":32400"#).count == 1)
    #expect(said.samples("shealth.sleep", #""word":7"#, #""id":"s-1""#).count == 1)
    #expect(said.samples("sleep_stage").count == 2)
    #expect(said.samples("exercise", #""text":"running""#, #""duration":"3500000e0 ms""#).count == 1)
    #expect(said.samples().count == 18 && said.refused == 4)
  }

  /// The start of the row at 05:00 with nine hours ahead, by what a sidecar says of it.
  static let sidecars = [
    ("samsung-utc.zip", "1740805200"), ("samsung-local.zip", "1740772800"), ("samsung-other.zip", "1740805200"),
  ]

  @Test("A sidecar settles whether texts without a zone are UTC", arguments: sidecars)
  func sidecar(name: String, start: String) throws {
    let play = try ImportPlay("SamsungHealth")
    let file = try play.written(by: "samsung.py").appending(path: name)
    let said = try play.run(file)
    #expect(said.isClean && said.samples().count == 3 && said.refused == 0)
    #expect(said.samples(#""id":"r-1""#, #""start":\#(start).000000"#).count == 1)
    #expect(said.samples(#""id":"r-0""#, #""start":1740801600.000000"#).count == 1)
    #expect(said.samples(#""id":"r-2""#, #""start":1740808800.000000"#).count == 1)
    #expect(try play.run(file, "chunks").isClean)
  }

  @Test(
    "Cut anywhere, in pieces of any size, and damaged",
    arguments: ["samsung.zip", "samsung-stored.zip", "samsung.csv", "samsung-local.zip"])
  func hostile(name: String) throws {
    let play = try ImportPlay("SamsungHealth")
    let file = try play.written(by: "samsung.py").appending(path: name)
    for way in ["cuts", "chunks", "mutations"] {
      let said = try play.run(file, way)
      #expect(said.isClean, "\(said.end)")
    }
  }
}
