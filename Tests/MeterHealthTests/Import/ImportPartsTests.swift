import MeterCore
import MeterDrivers
import Foundation
import TestSupport
import Testing

@testable import MeterHealth

@Suite("An export with more samples than are kept at a time")
struct ImportPartsTests {
  private static let quantity = "HKQuantityTypeIdentifier"

  /// Steps of two sources that overlap, of every hour of some days, with a night across each midnight and a weight a day.
  private static func export(days: Int) -> [UInt8] {
    var body = ""
    for day in 1...days {
      func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
      for hour in 0..<24 {
        let (start, end) = ("\(two(day)) \(two(hour)):00", "\(two(day)) \(two(hour)):50")
        body += AppleExport.record(quantity + "StepCount", "iPhone", start, end, "\(day * 10 + hour)", unit: "count")
        let late = "\(two(day)) \(two(hour)):30"
        body += AppleExport.record(quantity + "StepCount", "Watch", late, end, "\(hour)", unit: "count")
      }
      body += AppleExport.record(quantity + "BodyMass", "Scale", "\(two(day)) 07:00", nil, "81.\(day)", unit: "kg")
      body += AppleExport.record(
        "HKCategoryTypeIdentifierSleepAnalysis", "Watch", "\(two(day)) 22:30", "\(two(day + 1)) 05:30",
        "HKCategoryValueSleepAnalysisAsleepCore")
    }
    return AppleExport.file(body)
  }

  private func json(_ result: HealthResult) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return String(decoding: try encoder.encode(result), as: UTF8.self)
  }

  @Test("is read in parts, and comes to the same", arguments: [300, 150])
  func parts(_ most: Int) async throws {
    let stage = try ImportStage(.inProcess)
    let bytes = Self.export(days: 8)
    var options = try ImportStage.options()
    options.intradayDays = 7
    let whole = try await stage.read(HealthExport(bytes), options)
    options.mostSums = most
    let parts = try await stage.read(HealthExport(bytes), options)
    #expect(!whole.result.isPartial && !parts.result.isPartial)
    #expect(try json(parts.result) == json(whole.result))
    #expect(parts.result.days.count == 8 && parts.result.sleep.count == 8)
    #expect(parts.result.intraday == whole.result.intraday)
    let names = { (result: HealthResult) in
      result.drafts(of: .apple, driver: "d", version: "1").map { "\($0.name.logID) \($0.sourceKey)" }
    }
    #expect(names(parts.result).sorted() == names(whole.result).sorted())
  }

  @Test("a single day that has too many is partial") func oneDay() async throws {
    let stage = try ImportStage(.inProcess)
    var options = try ImportStage.options()
    options.mostSums = 20
    let found = try await stage.read(HealthExport(Self.export(days: 2)), options)
    #expect(found.result.isPartial && found.result.refused(.tooMany) > 0)
  }
}
