import DriverContract
import MeterCore
import TestSupport
import Testing

@testable import MeterHealth

@Suite("Values of one second that come in pieces")
struct SameSecondTests {
  private static let moment = "10 06:00"

  private static func piece(_ value: String, _ source: String) -> HealthPieces {
    var pieces = HealthPieces()
    pieces.sources = [HealthSource(source)]
    pieces.samples = [HealthSample(.weight, start: Export.time(moment), value: Export.number(value))]
    return pieces
  }

  private static func export(_ weights: [(source: String, value: String)]) -> Export {
    var export = Export()
    for weight in weights { export.add(.weight, weight.source, moment, nil, weight.value) }
    return export
  }

  private static func weights(_ stage: SubmissionStage) throws -> [String] {
    try stage.waiting(.weight).compactMap { $0["body_weight"] }.sorted()
  }

  @Test("what another source has measured in the same second is a reading of its own")
  func apart() async throws {
    let stage = try SubmissionStage()
    try await stage.submit(Self.export([("Scale", "82")]), written: "20 12:00")
    let first = try await stage.submit(Export(), pieces: Self.piece("79", "Phone"))
    #expect(first.new == [.weight: 1] && first.revised.isEmpty)
    #expect(try Self.weights(stage) == ["79", "82"])
    let again = try await stage.submit(Export(), pieces: Self.piece("79", "Phone"))
    #expect(again.processed.isEmpty && again.unchanged == 1)
    let third = try await stage.submit(Export(), pieces: Self.piece("85", "Watch"))
    #expect(third.new == [.weight: 1] && third.revised.isEmpty)
    #expect(try Self.weights(stage) == ["79", "82", "85"])
    #expect(try stage.revisions(.weight) == [1, 1, 1])
  }

  @Test("what a source tells again with another value is a correction, whoever else has measured")
  func correction() async throws {
    let stage = try SubmissionStage()
    try await stage.submit(Self.export([("Scale", "82")]), written: "20 12:00")
    try await stage.submit(Export(), pieces: Self.piece("79", "Phone"))
    let phone = try await stage.submit(Export(), pieces: Self.piece("78", "Phone"))
    #expect(phone.new.isEmpty && phone.revised == [.weight: 1])
    #expect(try Self.weights(stage) == ["78", "82"])
    let scale = try await stage.submit(Export(), pieces: Self.piece("77", "Scale"))
    #expect(scale.new.isEmpty && scale.revised == [.weight: 1])
    #expect(try Self.weights(stage) == ["77", "78"])
  }

  @Test(
    "a value within two parts in a hundred thousand is the known one, whichever source tells it",
    arguments: [("81.6477", 0), ("81.6488", 1)])
  func near(value: String, new: Int) async throws {
    let stage = try SubmissionStage()
    try await stage.submit(Self.export([("Scale", "81.6466")]), written: "20 12:00")
    let report = try await stage.submit(Export(), pieces: Self.piece(value, "Phone"))
    #expect(report.new[.weight] ?? 0 == new && report.revised.isEmpty && report.unchanged == 1 - new)
  }

  @Test("readings of two pieces stay two, in either order, and a whole export that has both brings none")
  func pieces() async throws {
    for values in [["82", "79"], ["79", "82"]] {
      let stage = try SubmissionStage()
      try await stage.submit(Export(), pieces: Self.piece(values[0], "Scale"))
      let second = try await stage.submit(Export(), pieces: Self.piece(values[1], "Phone"))
      #expect(second.new == [.weight: 1] && second.revised.isEmpty)
      #expect(try stage.revisions(.weight) == [1, 1])
      let whole = try await stage.submit(
        Self.export([("Scale", values[0]), ("Phone", values[1])]), written: "31 22:00", now: "31 23:00")
      #expect(whole.new.isEmpty && whole.vanished.isEmpty)
      #expect(try Self.weights(stage) == ["79", "82"])
    }
  }

  @Test("readings of other quantities in that second are no part of it")
  func otherQuantities() async throws {
    let stage = try SubmissionStage()
    var export = Export()
    export.add(.restingHeartRate, "Watch", Self.moment, nil, "51")
    try await stage.submit(export, written: "20 12:00")
    try await stage.submit(Export(), pieces: Self.piece("79", "Phone"))
    let report = try await stage.submit(
      Self.export([("Phone", "79")]), written: "31 22:00", now: "31 23:00")
    #expect(report.new.isEmpty && report.revised.isEmpty)
    #expect(try Self.weights(stage) == ["79"])
  }
}
