import Foundation
import TestSupport
import Testing

@Suite("Health Connect's export") struct HealthConnectTests {
  static let forms = ["connect.db", "connect-512.db", "connect-64k.db", "connect-utf16.db", "connect.zip"]

  @Test("Every table, whatever the size of pages and the encoding", arguments: forms) func tables(name: String) throws {
    let play = try ImportPlay("HealthConnect")
    let said = try play.run(play.written(by: "connect.py").appending(path: name))
    #expect(said.isClean)
    #expect(said.samples().count == 132)
    #expect(said.samples("weight_record", #""value":"816e-1","unit":"kg""#).count == 1)
    #expect(said.samples("active_calories", #""value":"1234567e-4","unit":"kcal""#).count == 1)
    #expect(said.samples("blood_glucose", #""value":"3e-1","unit":"mmol/L""#, #""meal":"before""#).count == 1)
    #expect(said.samples("exercise_session", #""text":"running""#).count == 1)
    #expect(said.samples("exercise_session", #""text":"wheelchair""#).count == 1)
    #expect(said.samples("exercise_laps", #""part":true"#, #""distance":"4005e-1 m""#).count == 3)
    #expect(said.samples("exercise_segments", #""text":"segment""#).count == 1)
    #expect(said.samples("exercise_segments", #""text":"pause""#).count == 1)
    #expect(
      said.samples("nutrition", "Mittag", #""energy":"5125e-1 kcal","protein":"205e-1 g","fat":"0e0 g""#).count == 1)
    #expect(said.samples("nutrition", "sodium").isEmpty)
    #expect(said.samples("sleep_stages").count == 24)
    #expect(said.samples("heart_rate_record_series", "com.watch", #""offset":3600"#).count == 50)
  }

  @Test("The owner's order of apps goes with each source; an app left out says so") func order() throws {
    let play = try ImportPlay("HealthConnect")
    let said = try play.run(play.written(by: "connect.py").appending(path: "connect.zip"))
    #expect(said.lines.contains(#"{"order":0,"quantity":1,"rank":2}"#))
    #expect(said.lines.contains(#"{"order":1,"quantity":1,"rank":-1}"#))
    #expect(said.lines.contains(#"{"order":2,"quantity":1,"rank":1}"#))
  }

  @Test("Only what overlaps the window comes, all is counted, and parts go with their workout") func window() throws {
    let play = try ImportPlay("HealthConnect")
    let file = try play.written(by: "connect.py").appending(path: "connect.zip")
    let said = try play.run(file, "since=1740787260", "until=1740787320")
    #expect(said.isClean)
    #expect(said.samples("steps_record_table").count == 1)
    #expect(said.samples("exercise").isEmpty)
    #expect(said.lines.contains(#"{"counted":"steps_record_table","count":20}"#))
    #expect(said.lines.contains(#"{"counted":"exercise_session_record_table","count":2}"#))
  }

  @Test("What is dated behind the day of the import is refused") func future() throws {
    let play = try ImportPlay("HealthConnect")
    let said = try play.run(play.written(by: "connect.py").appending(path: "connect.zip"), "now=1740700800")
    #expect(said.samples("steps_record_table").count == 1)
  }

  @Test("Trees of several levels: every row once") func many() throws {
    let play = try ImportPlay("HealthConnect")
    let folder = try play.written(by: "connect.py", "5000")
    for name in ["connect-512.db", "connect.zip"] {
      let said = try play.run(folder.appending(path: name))
      #expect(said.isClean)
      #expect(said.samples("steps_record_table").count == 5000)
      #expect(said.samples("heart_rate_record_series").count == 12500)
    }
  }

  @Test(
    "Cut, in pieces of any size, and damaged: what can be read is, and no rule is broken", arguments: forms.suffix(1))
  func hostile(name: String) throws {
    let play = try ImportPlay("HealthConnect")
    let file = try play.written(by: "connect.py", "1").appending(path: name)
    for way in ["cuts", "chunks", "mutations"] {
      let said = try play.run(file, "most=1000", way)
      #expect(said.isClean, "\(said.end)")
    }
  }

  @Test("Pages with wrong bytes") func damagedPages() throws {
    let play = try ImportPlay("HealthConnect")
    let said = try play.run(play.written(by: "connect.py", "1").appending(path: "connect-512.db"), "mutations")
    #expect(said.isClean, "\(said.end)")
  }
}
