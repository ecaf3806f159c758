import DriverContract
import Foundation
import HostPrimitives
import Testing

@testable import MeterHealth

@Suite("Sums of a day")
struct DaySumTests {
  @Test("of two sources at the same time one counts")
  func double() {
    var export = Export()
    export.add(.steps, "iPhone", "01 10:00", "01 10:10", "1000")
    export.add(.steps, "Watch", "01 10:00", "01 10:10", "1100")
    #expect(export.result.value("2026-03-01", "steps") == "1100")
  }

  @Test("gaps of the first source are filled from the next one")
  func gaps() {
    var export = Export()
    export.add(.steps, "Watch", "01 10:00", "01 10:10", "1000")
    export.add(.steps, "iPhone", "01 15:00", "01 15:10", "700")
    #expect(export.result.value("2026-03-01", "steps") == "1700")
  }

  @Test("a source whose device text has the address of an object is one source")
  func addresses() {
    var export = Export()
    let first = export.source(HealthSource("Phone A", detail: "<<HKDevice: 0x283a11>, name:iPhone, software:17.1>"))
    let second = export.collector.add(
      HealthSource("Phone A", detail: "<<HKDevice: 0x283b22>, name:iPhone, software:17.2>"))
    for (index, start) in [(first, "01 10:00"), (second, "01 10:10")] {
      export.collector.add(
        HealthSample(
          .steps, start: export.time(start), end: export.time(start) + 600_000_000, value: Fraction(500), source: index)
      )
    }
    #expect(export.result.value("2026-03-01", "steps") == "1000")
    #expect(export.result.knownSources == [.init(key: "Phone A", kind: .phone)])
    #expect(
      SourceKey.deviceText("<<HKDevice: 0x283a11>, name:Apple Watch, hardware:Watch6,1, software:9.1>")
        == "name:Apple Watch, hardware:Watch6,1")
  }

  @Test("one Watch in two spellings is one source")
  func spellings() {
    let names = ["Riley's\u{A0}Watch", "Riley\u{2019}s Watch", " Riley\u{2BC}s \u{202F} Watch\u{200E}"]
    #expect(Set(names.map(SourceKey.normalized)) == ["Riley's Watch"])
    var export = Export()
    // Samples that overlap and are of one source both count, as HealthKit sums them by source.
    export.add(.steps, names[0], "01 10:00", "01 10:10", "100")
    export.add(.steps, names[1], "01 10:05", "01 10:15", "100")
    #expect(export.result.value("2026-03-01", "steps") == "200")
  }

  @Test("a record that is there twice counts once, whenever it was written")
  func savedTwice() {
    var export = Export()
    for modified in [1, 2] as [Int64] {
      export.add(.exercise, "Watch", "01 10:00", "01 10:12", "720") { $0.modified = modified }
    }
    let result = export.result
    #expect(result.value("2026-03-01", "active_duration") == "720")
    #expect(result.refusals(.duplicate) == 1)
  }

  @Test("proportional minutes are rounded at the end of the day")
  func rounding() {
    var export = Export()
    for minute in 10..<20 { export.add(.steps, "App", "01 10:\(minute)", "01 10:\(minute + 1)", "0.5") }
    #expect(export.result.value("2026-03-01", "steps") == "5")
  }

  @Test("a record of a whole day is not cut to the time of the export")
  func wholeDay() {
    var export = Export(.healthConnect) { $0.exportedAt = Export.time("01 11:47") }
    export.add(.steps, "com.sec.android.app.shealth", "01 00:00", "01 23:59:59", "9878")
    #expect(export.result.value("2026-03-01", "steps") == "9878")
  }

  @Test("what a source has merged itself replaces its devices, and a day its hours")
  func merged() {
    var export = Export(.samsung)
    export.add(.steps, "-2", "01 00:00", "02 00:00", "8123") { $0.flags = .merged }
    export.add(.steps, "phone", "01 00:00", "02 00:00", "5000")
    export.add(.steps, "watch", "01 00:00", "02 00:00", "4100")
    export.add(.steps, "-2", "02 00:00", "03 00:00", "7000") { $0.flags = .merged }
    for hour in 10..<20 { export.add(.steps, "-2", "02 \(hour):00", "02 \(hour + 1):00", "650") { $0.flags = .merged } }
    for hour in 10..<20 { export.add(.steps, "-2", "03 \(hour):00", "03 \(hour + 1):00", "650") { $0.flags = .merged } }
    let result = export.result
    #expect(result.value("2026-03-01", "steps") == "8123")
    #expect(result.value("2026-03-02", "steps") == "7000")
    #expect(result.value("2026-03-03", "steps") == "6500")
    #expect(result.days[0].mergedBySource == ["steps"])
  }

  @Test("a merged sum that names its day is of that day, whatever its times say, and replaces the samples")
  func mergedDate() {
    var export = Export(zone: "Europe/Berlin")
    export.add(.steps, "A|B", "2026-03-01 15:00:00", "2026-03-02 15:00:00", "4321") {
      ($0.flags, $0.attributes) = (.merged, [HealthAttribute("date", "2026-03-02")])
    }
    export.add(.steps, "A", "02 10:00", "02 11:00", "9000")
    export.add(.seriesDay, "A", "02 00:00") {
      $0.attributes = [HealthAttribute("date", "2026-03-02"), HealthAttribute("stand_hours", Fraction(11))]
    }
    let result = export.result
    #expect(result.value("2026-03-01", "steps") == "-")
    #expect(result.value("2026-03-02", "steps") == "4321")
    #expect(result.value("2026-03-02", "stand_hours_count") == "11")
    #expect(result.days[0].mergedBySource == ["steps"])
  }

  @Test("heart rates of intervals have the least and the greatest of them, and are no measurements")
  func heartRateIntervals() {
    var export = Export()
    for (value, least, most) in [("70", 55, 90), ("80", 60, 150)] {
      export.add(.heartRate, "Watch", "01 10:\(value == "70" ? "00" : "30")", nil, value) {
        $0.attributes = [HealthAttribute("min", Fraction(least)), HealthAttribute("max", Fraction(most))]
      }
    }
    let result = export.result
    #expect(
      ["min", "avg", "max"].map { result.value("2026-03-01", "\($0)_heart_rate") } == ["55", "75", "150"])
    #expect(result.measurements.isEmpty)
  }

  @Test("a later sum of samples does not lower what the source had merged, nor an older export a newer one")
  func notLowered() {
    func day(_ value: String, merged: Bool) -> HealthDay {
      var export = Export()
      export.add(.steps, "A", "01 00:00", "02 00:00", value) { if merged { $0.flags = .merged } }
      return export.result.days[0]
    }
    #expect(
      day("900", merged: false).keeping(day("1000", merged: true), isOlder: false).value("steps")?.mantissa == 1000)
    #expect(day("900", merged: true).keeping(day("1000", merged: true), isOlder: false).value("steps")?.mantissa == 900)
    #expect(
      day("900", merged: false).keeping(day("1000", merged: false), isOlder: false).value("steps")?.mantissa == 900)
    #expect(
      day("900", merged: false).keeping(day("1000", merged: false), isOlder: true).value("steps")?.mantissa == 1000)
    #expect(
      day("1100", merged: false).keeping(day("1000", merged: true), isOlder: true).value("steps")?.mantissa == 1100)
  }

  @Test("what was entered by hand counts first, and is told by itself")
  func manual() {
    var export = Export()
    export.add(.steps, "Watch", "01 10:00", "01 11:00", "1000")
    export.add(.steps, "Health", "01 10:30", "01 11:00", "800") { $0.flags = .manual }
    let day = export.result.days[0]
    #expect(day.value("steps")?.description == "1300")
    #expect(day.manualSteps?.description == "800")
    #expect(day.deviceSteps?.description == "500")
  }

  @Test("bad clocks and values are refused and counted with the first place")
  func refused() {
    var export = Export { $0.exportedAt = Export.time("02 00:00") }
    export.add(.weight, "Scale", "1970-01-01 00:00:00", nil, "80")
    export.add(.weight, "Scale", "2226-01-01 00:00:00", nil, "80") { $0.place = 70 }
    export.add(.weight, "Scale", "04 00:00", nil, "80") { $0.place = 9 }
    export.add(.steps, "A", "01 11:00", "01 10:00", "80")
    export.add(.steps, "A", "01 11:00", "01 12:00", "-1")
    export.add(.steps, "A", "01 11:00", "01 12:00")
    export.add(.floors, "A", "01 11:00", "01 12:00", "17730")
    export.add(.sleep, "A", "01 11:00", "01 12:00")
    export.add(.steps, "A", "01 11:00", "01 12:00", "5") { $0.source = 77 }
    let result = export.result
    #expect(result.days.isEmpty)
    #expect(result.measurements.isEmpty)
    #expect(result.refusals(.tooOld) == 1)
    #expect(
      result.refused.first { $0.reason == .afterExport } == HealthRefusal(reason: .afterExport, count: 2, first: 9))
    #expect(result.refusals(.endBeforeStart) == 1)
    #expect(result.refusals(.value) == 2)
    #expect(result.refusals(.implausible) == 1)
    #expect(result.refusals(.word) == 1)
    #expect(result.refusals(.source) == 1)
  }

  @Test("14 hours stood and 2 idle are 14 and 2, whoever tells them")
  func standHours() {
    var export = Export()
    for hour in 6..<20 {
      for source in ["Watch", "App"] {
        export.add(.standHour, source, "01 \(hour):00", hour == 23 ? "02 00:00" : "01 \(hour + 1):00") {
          $0.text = "stood"
        }
      }
      export.add(.standHour, "App", "01 \(hour):00", "01 \(hour + 1):00") { $0.text = "idle" }
    }
    for hour in 20..<22 { export.add(.standHour, "Watch", "01 \(hour):00", "01 \(hour + 1):00") { $0.text = "idle" } }
    let result = export.result
    #expect(result.value("2026-03-01", "stand_hours_count") == "14")
    #expect(result.value("2026-03-01", "idle_hours_count") == "2")
  }

  @Test("mindful sessions of several programs are joined, and split at midnight")
  func mindful() {
    var export = Export()
    export.add(.mindful, "A", "01 10:00", "01 10:10")
    export.add(.mindful, "B", "01 10:05", "01 10:20")
    export.add(.mindful, "B", "01 23:50", "02 00:10")
    #expect(export.result.value("2026-03-01", "mindful_duration") == "1800")
    #expect(export.result.value("2026-03-02", "mindful_duration") == "600")
  }

  @Test("energy is the sum of both where both are there, and the export's total where it is not")
  func energies() {
    var export = Export(.healthConnect)
    export.add(.energyActive, "A", "01 10:00", "01 11:00", "200.5")
    export.add(.energyBasal, "A", "01 00:00", "02 00:00", "1600")
    export.add(.energyTotal, "A", "01 00:00", "02 00:00", "1900")
    export.add(.energyTotal, "A", "02 00:00", "03 00:00", "1950")
    export.add(.energyTotal, "B", "02 10:00", "02 11:00", "50")
    let result = export.result
    #expect(result.value("2026-03-01", "energy_burned") == "1800.5")
    // Total energy is added up plainly, as Health Connect does.
    #expect(result.value("2026-03-02", "energy_burned") == "2000")
  }

  @Test("a summed-up day has its values under its date, and activity summaries are only compared")
  func told() {
    var export = Export(.samsung)
    export.add(.seriesDay, "S", "2026-03-01 22:10:00") {
      $0.attributes = [
        HealthAttribute("date", "2026-03-02"), HealthAttribute("steps", Fraction(4000)),
        HealthAttribute("energy_active", Export.number("210.25")),
      ]
    }
    let result = export.result
    #expect(result.value("2026-03-02", "steps") == "4000")
    #expect(result.value("2026-03-02", "active_energy_burned") == "210.25")

    var apple = Export()
    apple.add(.energyActive, "Watch", "01 10:00", "01 11:00", "200")
    apple.add(.energyActive, "Watch", "02 10:00", "02 11:00", "200")
    for (day, value) in [("2026-03-01", 205), ("2026-03-02", 250)] {
      apple.add(.activitySummary, "Watch", "\(day) 00:00:00") {
        $0.attributes = [HealthAttribute("date", day), HealthAttribute("active_energy", Fraction(value))]
      }
    }
    #expect(apple.result.differences.map(\.day) == ["2026-03-02"])
    #expect(apple.result.value("2026-03-02", "active_energy_burned") == "200")
  }

  @Test("steps in parts of five minutes come to the day, without zeros and without records of a whole day")
  func intraday() throws {
    var export = Export(days: ("2026-03-01", "2026-03-02")) { $0.intradayDays = 7 }
    export.add(.steps, "Watch", "01 10:00", "01 10:10", "7")
    export.add(.steps, "iPhone", "01 10:05", "01 10:15", "100")
    export.add(.steps, "iPhone", "02 00:00", "03 00:00", "9000")
    let day = try #require(export.result.intraday.first)
    #expect(export.result.intraday.count == 1)
    #expect(day.points.map(\.value.description) == ["4", "3", "50"])
    #expect(day.points.map(\.time) == ["01 10:00", "01 10:05", "01 10:10"].map(Export.time))
  }
}
