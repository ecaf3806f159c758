import TestSupport
@testable import MeterReceiver

/// The Legacy calls of the standard user.
enum LegacySamples {
  static let organization = "/v1/organizations/\(RunningReceiver.organization)"
  static let user = "\(organization)/users/\(RunningReceiver.uid)"

  /// One valid record of each type.
  static func record(_ type: LegacyType, activity: String = "a-1") -> JSONObject {
    var record: JSONObject = [
      "activity_id": .string(activity), "timestamp": .string("2018-09-20T07:05:00+02:00"),
      "utc_offset": .string("+02:00"), "source": .string("meterhost"), "source_name": .string("MeterHost"),
      "validated": .bool(false), "extras": .object(["sequence": .integer(30)]),
    ]
    for (index, name) in type.measures.keys.sorted().enumerated() where index % 2 == 0 {
      record[name] = .number(type.measures[name]?.lowerBound ?? 0)
    }
    for name in type.texts { record[name] = .string("before") }
    return record
  }

  static func body(_ type: LegacyType, _ record: JSONObject, token: String = RunningReceiver.token) -> String {
    JSONValue.object(["access_token": .string(token), type.rawValue: .object(record)]).text
  }
}

extension RunningReceiver {
  func legacy(_ method: String, _ path: String, _ body: String) async throws -> HTTPReply {
    try await send(method, path, headers: [("Content-Type", "application/json")], body: Array(body.utf8))
  }

  /// All records of the standard user, of every type and wire format.
  func allStored() throws -> [StoredRecord] {
    try store.records(organization: Self.organization, uid: Self.uid)
  }
}
