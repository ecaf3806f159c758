import DriverContract
import Foundation
import Testing

@testable import MeterHealth

@Suite("Report of an import")
struct ResultTests {
  @Test("is the JSON that the command prints")
  func json() throws {
    var export = Export(zone: "Europe/Berlin")
    export.add(.steps, "Watch", "01 10:00", "01 10:10", "1100")
    export.add(.distanceWalking, "Watch", "01 10:00", "01 10:10", "0.5004", unit: "km")
    export.add(.weight, "Scale", "01 10:00", nil, "80")
    export.add(.weight, "Scale", "1999-01-01 10:00:00", nil, "80") { $0.place = 42 }
    export.sleep(.core, "Watch", "01 22:00", "02 05:00")
    export.add(.workout, "Watch", "01 10:00", "01 10:30") { $0.text = "HKWorkoutActivityTypeSocialDance" }
    export.collector.count("HKQuantityTypeIdentifierStepCount", 2)
    export.collector.markPartial()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = String(decoding: try encoder.encode(export.result), as: UTF8.self)
    let expected = """
      {"days":[{"day":"2026-03-01","metric":"steps","unit":"{count}","value":1100},\
      {"day":"2026-03-01","metric":"distance","unit":"m","value":500.4}],"measurements":1,"partial":true,\
      "refused":[{"count":1,"first":42,"reason":"before_2000"}],"samples":{"HKQuantityTypeIdentifierStepCount":2},\
      "sleep":[{"awake_count":0,"awake_duration":0,"day":"2026-03-02","deep_sleep":0,"end":"2026-03-02T06:00:00+01:00",\
      "in_bed_duration":25200,"light_sleep":25200,"rem_sleep":0,"sleep_duration":25200,\
      "start":"2026-03-01T23:00:00+01:00"}],"workouts":[{"active_duration":1800,"activity":"Social Dance",\
      "category":"other","end":"2026-03-01T11:30:00+01:00","start":"2026-03-01T11:00:00+01:00"}]}
      """
    #expect(text == expected)
  }
}
