// Publishes readings of a made-up meter to a broker, as a gateway that runs does; for scripts/ha-test.
//
// Usage: mqtt-sink-probe SETTING
//   SETTING  the sink's setting as JSON
// Lines on standard input: "deliver" (readings of every class of Home Assistant's, then their replies), "correct" (a later revision),
// "forget" (the gateway knows the meter no more). The end of the input is the gateway's.
import Foundation
import HostPrimitives
import MQTTSink
import MeterCore
import Synchronization

let user = SessionUser(userID: "ada", organizationID: "clinic")
let source = RecordSource(
  peripheralID: 1_000, manufacturer: "Acme", model: "Station", deviceID: "ST-0042", driverID: "station",
  driverVersion: "1.0.0")
let morning: Int64 = 1_772_352_000_000_000

func record(_ type: RecordType, _ minute: Int64, _ values: [(String, String, String)]) -> Record {
  let time = RecordTime(
    startMicroseconds: morning + minute * 60_000_000, endMicroseconds: morning + minute * 60_000_000,
    civilMicroseconds: nil, utcOffsetSeconds: 3_600, zoneSource: .gateway, kind: .utc)
  let meter = MeterIdentity(serial: "ST-0042", model: "Station", systemID: nil, address: "C0:FF:EE:00:00:02")
  return Record(
    logID: .stored(meter: meter, identity: Array("\(type) \(minute)".utf8)), identityClass: .stored, type: type,
    time: time,
    values: values.compactMap { name, number, ucum in
      guard let metric = Metric.dictionary.first(where: { $0.name == name }), let unit = MetricUnit.withUCUM(ucum),
        let number = ReportedNumber(decimal: number)
      else { return nil }
      return RecordValue(metric: metric.code, unit: unit.code, number: number)
    }, source: source)
}

let readings = [
  record(.diabetes, 0, [("blood_glucose", "111", "mg/dL"), ("battery_level", "88", "%")]),
  record(.biometrics, 1, [("systolic", "124", "mm[Hg]"), ("diastolic", "81", "mm[Hg]"), ("pulse", "67", "/min")]),
  record(.biometrics, 2, [("spo2", "97", "%")]), record(.biometrics, 3, [("body_temperature", "36.6", "Cel")]),
  record(.weight, 4, [("body_weight", "81.4", "kg"), ("bmi", "24.9", "kg/m2"), ("body_fat", "21.5", "%")]),
  record(.diabetes, 5, [("blood_ketone", "0.4", "mmol/L")]),
]

/// What the gateway tells of itself.
final class Told: Sendable {
  let status = Mutex(SinkStatus(pending: 3, meters: ["ST-0042"]))
}

guard CommandLine.arguments.count == 2 else { exit(64) }
let setting = try JSONDecoder().decode(MQTTSinkSetting.self, from: Data(CommandLine.arguments[1].utf8))
let sink = try MQTTSink(setting.checked(stateFolder: "/state"))
let credential = SinkCredential(user: user, token: nil)
let told = Told()
let (changes, change) = AsyncStream.makeStream(of: Void.self)
// Not of the main actor, which waits for lines.
let serving = Task.detached {
  await sink.serve(
    SinkSurroundings(
      changes: changes, credential: { credential }, status: { [told] in told.status.withLock { $0 } }))
}
change.yield()
while let line = readLine() {
  switch line {
  case "deliver", "correct":
    var records = readings
    if line == "correct" {
      records = [record(.diabetes, 0, [("blood_glucose", "112", "mg/dL")])]
      records[0].revision = 2
    }
    for reply in await sink.deliver(records, with: credential) { print(reply.outcome, reply.text) }
    print("done")
    fflush(nil)
  case "forget":
    told.status.withLock { $0.meters = [] }
    change.yield()
  default: exit(64)
  }
}
serving.cancel()
await serving.value
