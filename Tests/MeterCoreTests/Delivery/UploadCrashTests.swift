import DeliverySupport
import Foundation
import MeterReceiver
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// A process that delivers to the real receiver is killed at each of the system calls by which it talks to it and changes
/// the disk.
@Suite("Delivery killed at every system call", .timeLimit(.minutes(60)))
struct UploadCrashTests {
  /// What changes files or makes changes last, and what goes over sockets. strace counts them for each thread.
  private static let calls =
    "pwrite64,write,fdatasync,fsync,ftruncate,unlink,connect,sendto,recvfrom,sendmsg,recvmsg,shutdown"
  private static let isNightly = ProcessInfo.processInfo.environment["METERHOST_NIGHTLY"] == "1"
  private static let units = isNightly ? 6 : 1
  /// More runs than all places need.
  private static let runs = 400
  /// How often the later half of the places is tried again.
  private static let repetitions = 4

  private struct Findings: Sendable {
    var problems: [String] = []
    /// How many readings were at the receiver when the probe died.
    var deaths: Set<Int> = []
    var kills = 0

    func isWhole(readings: Int) -> Bool { deaths.isSuperset(of: [0, readings]) }
  }

  @Test("nothing acknowledged is lost and nothing is doubled", arguments: isNightly ? [1, 4] : [2])
  func everyCall(concurrency: Int) async throws {
    let users = (1...Self.runs).map { "user-\($0)" }
    let found = try await RealReceiver.with(users: users) { receiver, port in
      try await onOwnThread { try killOneByOne(receiver, "http://127.0.0.1:\(port)", concurrency) }
    }
    #expect(found.problems == [])
    let readings = Self.units * 3
    #expect(found.isWhole(readings: readings), "it dies before and after the deliveries: \(found.deaths)")
    #expect(found.kills > 10, "\(found.kills)")
  }

  private func killOneByOne(_ receiver: Receiver, _ url: String, _ concurrency: Int) throws -> Findings {
    var findings = Findings()
    var place = 0
    var repetitions = 0
    for number in 1...Self.runs {
      place += 1
      let folder = try TemporaryFolder()
      let user = "user-\(number)"
      func probe(killedAt number: Int? = nil) throws -> KilledProbe {
        let arguments = ["\(Self.units)", "upload", url, user, RealReceiver.token(of: user), "\(concurrency)"]
        return try KilledProbe(folder, arguments, calls: Self.calls, killedAt: number)
      }
      // Filled here, so that the probe has little to do but to deliver.
      try fill(folder, user)
      let run = try probe(killedAt: place)
      if run.isKilled {
        findings.kills += 1
        findings.deaths.insert(try stored(receiver, user).count)
        if let problem = try lost(folder, receiver, user) {
          findings.problems.append("killed at call \(place): \(problem)")
        }
      }
      let next = run.isKilled ? try probe() : run
      if let problem = try incomplete(folder, receiver, user) {
        findings.problems.append("after call \(place): \(problem), \(next.lines)")
      }
      guard !run.isKilled else { continue }
      if findings.isWhole(readings: Self.units * 3) || repetitions == Self.repetitions { return findings }
      // Each thread counts for itself, and how threads share the calls differs from run to run: the last of them may have had
      // smaller numbers in this one.
      repetitions += 1
      place /= 2
    }
    findings.problems.append("there are more calls than \(Self.runs) runs reach")
    return findings
  }

  private func fill(_ folder: TemporaryFolder, _ user: String) throws {
    let store = try MeterStore(folder: folder.state)
    let session = try store.startSession(
      SessionUser(userID: user, organizationID: RealReceiver.organization),
      token: AccessToken(RealReceiver.token(of: user))
    ).session
    let records = (1...UInt64(Self.units * 3)).map { number in
      Record(
        logID: .stored(meter: Fixture.meter, identity: Array("probe \(number)".utf8)), identityClass: .stored,
        type: .diabetes, time: Fixture.glucose(number).time, deviceSequence: number,
        values: Fixture.glucose(number).values, source: Fixture.source)
    }
    let image = CommitImage(logID: records[0].logID, image: try Fixture.image(1))
    let unit = CommitUnit(
      generation: session.generation, meter: Fixture.meter, family: "probe",
      records: records.map { CommitRecord(record: $0, disposition: .pending) },
      writes: [StorageWrite(key: "user/cursor", value: [UInt8(Self.units)])], images: [image])
    _ = try store.commit([unit])
  }

  private func stored(_ receiver: Receiver, _ user: String) throws -> [String] {
    try receiver.store.measurements(organization: RealReceiver.organization, uid: user).map(\.logID)
  }

  private static func names(_ units: Int) -> [String] {
    (0..<units * 3).map { LogID.stored(meter: Fixture.meter, identity: Array("probe \($0 + 1)".utf8)).description }
  }

  /// What is neither at the receiver nor waits, of all that was acknowledged.
  private func lost(
    _ folder: TemporaryFolder, _ receiver: Receiver, _ user: String
  ) throws -> String? {
    let store = try MeterStore(folder: folder.state)
    let waiting = try store.queueSnapshot(states: [.pending]).map(\.logID.description)
    let there = try stored(receiver, user)
    guard Set(there).count == there.count else { return "doubled: \(there)" }
    let missing = Set(Self.names(Self.units)).subtracting(waiting).subtracting(there)
    return missing.isEmpty ? nil : "lost: \(missing)"
  }

  /// What is wrong when everything should be delivered.
  private func incomplete(_ folder: TemporaryFolder, _ receiver: Receiver, _ user: String) throws -> String? {
    let found = try receiver.store.measurements(organization: RealReceiver.organization, uid: user)
    guard found.map(\.logID).sorted() == Self.names(Self.units).sorted() else { return "stored \(found.map(\.logID))" }
    guard found.allSatisfy({ $0.revision == 1 }) else { return "revisions \(found.map(\.revision))" }
    let images = found.flatMap(\.media).count
    guard images == 1 else { return "\(images) images" }
    let store = try MeterStore(folder: folder.state)
    let left = try store.usage()
    return left.records == 0 && left.bytes == 0 ? nil : "left \(left)"
  }
}
