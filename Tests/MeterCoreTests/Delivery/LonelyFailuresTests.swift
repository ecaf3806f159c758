import RecordSupport
import Testing

@testable import MeterCore

/// Asked within an expectation, which keeps what it looks at.
private final class Kept {
  private var failures: LonelyFailures<LogID>

  init(limit: Int, doubted: Int = 0) { failures = LonelyFailures(limit: limit, doubted: doubted) }

  func failed(_ names: Set<LogID>, besideJudged: Bool) -> Bool { failures.failed(names, besideJudged: besideJudged) }

  func judged(_ name: LogID) { failures.judged(name) }

  func isLonely(_ name: LogID) -> Bool { failures.isLonely(name) }
}

/// What waits when attempts fail: one record, or everything.
@Suite("Lonely failures")
struct LonelyFailuresTests {
  let a = Fixture.glucose(1).logID
  let b = Fixture.glucose(2).logID
  let c = Fixture.glucose(3).logID

  @Test("until the receiver has judged another record, a failure is its own")
  func first() {
    let failures = Kept(limit: 2)
    #expect(failures.failed([a], besideJudged: false))
    #expect(failures.failed([a], besideJudged: false), "nothing else was tried")
    failures.judged(b)
    #expect(!failures.failed([], besideJudged: true))
    #expect(!failures.failed([a], besideJudged: false), "the receiver works")
    #expect(failures.failed([a, c], besideJudged: false), "the other one has not failed before")
  }

  @Test("more than a round of them are a receiver that is out of reach")
  func many() {
    let failures = Kept(limit: 2)
    #expect(!failures.failed([a, b, c], besideJudged: true))
    #expect(!failures.failed([a, b], besideJudged: false))
    #expect(failures.failed([c], besideJudged: false))
    #expect(failures.failed([c], besideJudged: false), "and stays so until it judges one")
    #expect(!failures.failed([a], besideJudged: true))
    #expect(!failures.failed([c], besideJudged: false))
  }

  @Test("where items go out one by one, the first that fails is its own fault, and the second is everybody's for once")
  func oneByOne() {
    let failures = Kept(limit: 2, doubted: 1)
    #expect(!failures.failed([a], besideJudged: false))
    #expect(!failures.failed([a], besideJudged: false) && !failures.isLonely(a), "nothing else was tried")
    #expect(failures.failed([b], besideJudged: false))
    #expect(failures.failed([a], besideJudged: false))
    #expect(!failures.failed([], besideJudged: true))
    #expect(failures.isLonely(a) && failures.isLonely(b) && !failures.isLonely(c))
    #expect(!failures.failed([a], besideJudged: false) && !failures.failed([b], besideJudged: false))
    #expect(failures.failed([c], besideJudged: false), "more of them than may be alone")
  }

  @Test("a record that was judged begins anew")
  func judged() {
    let failures = Kept(limit: 2)
    #expect(!failures.failed([a], besideJudged: true))
    failures.judged(a)
    #expect(failures.failed([a], besideJudged: false))
  }
}
