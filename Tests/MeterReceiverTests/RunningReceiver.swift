import Foundation
import Logging
import ReceiverSupport
import TestSupport

@testable import MeterReceiver

/// A receiver that serves on a real socket and stores in a real file while a test's body runs.
struct RunningReceiver: Sendable {
  static let organization = "clinic"
  static let organizationToken = "organization-token-0123456789"
  static let uid = "patient-1"
  static let token = "patient-token-0123456789abcdef"

  let receiver: Receiver
  let port: Int

  var store: ReceiverStore { receiver.store }

  func stored() throws -> [StoredMeasurement] {
    try store.measurements(organization: Self.organization, uid: Self.uid)
  }

  /// Posts a body to the measurements address as the standard user.
  func post(
    _ body: String, to type: String = "measurements", token: String? = Self.token,
    contentType: String? = "application/json"
  ) async throws -> HTTPReply {
    try await post(Array(body.utf8), to: type, token: token, contentType: contentType)
  }

  func post(
    _ body: [UInt8], to type: String = "measurements", token: String? = Self.token,
    contentType: String? = "application/json"
  ) async throws -> HTTPReply {
    var headers: [(String, String)] = []
    if let token { headers.append(("Authorization", "Bearer \(token)")) }
    if let contentType { headers.append(("Content-Type", contentType)) }
    return try await send("POST", "/connect/provider/data/\(type)", headers: headers, body: body)
  }

  func get(_ path: String, token: String? = nil) async throws -> HTTPReply {
    try await send("GET", path, headers: token.map { [("Authorization", "Bearer \($0)")] } ?? [])
  }

  func send(
    _ method: String, _ path: String, headers: [(String, String)] = [], body: [UInt8] = []
  ) async throws -> HTTPReply {
    try await RawHTTP.send(port: port, method: method, path: path, headers: headers, body: body)
  }
}

/// A folder of its own for one test, removed with everything in it.
func withTemporaryFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
  let path = NSTemporaryDirectory() + "receiver-\(UUID().uuidString)"
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: path) }
  return try await body(path)
}

/// Runs a receiver with one organisation and one user for the duration of `body`, then stops it by cancellation.
func withReceiver<Value: Sendable>(
  database: String? = nil, faults: ReceiverFaults = ReceiverFaults(), logger: Logger? = nil,
  configure: (inout ReceiverConfiguration) -> Void = { _ in },
  _ body: (RunningReceiver) async throws -> Value
) async throws -> Value {
  try await withTemporaryFolder { folder in
    let place = if let database { database } else { try await Storage.current.place(in: folder) }
    var configuration = ReceiverConfiguration(database: place)
    configuration.accounts = [
      .init(
        organization: RunningReceiver.organization, organizationToken: RunningReceiver.organizationToken,
        uid: RunningReceiver.uid, token: RunningReceiver.token)
    ]
    configure(&configuration)
    let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let receiver = try Receiver(configuration: configuration, faults: faults, logger: logger ?? silent)
    let value = try await receiver.running { port in try await body(RunningReceiver(receiver: receiver, port: port)) }
    try receiver.store.close()
    return value
  }
}

/// Builds a valid Inform v2 measurement and lets a test spoil it.
func measurement(
  logID: String = "0189d8a1-5b0c-8f00-8000-000000000001", value: Double = 111,
  _ change: (inout JSONObject) -> Void = { _ in }
) -> String {
  JSONValue.object(measurementObject(logID: logID, value: value, change)).text
}

func measurementObject(
  logID: String = "0189d8a1-5b0c-8f00-8000-000000000001", value: Double = 111,
  _ change: (inout JSONObject) -> Void = { _ in }
) -> JSONObject {
  var record: JSONObject = [
    "log_id": .string(logID),
    "type": .string("measurement"),
    "start_time": .string("2018-09-20T05:27:07Z"),
    "end_time": .string("2018-09-20T05:27:07Z"),
    "utc_offset": .integer(-25200),
    "offset_origin": .string("source"),
    "metrics": .array([
      .object([
        "type": .string("blood_glucose"), "origin": .string("device"), "unit": .string("mg/dL"),
        "value": .number(value),
      ])
    ]),
    "tags": .array([.object(["name": .string("sequence"), "value": .string("30")])]),
    "user_notes": .array([]),
    "source": .object([
      "type": .string("meterhost"),
      "device": .object([
        "id": .string("1000"), "model": .string("Contour Next One"), "manufacturer": .string("Ascensia"),
      ]),
    ]),
    "version": .string("1.0"),
  ]
  change(&record)
  return record
}

/// A log_id that is different for each number.
func logID(_ number: Int) -> String {
  let digits = String(number, radix: 16)
  return "0189d8a1-5b0c-8f00-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
}
