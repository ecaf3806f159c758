import HostPrimitives
import Synchronization
import TestSupport
import Testing

@testable import MeterBluetooth

@Suite("What is told of unknown meters", .timeLimit(.minutes(10)))
struct StrangerNewsTests {
  private let clock = StoppedClock()
  private let sums: AsyncStream<StrangerNews.Sum>
  private let news: StrangerNews

  init() {
    let (sums, sink) = AsyncStream<StrangerNews.Sum>.makeStream()
    self.sums = sums
    news = StrangerNews(clock: clock) { sink.yield($0) }
  }

  @Test("the first eight are told one by one, and one more each quarter of an hour")
  func oneByOne() {
    func told() -> Int { (0..<1000).filter { _ in news.mayTell() }.count }
    #expect(told() == 8)
    clock.advance(by: .seconds(899))
    #expect(told() == 0)
    clock.advance(by: .seconds(1))
    #expect(told() == 1)
    clock.advance(by: .seconds(86_400))
    #expect(told() == 8, "what was not said is not saved up")
  }

  @Test("all others are summed up after a minute, ten minutes, and then once an hour as long as a crowd stays")
  func summedUp() async {
    var told = sums.makeAsyncIterator()
    for window in [60, 600, 3600, 3600, 3600] {
      for number in 0..<1000 { news.count(number % 4 == 0 ? "not_paired" : "connection_failure") }
      await clock.advanceToNextDeadline()
      let sum = await told.next()
      #expect(sum?.outcomes == ["not_paired": 250, "connection_failure": 750])
      #expect(sum?.time == .seconds(window))
    }
    clock.advance(by: .seconds(7200))
    news.count("driver_crashed")
    await clock.advanceToNextDeadline()
    let sum = await told.next()
    #expect(sum?.time == .seconds(60), "a crowd that has come back is told of soon")
  }
}
