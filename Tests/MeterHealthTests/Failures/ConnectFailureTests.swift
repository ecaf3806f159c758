import DriverContract
import Foundation
import Testing

@testable import MeterHealth

/// Exports of Health Connect that came to double, to half, or to nothing of the kind.
@Suite("Health Connect's exports that were wrong elsewhere", .timeLimit(.minutes(60))) struct ConnectFailureTests {
  private static let day = "2026-03-01"

  private static func read(_ database: ConnectDatabase, now: String = "2026-04-01") async throws -> HealthResult {
    let export = try HealthExport(try database.bytes())
    return try await ImportStage.shared.get().read(export, ImportStage.options("Europe/Berlin", now: now)).result
  }

  @Test("a day that one record holds is whole, also when the day is not over") func wholeDay() async throws {
    var database = ConnectDatabase(apps: ["com.sec.android.app.shealth"])
    database.add("steps_record_table", "2026-02-28 23:00:00", "01 22:59:59", ["count": "9878"])
    // It is noon in UTC.
    let result = try await Self.read(database, now: Self.day)
    #expect(result.value("steps", on: Self.day) == "9878" && result.refusedCount == 0)
  }

  @Test(
    "steps of two apps at one time are those of the app that the owner put first",
    arguments: [("1,2", "1000"), ("2,1", "1100")])
  func twoApps(order: String, steps: String) async throws {
    var database = ConnectDatabase(apps: ["com.fit", "com.watch"], order: order)
    database.add("steps_record_table", app: 1, "01 10:00", "01 10:10", ["count": "1000"])
    database.add("steps_record_table", app: 2, "01 10:00", "01 10:10", ["count": "1100"])
    #expect(try await Self.read(database).value("steps", on: Self.day) == steps)
  }

  @Test("without an order the record that was changed last counts, and none is added to it") func noOrder() async throws
  {
    var database = ConnectDatabase(apps: ["com.fit", "com.watch"])
    database.add("steps_record_table", app: 1, "01 10:00", "01 10:10", changed: 60_000, ["count": "1000"])
    database.add("steps_record_table", app: 2, "01 10:00", "01 10:10", ["count": "1100"])
    database.add("steps_record_table", app: 2, "01 12:00", "01 12:10", ["count": "50"])
    #expect(try await Self.read(database).value("steps", on: Self.day) == "1050")
  }

  @Test("where the owner has put one app into the order, the others do not count, however late they were changed")
  func outsideOrder() async throws {
    var database = ConnectDatabase(apps: ["com.watch", "com.fit", "com.other"], order: "1")
    for app in 1...3 {
      database.add(
        "steps_record_table", app: app, "01 10:00", "01 10:10", changed: Int64(app) * 60_000, ["count": "\(700 + app)"])
    }
    // A moment, and a time at which the app in the order has nothing.
    database.add("steps_record_table", app: 2, "01 10:05", "01 10:05", ["count": "40"])
    database.add("steps_record_table", app: 3, "01 12:00", "01 12:10", ["count": "50"])
    #expect(try await Self.read(database).value("steps", on: Self.day) == "701")
  }

  @Test("the platform's number for nothing is nothing, and no 5e-324 grams") func absent() async throws {
    var database = ConnectDatabase(apps: ["com.food"])
    database.add(
      "nutrition_record_table", "01 12:00", "01 12:10",
      ["energy": "512500.0", "protein": "20.5", "sodium": "4.9406564584124654e-324", "meal_name": "'Soup'"])
    database.add("floors_climbed_record_table", "01 12:00", "01 12:10", ["floors": "4.9406564584124654e-324"])
    database.add("steps_record_table", "01 12:00", "01 12:10", ["count": "-1"])
    let result = try await Self.read(database)
    #expect(result.nutrition.count == 1 && result.nutrition[0].metrics["energy_consumed"] == "512.5")
    #expect(result.nutrition[0].metrics["protein"] == "20.5" && result.nutrition[0].metrics["sodium"] == "-")
    #expect(result.days.isEmpty)
  }

  @Test(
    "the number of an exercise is the platform's, and not that of the library for apps",
    arguments: [
      ("33", "Running"), ("56", "Wheelchair"), ("4", "Biking"), ("48", "Swimming Open Water"), ("58", "Other"),
    ])
  func exercises(number: String, name: String) async throws {
    var database = ConnectDatabase(apps: ["com.fit"])
    database.add(
      "exercise_session_record_table", "01 12:00", "01 12:30",
      ["exercise_type": number, "title": "NULL", "notes": "NULL"])
    #expect(try await Self.read(database).workouts.map(\.name) == [name])
  }

  @Test("energy is in small calories, and mass in grams") func units() async throws {
    var database = ConnectDatabase(apps: ["com.fit"])
    database.add("active_calories_burned_record_table", "01 10:00", "01 11:00", ["energy": "123456.7"])
    database.add("distance_record_table", "01 10:00", "01 11:00", ["distance": "812.5"])
    let result = try await Self.read(database)
    #expect(result.value("active_energy_burned", on: Self.day) == "123.457")
    #expect(result.value("distance", on: Self.day) == "812.5")
  }

  @Test("steps of an app whose records touch by a thousandth of a second are all of its steps") func touching() {
    // As phones write a day: newest first, each record reaching a moment into the next one.
    var export = Export(.healthConnect)
    var (total, start) = (0, Export.time("01 06:00"))
    var records: [(start: Int64, end: Int64, steps: Int)] = []
    for index in 0..<80 {
      let (length, steps) = (Int64(2_574 + index * index % 97 * 5_147) * 1_000, 4 + index * 37 % 211)
      records.append((start, start + length, steps))
      start += length + (index % 3 == 0 ? 90_000_000 : -1_000)
      total += steps
    }
    for record in records.reversed() {
      export.add(.steps, "com.android.healthconnect.phone.steps", "01 00:00", nil, "\(record.steps)") {
        ($0.start, $0.end, $0.modified) = (record.start, record.end, 1)
      }
    }
    let steps = Int(export.result.value("2026-03-01", "steps")) ?? 0
    // A shared moment counts once.
    #expect(abs(steps - total) <= 1)
  }
}
