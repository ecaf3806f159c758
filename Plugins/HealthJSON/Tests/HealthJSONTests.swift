import Foundation
import TestSupport
import Testing

@Suite("What automations post") struct HealthJSONTests {
  static let autoExport = #"""
    {"data":{"metrics":[
    {"units":"count","data":[{"date":"2025-03-01 00:00:00 +0100","qty":8123.5,"source":"Watch|iPhone"}],"name":"step_count"},
    {"data":[{"date":"2025-03-01 7:57:00\u202fam +1000","qty":0.5},{"date":"2025-03-01 7:58:00 PM +1000","qty":"1.234.567"}],
     "name":"active_energy","units":"kJ"},
    {"name":"blood_oxygen_saturation","units":"%","data":[{"qty":0.97,"date":"2025-03-01 03:04:05 +0100"}]},
    {"name":"blood_pressure","units":"mmHg","data":[{"systolic":120,"diastolic":80,"date":"2025-03-01 03:04:05 +0100"}]},
    {"name":"sleep_analysis","units":"hr","data":[
     {"date":null,"startDate":"2025-03-01 23:04:05 +0100","endDate":"2025-03-01 23:44:05 +0100","value":"Core"},
     {"value":"Schlaf","startDate":"2025-03-01 23:04:05 +0100","endDate":"2025-03-01 23:44:05 +0100"}]},
    {"name":"weird","units":"x","data":[{"qty":14,"date":1740812400.5}]}],
    "workouts":[{"id":"ABC","name":"Laufen","start":"2025-03-01 10:00:00 +0100","end":"2025-03-01 11:00:00 +0100",
     "duration":3500.25,"distance":{"qty":10.5,"units":"km"},"route":[{"latitude":1}]}]}}
    """#
  static let webhook = #"""
    {"timestamp":"2025-03-02T00:00:00Z","steps":[{"count":100,"start_time":"2025-03-01T10:00:00Z",
     "end_time":"2025-03-01T10:05:00Z","metadata":{"data_origin":"com.fit","recording_method":"3"}}],
    "sleep":[{"session_end_time":"2025-03-01T06:00:00Z","duration_seconds":28800,"stages":[
     {"stage":"deep","start_time":"2025-03-01T01:00:00Z","end_time":"2025-03-01T02:00:00Z"}]},
     {"session_end_time":"2025-03-02T06:00:00Z","duration_seconds":28800,"stages":[]}],
    "heart_rate":[{"avg":62,"min":50,"max":80,"time":"2025-03-01T06:01:00Z"},{"bpm":61,"time":"2025-03-01T06:00:00"}]}
    """#
  static let list = #"""
    [{"type":"steps","start":"2025-03-01T10:00:00+01:00","end":"2025-03-01T10:10:00+01:00","value":812,"id":"a1"},
     {"type":"weight","start":1740812400,"value":"81.60","unit":"kg"},{"type":"weight","start":1740812400,"value":81.6},
     {"type":"weight","start":"1970-01-01T00:00:00Z","value":1,"unit":"kg"},{"type":"steps","start":"2025-03-01","value":1}]
    """#

  @Test("A metric's name and unit may stand behind its samples, and its times tell what a sample covers")
  func wholeDocument() throws {
    let said = try ImportPlay("HealthJSON").run(Data(Self.autoExport.utf8))
    #expect(said.isClean)
    #expect(said.samples("step_count", #""value":"81235e-1""#, #""merged":true"#, #""date":"2025-03-01""#).count == 1)
    #expect(said.samples("active_energy", #""start":1740779820.000000,"end":1740779880.000000"#, "kJ").count == 1)
    #expect(said.samples("blood_oxygen", #""value":"97e0","unit":"%""#).count == 1)
    #expect(said.samples(#""systolic":"120e0 mmHg","diastolic":"80e0 mmHg""#).count == 1)
    #expect(said.samples("sleep_analysis", #""word":4"#).count == 1)
    #expect(said.samples("weird", #""q":0"#, "1740812400.500000").count == 1)
    #expect(said.samples("Laufen", #""id":"ABC""#, #""duration":"350025e-2 s","distance":"105e-1 km""#).count == 1)
    #expect(said.samples().count == 7 && said.refused == 2)
  }

  @Test("Sleep of Health Connect is its stages, or where there are none the whole night") func nights() throws {
    let said = try ImportPlay("HealthJSON").run(Data(Self.webhook.utf8))
    #expect(said.isClean)
    #expect(said.samples("steps", #""value":"100e0""#, "com.fit", #""manual":true"#).count == 1)
    #expect(said.samples("sleep").count == 2)
    #expect(said.samples("heart_rate", #""min":"50e0 count/min""#).count == 1)
    #expect(said.refused == 1)
  }

  @Test("A list by hand is strict: a time has a zone, a weight has a unit") func byHand() throws {
    let said = try ImportPlay("HealthJSON").run(Data(Self.list.utf8))
    #expect(said.isClean)
    #expect(said.samples("steps", #""id":"a1""#).count == 1)
    #expect(said.samples("weight", #""value":"816e-1","unit":"kg""#).count == 1)
    #expect(said.samples().count == 2 && said.refused == 3)
  }

  @Test(
    "Cut anywhere, in pieces of any size, and damaged: no broken rule",
    arguments: [Self.autoExport, Self.webhook, Self.list])
  func hostile(document: String) throws {
    let play = try ImportPlay("HealthJSON")
    for way in ["cuts", "chunks", "mutations"] {
      let said = try play.run(Data(document.utf8), way)
      #expect(said.isClean, "\(said.end)")
    }
  }

  @Test("Nesting has a limit, not the stack") func deep() throws {
    let said = try ImportPlay("HealthJSON").run(Data(String(repeating: "[", count: 100_000).utf8))
    #expect(said.isClean && said.end.contains("fail"))
  }
}
