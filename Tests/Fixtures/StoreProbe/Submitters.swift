import MeterCore
import Synchronization

/// Submitters who commit at the same time, each its own units. One more comes always with a session that is over, so that a
/// transaction that it shares is written a second time without it.
final class Submitters: Sendable {
  private static let lanes = 1...7

  private let store: MeterStore
  private let generation: SessionGeneration
  private let acknowledged: Mutex<Int>

  init(_ store: MeterStore, _ generation: SessionGeneration) throws {
    self.store = store
    self.generation = generation
    let cursors = try Self.lanes.map { Int(try cursor(store, generation, family: Self.family($0))) }
    let found = cursors.reduce(0, +)
    acknowledged = Mutex(found)
    say("found \(found) \(try store.queueSnapshot().count)")
  }

  private static func family(_ lane: Int) -> String { "probe\(lane)" }

  /// Commits what is not there yet, and says `lane K N` and `acknowledged` with the sum of all lanes after each unit.
  func commit(upTo units: UInt8) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in Self.lanes { group.addTask { try await self.commit(lane, upTo: units) } }
      group.addTask { try await self.insist(units) }
      try await group.waitForAll()
    }
  }

  private func commit(_ lane: Int, upTo units: UInt8) async throws {
    var done = try cursor(store, generation, family: Self.family(lane))
    while done < units {
      done += 1
      let unit = try unit(done, generation, family: Self.family(lane), offset: lane * 1000)
      let receipts = try await store.submit([unit])
      guard receipts[0].new.count == 3 else { throw Problem(description: "unit \(done) of \(lane) was not new") }
      acknowledged.withLock { acknowledged in
        acknowledged += 1
        say("lane \(lane) \(done)")
        say("acknowledged \(acknowledged)")
      }
    }
  }

  private func insist(_ times: UInt8) async throws {
    let over = SessionGeneration(rawValue: generation.rawValue - 1)
    for number in 0..<times {
      let unit = try unit(number + 1, over, offset: 90_000)
      do throws(StoreError) {
        _ = try await store.submit([unit])
      } catch {
        guard error.code == .staleGeneration else { throw error }
        continue
      }
      throw Problem(description: "a unit of a session that is over was taken")
    }
  }
}
