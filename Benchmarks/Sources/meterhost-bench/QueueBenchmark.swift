import Foundation
import Glibc
import MeterCore
import Synchronization

/// Durable submits: how many a second and how long each, at 1, 16 and 256 submitters, beside others of equal durability on
/// the same disk. Everything takes turns, so that a busy machine is busy for all.
struct QueueBenchmark {
  static let levels = [1, 16, 256]

  /// How long a turn lasts.
  struct Length: Sendable {
    /// How long the submitters go on; each submits once at least.
    let seconds: Double
    /// What comes before: files that are made and grow once, and are written over from then on.
    let warmUp: Double

    init(isSmoke: Bool) { (seconds, warmUp) = isSmoke ? (0.05, 0) : (1, 0.5) }
  }

  private let options: Options
  private let rounds: Int
  private let length: Length

  init(_ options: Options) {
    self.options = options
    rounds = options.count(3, smoke: 1)
    length = Length(isSmoke: options.isSmoke)
  }

  /// What one turn has taken.
  struct Turn {
    var nanoseconds: [Double]
    var elapsed: Double

    var rate: Double { Double(nanoseconds.count) / elapsed }
  }

  func run(_ report: inout Report) async throws {
    let folder = URL(fileURLWithPath: options.queueFolder).appending(path: "meterhost-queue-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var peers: [any QueuePeer] = [StorePeer(), AppendPeer()]
    if let python = options.python { peers.append(PersistQueuePeer(python: python, script: options.queueScript)) }
    for server in options.isSmoke ? [] : [QueueServer.redis, .beanstalkd] {
      guard let program = server.program else {
        report.notes.append("\(server.name) is not installed and was left out: apt-get install \(server.package)")
        continue
      }
      peers.append(try ServerPeer(server, program: program, folder: folder))
    }
    defer { for case let peer as ServerPeer in peers { peer.stop() } }
    for level in Self.levels {
      var turns = Array(repeating: [Turn](), count: peers.count)
      for round in 0..<rounds {
        for (index, peer) in peers.enumerated() {
          let place = folder.appending(path: "\(index)-\(level)-\(round)")
          try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
          let turn = try await peer.submit(level, length, in: place)
          // A run takes minutes on a slow disk; what comes of it goes to standard output.
          FileHandle.standardError.write(
            Data("queue: \(peer.name), \(level) at a time: \(Int(turn.rate)) a second\n".utf8))
          turns[index].append(turn)
          try FileManager.default.removeItem(at: place)
        }
      }
      add(peers, turns, level, &report)
    }
    for level in Self.levels { try countSyncs(level, folder, &report) }
  }

  private func add(_ peers: [any QueuePeer], _ turns: [[Turn]], _ level: Int, _ report: inout Report) {
    var rates: [String: Double] = [:]
    for (peer, turns) in zip(peers, turns) {
      let rate = Measurement("queue", "\(peer.name), \(level) at a time", unit: "records/s", turns.map(\.rate))
      rates[peer.name] = rate.median
      report.measurements += [
        rate,
        Measurement(
          "queue", "\(peer.name), \(level) at a time, each", unit: "ms", turns.flatMap(\.nanoseconds).map { $0 / 1e6 }),
      ]
    }
    let own = rates[StorePeer.name] ?? .nan
    let raw = rates[AppendPeer.name] ?? .nan
    if level == 1 {
      report.goals.append(
        Goal("queue", "1 submitter: raw append over ours, at least 0.9 of it", limit: 1 / 0.9, measured: raw / own))
    } else {
      let others = rates.filter { $0.key != StorePeer.name && $0.key != AppendPeer.name }
      guard let best = others.values.max() else { return }
      report.goals.append(
        Goal("queue", "\(level) submitters: the best other queue over ours", limit: 1, measured: best / own))
    }
  }

  /// A turn of our own in a process of its own, whose syncs strace(1) counts.
  private func countSyncs(_ level: Int, _ folder: URL, _ report: inout Report) throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/strace") else {
      report.notes.append("strace is not installed: syncs were not counted")
      return
    }
    let (place, trace) = (folder.appending(path: "syncs-\(level)"), folder.appending(path: "trace"))
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let said = try output(
      of: "/usr/bin/strace",
      [
        "-f", "-qq", "--seccomp-bpf", "-e", "trace=fsync,fdatasync", "-o", trace.path,
        CommandLine.arguments[0], "--queue-turn", place.path, "\(level)",
      ] + (options.isSmoke ? ["--smoke"] : []))
    let lines = try String(contentsOf: trace, encoding: .utf8).split(separator: "\n")
    let syncs = lines.count { $0.contains("sync(") }
    guard let records = Double(said.trimmingCharacters(in: .whitespacesAndNewlines)), records > 0 else {
      throw BenchmarkError("the turn under strace wrote “\(said)”")
    }
    report.measurements.append(
      Measurement("queue", "\(StorePeer.name), \(level) at a time", unit: "syncs a record", [Double(syncs) / records]))
  }

  /// What `countSyncs` runs: prints how many records one turn has put on disk, those of the warm-up among them.
  static func turn(_ level: Int, in folder: String, isSmoke: Bool) async throws {
    let place = URL(fileURLWithPath: folder)
    _ = try await StorePeer().submit(level, Length(isSmoke: isSmoke), in: place)
    print(try MeterStore(folder: place.appending(path: "state")).usage().records)
  }
}

/// Something that has put what it was given on disk when it answers.
protocol QueuePeer: Sendable {
  var name: String { get }
  /// Lets so many submitters submit one after the other, each without a pause.
  func submit(_ submitters: Int, _ length: QueueBenchmark.Length, in folder: URL) async throws -> QueueBenchmark.Turn
}

extension QueuePeer {
  /// Runs the submitters on threads of their own; `make` gives each what it submits by.
  func onThreads(
    _ submitters: Int, _ length: QueueBenchmark.Length,
    _ make: @escaping @Sendable (Int) throws -> () throws -> Void
  ) async throws -> QueueBenchmark.Turn {
    let start = ContinuousClock.now + .seconds(length.warmUp)
    let end = start + .seconds(length.seconds)
    let taken = try await withThrowingTaskGroup(of: [Double].self) { group in
      for number in 0..<submitters {
        group.addTask {
          try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
              continuation.resume(
                with: Result {
                  let submit = try make(number)
                  var taken: [Double] = []
                  while ContinuousClock.now < start { try submit() }
                  repeat { taken.append(try nanoseconds(submit)) } while ContinuousClock.now < end
                  return taken
                })
            }
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    return QueueBenchmark.Turn(nanoseconds: taken, elapsed: (ContinuousClock.now - start).nanoseconds / 1e9)
  }
}

/// Our own queue.
struct StorePeer: QueuePeer {
  static let name = "MeterHost"
  var name: String { Self.name }

  func submit(_ submitters: Int, _ length: QueueBenchmark.Length, in folder: URL) async throws -> QueueBenchmark.Turn {
    let store = try MeterStore(folder: folder.appending(path: "state"))
    let user = SessionUser(userID: "bench", organizationID: "bench")
    let generation = try store.startSession(user, token: AccessToken("bench-token-0123456789abcdef")).session.generation
    let intake = Intake(store)
    let start = ContinuousClock.now + .seconds(length.warmUp)
    let end = start + .seconds(length.seconds)
    let taken = try await withThrowingTaskGroup(of: [Double].self) { group in
      for submitter in 0..<submitters {
        group.addTask {
          var taken: [Double] = []
          var number = submitter << 32
          repeat {
            let record = BacklogRecord.make(number)
            number += 1
            let before = ContinuousClock.now
            _ = try await intake.take([.record(record)], of: generation)
            if before >= start { taken.append((ContinuousClock.now - before).nanoseconds) }
          } while ContinuousClock.now < end
          return taken
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    return QueueBenchmark.Turn(nanoseconds: taken, elapsed: (ContinuousClock.now - start).nanoseconds / 1e9)
  }
}

/// The least that durability costs: 512 bytes at the end of a file, and fdatasync(2).
struct AppendPeer: QueuePeer {
  static let name = "raw append and fdatasync"
  var name: String { Self.name }

  func submit(_ submitters: Int, _ length: QueueBenchmark.Length, in folder: URL) async throws -> QueueBenchmark.Turn {
    let file = open(folder.appending(path: "log").path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw BenchmarkError("cannot make a file in \(folder.path)") }
    defer { close(file) }
    let record = [UInt8](repeating: 0x78, count: 512)
    return try await onThreads(submitters, length) { _ in
      {
        guard write(file, record, record.count) == record.count, fdatasync(file) == 0 else {
          throw BenchmarkError("cannot append: \(String(cString: strerror(errno)))")
        }
      }
    }
  }
}

/// A peer of PyPI.
struct PersistQueuePeer: QueuePeer {
  let python: String
  let script: String
  var name: String { "persist-queue SQLiteAckQueue" }

  func submit(_ submitters: Int, _ length: QueueBenchmark.Length, in folder: URL) async throws -> QueueBenchmark.Turn {
    let text = try output(of: python, [script, folder.path, "\(submitters)", "\(length.seconds)", "\(length.warmUp)"])
    var numbers = text.split(separator: "\n").compactMap { Double($0) }
    guard let elapsed = numbers.popLast(), !numbers.isEmpty else { throw BenchmarkError("\(script) wrote nothing") }
    return QueueBenchmark.Turn(nanoseconds: numbers, elapsed: elapsed)
  }
}
