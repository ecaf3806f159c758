import Foundation
import MeterCore

// Commits readings to a state folder and says so after each, or delivers them: a program for tests that kill it.
//
// Usage: store-probe FOLDER UNITS alone|shared|repair
//        store-probe FOLDER UNITS upload URL USER TOKEN CONCURRENCY
// `alone` commits on the thread that opens the folder, `shared` as submitters do who share transactions.
// `repair` repairs the folder before.
// A line `found N P` says how many units and how many readings were there before.
// Unit N holds readings 3N-2 to 3N and the cursor N. A line `acknowledged N` stands for what must never be lost.
// `upload` commits the units that are not there yet, the first with an image, and delivers; a line `delivered N` says how many
// readings went out.

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

let arguments = CommandLine.arguments
let mode = arguments.count > 3 ? arguments[3] : ""
guard arguments.count == (mode == "upload" ? 8 : 4), let units = UInt8(arguments[2]) else {
  say("usage: store-probe FOLDER UNITS alone|shared|repair, or FOLDER UNITS upload URL USER TOKEN CONCURRENCY")
  exit(64)
}
do {
  if mode == "repair" { say("repaired, lost \(try MeterStore.repair(folder: URL(filePath: arguments[1])).lost.count)") }
  let store = try MeterStore(folder: URL(filePath: arguments[1]))
  var session = try store.currentSession()
  if session.user == nil {
    let user = SessionUser(userID: mode == "upload" ? arguments[5] : "ada", organizationID: "clinic")
    let token = AccessToken(mode == "upload" ? arguments[6] : "sesame-opens-0815")
    session = try store.startSession(user, token: token).session
  }
  say("opened")
  let keys = try store.storage(generation: session.generation, family: "probe", meter: meter)
  var done = keys["user/cursor"]?.first ?? 0
  say("found \(done) \(try store.queueSnapshot().count)")
  while done < units {
    done += 1
    let records = ((Int(done) * 3 - 2)...(Int(done) * 3)).map(reading)
    var images: [CommitImage] = []
    if mode == "upload", done == 1 {
      images = [CommitImage(logID: records[0].record.logID, image: try RecordImage([0xFF, 0xD8, 0xFF, 0xE0, 1]))]
    }
    let unit = CommitUnit(
      generation: session.generation, meter: meter, family: "probe", records: records,
      writes: [StorageWrite(key: "user/cursor", value: [done])], images: images)
    let receipts = mode == "shared" ? try await store.submit([unit]) : try store.commit([unit])
    guard receipts[0].new.count == 3 else {
      say("unit \(done) was not new")
      exit(1)
    }
    say("acknowledged \(done)")
  }
  if mode == "upload" {
    var settings = UploadSettings()
    settings.concurrency = Int(arguments[7]) ?? 1
    let uploader = Uploader(
      store: store, endpoint: try ReceiverEndpoint(arguments[4]), transport: CurlTransport(), settings: settings)
    let report = await uploader.drain()
    say("delivered \(report.delivered)")
    guard report.waiting == 0, report.waitingImages == 0 else {
      say("\(report)")
      exit(1)
    }
  }
} catch {
  say("\(error)")
  exit(1)
}
