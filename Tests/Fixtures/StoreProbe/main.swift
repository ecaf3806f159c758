import Foundation
import MeterCore
import CurlHTTP
import InformSink

// Commits readings to a state folder and says so after each, or delivers them: a program for tests that kill it.
//
// Usage: store-probe FOLDER UNITS alone|again|cut|shared|repair|end|look
//        store-probe FOLDER UNITS upload|stream URL USER TOKEN CONCURRENCY
// `alone` commits on the thread that opens the folder, `shared` as submitters do who share transactions, with one among them
// who is refused (UNITS each). `repair` repairs the folder before. `end` ends the session after each other unit and takes its
// recovery file back; the first unit has an image. `look` says what a command that changes nothing sees. `again` commits a unit
// that has failed a second time, and says how much of it was `known`. `cut` cuts its own journal behind the last unit, says what
// becomes of one more, and closes the folder.
// A line `found N P` says how many units and how many readings were there before.
// Unit N holds readings 3N-2 to 3N and the cursor N. A line `acknowledged N` stands for what must never be lost.
// `upload` commits the units that are not there yet, the first with an image, and delivers; a line `delivered N` says how many
// readings went out. `stream` delivers after each unit, as a gateway does between two readings.

let arguments = CommandLine.arguments
let mode = arguments.count > 3 ? arguments[3] : ""
let delivers = ["upload", "stream"].contains(mode)
guard arguments.count == (delivers ? 8 : 4), let units = UInt8(arguments[2]) else {
  say("usage: store-probe FOLDER UNITS alone|again|cut|shared|repair|end|look")
  say("       store-probe FOLDER UNITS upload|stream URL USER TOKEN CONCURRENCY")
  exit(64)
}
let folder = URL(filePath: arguments[1])
let user = SessionUser(userID: delivers ? arguments[5] : "ada", organizationID: "clinic")
let token = AccessToken(delivers ? arguments[6] : "sesame-opens-0815")
do {
  if mode == "look" {
    let store = try MeterStore.look(at: folder)
    say("\(store.isReadOnly ? "looks" : "owns") \(try store.queueSnapshot().count)")
    try store.setPaused(true)
    exit(0)
  }
  if mode == "repair" { say("repaired, lost \(try MeterStore.repair(folder: folder).lost.count)") }
  let store = try MeterStore(folder: folder)
  var session = try store.currentSession()
  if session.user == nil { session = try store.startSession(user, token: token).session }
  if mode == "end" { try takeBack(store) }
  say("opened")
  if mode == "shared" {
    try await Submitters(store, session.generation).commit(upTo: units)
    exit(0)
  }
  // An ended session takes its cursors with it.
  let pending = try store.queueSnapshot().count
  var done = mode == "end" ? UInt8(pending / 3) : try cursor(store, session.generation)
  say("found \(done) \(pending)")
  let uploader = delivers ? try makeUploader(store) : nil
  while done < units {
    done += 1
    let unit = try unit(done, session.generation, hasImage: done == 1 && (delivers || mode == "end"))
    guard try commit(unit, store) == 3 else { throw Problem(description: "unit \(done) was not new") }
    say("acknowledged \(done)")
    if mode == "stream", let uploader { say("delivered \(await uploader.drain().delivered)") }
    if mode == "end", done.isMultiple(of: 2) {
      try store.writeRecording([done], name: "unit-\(done)", generation: session.generation)
      guard try store.endSession() != nil else { throw Problem(description: "there was no session to end") }
      session = try store.startSession(user, token: token).session
      try takeBack(store)
    }
  }
  if mode == "cut" {
    let journal = folder.appending(path: "state.sqlite-wal").path
    let size = try FileManager.default.attributesOfItem(atPath: journal)[.size] as? Int ?? 0
    guard truncate(journal, size - 5_000) == 0 else { throw Problem(description: "the journal cannot be cut") }
    let more = try unit(done + 1, session.generation)
    do throws(StoreError) {
      _ = try store.commit([more])
      say("acknowledged \(done + 1)")
    } catch {
      say("\(error)")
    }
  }
  if let uploader {
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

/// Commits a unit; in the mode `again` a second time where the first has failed.
///
/// - Returns: How many readings it has brought.
func commit(_ unit: CommitUnit, _ store: MeterStore) throws -> Int {
  do throws(StoreError) {
    return try store.commit([unit])[0].new.count
  } catch {
    guard mode == "again" else { throw error }
    say("\(error)")
  }
  // What changes nothing is no commit of its own: it has to count the one before.
  let again = CommitUnit(
    generation: unit.generation, meter: unit.meter, family: unit.family, records: unit.records, images: unit.images)
  let new = try store.commit([again])[0].new.count
  say("known \(3 - new)")
  return 3
}

func makeUploader(_ store: MeterStore) throws -> DeliveryEngine {
  var settings = DeliverySettings()
  settings.concurrency = Int(arguments[7]) ?? 1
  return DeliveryEngine(
    store: store, endpoint: try ReceiverEndpoint(arguments[4]), transport: CurlTransport(), settings: settings)
}

/// Takes back what ended sessions have left, in whatever state a crash has left it.
func takeBack(_ store: MeterStore) throws {
  let recovery = folder.appending(path: "recovery")
  guard let names = try? FileManager.default.contentsOfDirectory(atPath: recovery.path) else { return }
  for name in names.sorted() where name.hasSuffix(".jsonl") {
    _ = try store.recover(recovery.appending(path: name))
  }
}
