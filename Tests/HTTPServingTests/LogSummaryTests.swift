import HostPrimitives
import TestSupport
import Testing

@testable import HTTPServing

@Suite struct LogSummaryTests {
  @Test("a minute has so many lines of a kind, and the next one says how many were left out")
  func budget() {
    let clock = StoppedClock()
    let budget = LineBudget(lines: 2, clock: clock)
    #expect((0..<5).map { _ in budget.take("401") } == [0, 0, nil, nil, nil])
    #expect(budget.take("404") == 0, "each kind has its own")
    clock.advance(by: .seconds(60))
    #expect((0..<3).map { _ in budget.take("401") } == [3, 0, nil])
  }

  @Test("an outage is told when it begins, each minute, and when it is over")
  func outage() {
    let clock = StoppedClock()
    let log = OutageLog(clock: clock)
    #expect(log.failed("a") == .began)
    #expect((0..<1000).allSatisfy { _ in log.failed("a") == nil })
    #expect(log.failed("b") == .began)
    #expect(log.worked().isEmpty, "what fails by turns is not over")
    clock.advance(by: .seconds(60))
    #expect(log.failed("a") == .goesOn(times: 1002, for: .seconds(60)))
    #expect(log.failed("a") == nil)
    #expect(log.worked() == [.init(kind: "b", times: 1, lasted: .zero)])
    clock.advance(by: .seconds(10))
    #expect(log.worked() == [.init(kind: "a", times: 1003, lasted: .seconds(60))])
    #expect(log.worked().isEmpty)
    #expect(log.failed("a") == .began)
  }
}
