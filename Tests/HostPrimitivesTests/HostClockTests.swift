import TestSupport
import Testing

@testable import HostPrimitives

@Suite("The host's clocks")
struct HostClockTests {
  @Test("the machine's monotonic clock goes forwards, and its date is after the year 2024")
  func systemClock() {
    let first = SystemClock().now
    let second = SystemClock().now
    #expect(first <= second)
    #expect(SystemClock().unixMicroseconds > 1_704_067_200_000_000)
  }

  @Test("a sleep that is cancelled says so")
  func cancelled() async {
    let sleeper = Task { await SystemClock().elapsed(.seconds(3600)) }
    sleeper.cancel()
    #expect(await !sleeper.value)
  }

  @Test("a moment that has passed is not waited for")
  func past() async throws {
    try await SystemClock().sleep(until: SystemClock().now - .seconds(1))
  }

  @Test("what ticks every so often ticks together, whenever it began", .timeLimit(.minutes(60)))
  func ticks() async {
    let clock = StoppedClock()
    clock.advance(by: .seconds(7))
    let first = Task { await clock.ticks(every: 10) }
    await clock.someoneSleeps()
    clock.advance(by: .milliseconds(2999))
    #expect(clock.sleepers == 1)
    clock.advance(by: .milliseconds(1))
    #expect(await first.value)
    // A tick that is now is over.
    let second = Task { await clock.ticks(every: 10) }
    await clock.someoneSleeps()
    clock.advance(by: .seconds(9))
    #expect(clock.sleepers == 1)
    clock.advance(by: .seconds(1))
    #expect(await second.value)
  }
}
