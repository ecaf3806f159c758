import Foundation
import MeterCore

// Commits readings to a state folder and says so after each: a program for tests that kill it.
//
// Usage: store-probe FOLDER UNITS alone|shared|repair
// `alone` commits on the thread that opens the folder, `shared` as submitters do who share transactions.
// `repair` repairs the folder before.
// Unit N holds readings 3N-2 to 3N and the cursor N. A line `acknowledged N` stands for what must never be lost.

let meter = MeterIdentity(serial: "GM-0042", model: "Acme Gluco", systemID: nil, address: "C0:FF:EE:00:00:01")
let source = RecordSource(
  peripheralID: 1000, manufacturer: "Acme", model: "Gluco", deviceID: "GM-0042", driverID: "org.example.probe",
  driverVersion: "1.0.0")

func reading(_ sequence: Int) -> CommitRecord {
  let moment = 1_772_352_000_000_000 + Int64(sequence) * 60_000_000
  let time = RecordTime(
    startMicroseconds: moment, endMicroseconds: moment, civilMicroseconds: nil, utcOffsetSeconds: nil, zoneSource: nil,
    kind: .utc)
  let value = RecordValue(metric: 1, unit: 2, number: ReportedNumber(mantissa: Int64(80 + sequence % 100), exponent: 0))
  let record = Record(
    logID: .stored(meter: meter, identity: Array("probe \(sequence)".utf8)), identityClass: .stored, type: .diabetes,
    time: time, deviceSequence: UInt64(sequence), values: [value], source: source)
  return CommitRecord(record: record, disposition: .pending)
}

func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

guard CommandLine.arguments.count == 4, let units = UInt8(CommandLine.arguments[2]) else {
  say("usage: store-probe FOLDER UNITS alone|shared|repair")
  exit(64)
}
do {
  if CommandLine.arguments[3] == "repair" {
    let repair = try MeterStore.repair(folder: URL(filePath: CommandLine.arguments[1]))
    say("repaired, lost \(repair.lost.count)")
  }
  let store = try MeterStore(folder: URL(filePath: CommandLine.arguments[1]))
  var session = try store.currentSession()
  if session.user == nil {
    let user = SessionUser(userID: "ada", organizationID: "clinic")
    session = try store.startSession(user, token: AccessToken("sesame-opens-0815")).session
  }
  say("opened")
  let keys = try store.storage(generation: session.generation, family: "probe", meter: meter)
  var done = keys["user/cursor"]?.first ?? 0
  while done < units {
    done += 1
    let sequences = (Int(done) * 3 - 2)...(Int(done) * 3)
    let unit = CommitUnit(
      generation: session.generation, meter: meter, family: "probe", records: sequences.map(reading),
      writes: [StorageWrite(key: "user/cursor", value: [done])])
    let isShared = CommandLine.arguments[3] == "shared"
    let receipts = isShared ? try await store.submit([unit]) : try store.commit([unit])
    guard receipts[0].new.count == 3 else {
      say("unit \(done) was not new")
      exit(1)
    }
    say("acknowledged \(done)")
  }
} catch {
  say("\(error)")
  exit(1)
}
