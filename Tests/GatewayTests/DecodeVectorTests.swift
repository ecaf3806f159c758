import GatewayEngine
import GatewayTools
import DriverContract
import Foundation
import MeterDrivers
import GatewayAPI
import TestSupport
import Testing

/// One vector of a plug-in's vectors.json.
struct Vector: Decodable, Sendable, CustomStringConvertible {
  struct Record: Decodable, Sendable {
    let kind: String
    let timestamp: String?
    let sequence: UInt64?
    let values: [Value]
  }

  struct Value: Decodable, Sendable {
    let metric: String
    let value: Double
    let unit: String
    let qualifier: String
  }

  let id: String
  let characteristic: String
  let hex: String
  let error: String?
  let records: [Record]?

  var description: String { id }

  static func load(_ plugin: String) -> [Vector] {
    let file = CompiledBundle.root.appending(path: "Plugins/\(plugin)/vectors.json")
    guard let data = try? Data(contentsOf: file), let all = try? JSONDecoder().decode([Vector].self, from: data) else {
      return []
    }
    // The others are numbers by themselves, which the drivers' own tests decode.
    return all.filter { $0.records != nil }
  }
}

/// A profile with its vectors.
struct Profile: Sendable, CustomStringConvertible {
  let peripheral: UInt32
  let vectors: [Vector]
  var description: String { "\(peripheral)" }

  static let all = [
    Profile(peripheral: 1000, vectors: Vector.load("Glucose")),
    Profile(peripheral: 4000, vectors: Vector.load("Thermometer")),
  ]

  func request(_ vector: Vector, bytes: Int? = nil) -> DecodeRequest {
    DecodeRequest(
      id: "\(vector.id)/\(bytes ?? -1)", peripheral: peripheral, characteristic: vector.characteristic,
      hex: bytes.map { String(vector.hex.prefix($0 * 2)) } ?? vector.hex)
  }

  var requests: [DecodeRequest] { vectors.map { request($0) } }
  var truncated: [(vector: Vector, request: DecodeRequest)] {
    vectors.flatMap { vector in (0..<vector.hex.count / 2).map { (vector, request(vector, bytes: $0)) } }
  }
}

/// Every vector through a worker and in this process: the differential test of rule R20's two ways to run a driver.
@Suite(.timeLimit(.minutes(60))) struct DecodeVectorTests {
  private func decode(
    _ requests: [DecodeRequest], _ isolation: DriverHostConfiguration.Isolation
  ) async throws -> [DecodeAnswer] {
    try await GatewayFixture.gateway(isolation).decoder.decode(requests)
  }

  @Test func theVectorsAreThere() {
    #expect(Profile.all.map(\.vectors.count) == [45, 20])
  }

  @Test(arguments: Profile.all, [DriverHostConfiguration.Isolation.worker, .inProcess])
  func everyVectorDecodesToWhatIsExpected(profile: Profile, isolation: DriverHostConfiguration.Isolation) async throws {
    let answers = try await decode(profile.requests, isolation)
    #expect(answers.map(\.id) == profile.requests.map(\.id))
    for (vector, answer) in zip(profile.vectors, answers) {
      #expect(answer.error?.code == vector.error, "\(vector)")
      let expected = try #require(vector.records)
      try #require(answer.records.count == expected.count, "\(vector)")
      for (record, expected) in zip(answer.records, expected) {
        #expect(record.kind == expected.kind, "\(vector)")
        #expect(record.timestamp == expected.timestamp, "\(vector)")
        #expect(record.sequence == expected.sequence, "\(vector)")
        #expect(record.values.map(\.metric) == expected.values.map(\.metric), "\(vector)")
        #expect(record.values.map(\.value) == expected.values.map(\.value), "\(vector)")
        #expect(record.values.map(\.unit) == expected.values.map(\.unit), "\(vector)")
        #expect(record.values.map { $0.qualifier ?? "exact" } == expected.values.map(\.qualifier), "\(vector)")
      }
    }
  }

  @Test(arguments: Profile.all)
  func negativeVectorsYieldNothingAndSayWhy(profile: Profile) async throws {
    let negative = profile.vectors.filter { $0.error != nil }
    #expect(negative.count >= 4)
    for answer in try await decode(negative.map { profile.request($0) }, .worker) {
      #expect(answer.records.isEmpty)
      let error = try #require(answer.error)
      #expect(!error.code.isEmpty && error.message.count > 20)
    }
  }

  @Test(arguments: Profile.all)
  func workerAndProcessGiveEqualAnswers(profile: Profile) async throws {
    let requests = profile.requests + profile.truncated.map(\.request)
    let worker = try await decode(requests, .worker)
    let process = try await decode(requests, .inProcess)
    #expect(worker == process)
    #expect(worker.count == requests.count)
  }

  @Test(arguments: Profile.all)
  func aTruncatedVectorHasNoValueThatTheFullOneLacks(profile: Profile) async throws {
    let full = Dictionary(
      uniqueKeysWithValues: zip(profile.vectors.map(\.id), try await decode(profile.requests, .worker)))
    let cut = profile.truncated
    for ((vector, request), answer) in zip(cut, try await decode(cut.map(\.request), .worker)) {
      let whole = try #require(full[vector.id])
      for record in answer.records {
        let same = whole.records.contains { wholeRecord in
          wholeRecord.kind == record.kind && wholeRecord.sequence == record.sequence
            && (record.timestamp == nil || record.timestamp == wholeRecord.timestamp)
            && record.values.allSatisfy { wholeRecord.values.contains($0) || isCountOfAnotherWidth($0, record) }
        }
        #expect(same, "\(request.id) brings \(record), the whole has \(whole.records)")
      }
      #expect(!answer.records.isEmpty || answer.error != nil, "\(request.id) has neither a record nor a reason")
    }
  }

  /// Meters send counts of one, two and four bytes (the vectors have all three), so that a shorter count is another count.
  /// It is a diagnostic of the protocol and never a reading.
  private func isCountOfAnotherWidth(_ value: DecodeAnswer.Value, _ record: DecodeAnswer.Record) -> Bool {
    value.metric == "racp_record_count" && record.kind == "diagnostic"
  }

  @Test(arguments: Profile.all)
  func randomBytesNeitherCrashNorDiffer(profile: Profile) async throws {
    var generator = SeededGenerator(seed: UInt64(profile.peripheral))
    let characteristics = Array(Set(profile.vectors.map(\.characteristic))).sorted() + ["FFFF", "2A18"]
    let requests = (0..<3000).map { number in
      let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      return DecodeRequest(
        id: "\(number)", peripheral: profile.peripheral,
        characteristic: characteristics[number % characteristics.count],
        hex: bytes.map { String(format: "%02x", $0) }.joined())
    }
    let worker = try await decode(requests, .worker)
    #expect(worker == (try await decode(requests, .inProcess)))
    #expect(!worker.contains { $0.error?.code == "driver_fault" })
    #expect(worker.allSatisfy { $0.error != nil || !$0.records.isEmpty })
  }
}
