import Foundation
import MeterCore
import Testing

@testable import GatewayAPI
@testable import GatewayEngine

/// What a person corrects of a reading.
@Suite struct WrittenValueTests {
  private func meal() throws -> Record {
    let time = RecordTime.utc(1_772_352_000_000_000, zone: .gmt, source: .user)
    let source = RecordSource(
      peripheralID: 0, manufacturer: nil, model: nil, deviceID: "", driverID: "manual", driverVersion: "1")
    var draft = RecordDraft(type: .nutrition, time: time, source: source)
    draft.values = [.init("carbohydrate_consumed", "60", "g")]
    return try draft.record()
  }

  @Test("names a metric as the dictionary or as Inform does", arguments: ["carbohydrate_consumed", "carbohydrate"])
  func names(metric: String) throws {
    let change = try #require(WrittenValue("\(metric)=55.5 g")).change(of: try meal())
    #expect(change.metric == 0x7401 && change.1.number.description == "55.5")
  }

  @Test("names what the reading has")
  func unknown() throws {
    let record = try meal()
    let value = try #require(WrittenValue("protein=5 g"))
    let error = #expect(throws: GatewayError.self) { _ = try value.change(of: record) }
    #expect(error?.code == "unknown_metric")
  }
}
