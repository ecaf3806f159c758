import Foundation
import HostPrimitives
import Synchronization
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayEngine

/// A file of feedback may lie on a file system that does not answer: whoever looks at it may not come back for hours.
@Suite("Feedback's files that hang", .timeLimit(.minutes(10)))
struct FeedbackFileWorkTests {
  private let clock = StoppedClock()
  private let gate = DispatchSemaphore(value: 0)

  /// What comes of work that hangs until the gate opens.
  private func code(
    _ work: FeedbackFileWork, _ place: String, late: @escaping @Sendable (Int) -> Void = { _ in }
  ) async -> FeedbackProblem.Code? {
    do throws(FeedbackProblem) {
      _ = try await work.perform(at: place, within: .seconds(10), late: late) { [gate] in
        gate.wait()
        return 7
      }
      return nil
    } catch { return error.code }
  }

  private func hang(_ work: FeedbackFileWork, _ place: String, late: @escaping @Sendable (Int) -> Void = { _ in }) async
  {
    async let hanging = code(work, place, late: late)
    await clock.someoneSleeps()
    clock.advance(by: .seconds(10))
    let end = await hanging
    #expect(end == .timeout)
  }

  @Test(
    "cost who looks at them a time limit and a thread, a bounded number of threads, and what they come to late is put away"
  )
  func bounded() async throws {
    let work = FeedbackFileWork(clock: clock, most: 2)
    let (late, came) = AsyncStream<Int>.makeStream()
    for place in ["/a", "/b"] { await hang(work, place) { came.yield($0) } }
    // No third thread, and no wait.
    let before = clock.now
    #expect(await code(work, "/c") == .timeout)
    #expect(clock.now == before)
    // The file system answers again.
    for _ in 0..<2 { gate.signal() }
    var found: [Int] = []
    for await value in late {
      found.append(value)
      if found.count == 2 { break }
    }
    #expect(found == [7, 7])
    // Its thread has to put it away first.
    while await work.problem(at: "/a", within: .seconds(10), { nil }) != nil { await Task.yield() }
  }

  @Test("cost one thread each, however often they are asked for, and keep no other file from being looked at")
  func once() async throws {
    let work = FeedbackFileWork(clock: clock, most: 2)
    await hang(work, "/dead/jos\u{E9}")
    let before = clock.now
    for _ in 0..<20 { #expect(await code(work, "/dead/jos\u{E9}") == .timeout) }
    #expect(clock.now == before)
    for place in ["/local", "/dead/jose\u{301}"] {
      let found = try await work.perform(at: place, within: .seconds(10)) { place.utf8.count }
      #expect(found == place.utf8.count)
    }
    gate.signal()
  }

  @Test("count until what came late is put away, which may hang as well")
  func puttingAway() async {
    let work = FeedbackFileWork(clock: clock)
    let (late, came) = AsyncStream<Int>.makeStream()
    let putAway = DispatchSemaphore(value: 0)
    await hang(work, "/a") {
      came.yield($0)
      putAway.wait()
    }
    gate.signal()
    _ = await late.first { _ in true }
    let meanwhile = await work.problem(at: "/a", within: .seconds(10)) { nil }
    #expect(meanwhile?.code == .timeout)
    putAway.signal()
  }

  @Test("count as one, however many ask for it at the same time")
  func atTheSameTime() async throws {
    let work = FeedbackFileWork(clock: clock, most: 2)
    async let first = code(work, "/dead")
    async let second = code(work, "/dead")
    async let third = code(work, "/dead")
    while clock.sleepers < 3 { await Task.yield() }
    clock.advance(by: .seconds(10))
    let ends = await [first, second, third]
    #expect(ends == [.timeout, .timeout, .timeout])
    let found = try await work.perform(at: "/local", within: .seconds(10)) { 1 }
    #expect(found == 1)
    for _ in 0..<3 { gate.signal() }
  }

  @Test("are not those that are merely being looked at")
  func atOnce() async {
    let work = FeedbackFileWork(clock: clock, most: 1)
    let (looks, began) = AsyncStream<Void>.makeStream()
    let problems = await withTaskGroup(of: FeedbackProblem?.self) { group in
      for _ in 0..<9 {
        group.addTask { [gate] in
          let problem = await work.problem(at: "/a", within: .seconds(10)) {
            began.yield()
            gate.wait()
            return nil
          }
          if problem != nil { began.finish() }
          return problem
        }
      }
      var count = 0
      for await _ in looks {
        count += 1
        if count == 9 { break }
      }
      for _ in 0..<9 { gate.signal() }
      return await group.reduce(into: []) { if let problem = $1 { $0.append(problem) } }
    }
    #expect(problems.isEmpty, "\(problems)")
  }

  @Test("are waited for by nobody who was cancelled, and hang all the same")
  func cancelled() async {
    let work = FeedbackFileWork(clock: clock)
    let (late, came) = AsyncStream<Int>.makeStream()
    let waiting = Task { await code(work, "/a") { came.yield($0) } }
    await clock.someoneSleeps()
    waiting.cancel()
    let end = await waiting.value
    #expect(end == .failed)
    #expect(await code(work, "/a") == .timeout)
    gate.signal()
    let found = await late.first { _ in true }
    #expect(found == 7)
  }

  @Test("that fail say why")
  func problem() async {
    let work = FeedbackFileWork(clock: clock)
    let missing = await work.problem(at: "/a", within: .seconds(10)) { FeedbackFiles.notifierMissing }
    let nothing = await work.problem(at: "/a", within: .seconds(10)) { nil }
    #expect(missing == FeedbackFiles.notifierMissing)
    #expect(nothing == nil)
  }
}
