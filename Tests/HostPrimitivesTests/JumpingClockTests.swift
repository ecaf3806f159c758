import Foundation
import HostPrimitives
import TestSupport
import Testing

@Suite("The clock of the tests", .jumpingTime)
struct JumpingClockTests {
  @Test("an hour costs no time, and everybody wakes in the order of the deadlines")
  func hour() async {
    let clock = JumpingClock.ofTest
    let (woken, post) = AsyncStream<Int>.makeStream()
    await withDiscardingTaskGroup { group in
      for minutes in [60, 1, 30] {
        group.addTask { if await clock.elapsed(.seconds(minutes * 60)) { post.yield(minutes) } }
      }
    }
    post.finish()
    #expect(await woken.reduce(into: []) { $0.append($1) } == [1, 30, 60])
    #expect(clock.elapsed == .seconds(3600))
  }

  @Test("no time goes by while a thread of this process works")
  func ownWork() async throws {
    let clock = JumpingClock.ofTest
    let sleeper = Task { await clock.elapsed(.seconds(1)) }
    let before = clock.now
    try await onOwnThread {
      let end = SystemClock().now + .milliseconds(100)
      while SystemClock().now < end {}
      #expect(clock.now == before)
    }
    #expect(await sleeper.value)
  }

  @Test("no time goes by while a process works that this one has started, and its end is heard first")
  func childsWork() async throws {
    let clock = JumpingClock.ofTest
    let sleeper = Task { await clock.elapsed(.seconds(1)) }
    let before = clock.now
    let child = try ChildProcess(
      URL(filePath: "/bin/sh"), ["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"])
    let after = try await onOwnThread {
      _ = child.waitForEnd()
      return clock.now
    }
    #expect(after == before)
    #expect(await sleeper.value)
  }

  @Test("a sleep that is cancelled ends, and leaves the time as it is")
  func cancelled() async {
    let clock = JumpingClock.ofTest
    let before = clock.now
    let sleeper = Task { await clock.elapsed(.seconds(3600)) }
    sleeper.cancel()
    #expect(await !sleeper.value)
    #expect(clock.now == before)
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await clock.elapsed(.seconds(3600))
    }
    #expect(await !late.value)
  }

  @Test("the date goes on with the time")
  func date() async throws {
    let clock = JumpingClock.ofTest
    let before = clock.unixMicroseconds
    try await clock.sleep(for: .seconds(60))
    #expect(clock.unixMicroseconds - before == 60_000_000)
  }

  @Test("each test has a time of its own")
  func ownTime() async throws {
    let (mine, other) = (JumpingClock.ofTest, JumpingClock())
    try await mine.sleep(for: .seconds(5))
    #expect(mine.elapsed == .seconds(5) && other.elapsed == .zero)
  }
}
