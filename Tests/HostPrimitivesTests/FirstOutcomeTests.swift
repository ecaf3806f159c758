import HostPrimitives
import Testing

@Suite("The first outcome")
struct FirstOutcomeTests {
  @Test("the first one counts, for everybody who waits and who comes later")
  func first() async {
    let outcome = FirstOutcome<Int>()
    #expect(outcome.settled == nil)
    async let early = outcome.value
    #expect(outcome.settle(1))
    #expect(!outcome.settle(2))
    #expect(await early == 1)
    #expect(await outcome.value == 1)
    #expect(outcome.settled == 1)
  }

  @Test("of many at once, one is told that it was first")
  func race() async {
    let outcome = FirstOutcome<Int>()
    let winners = await withTaskGroup(of: Int?.self) { group in
      for number in 0..<50 { group.addTask { outcome.settle(number) ? number : nil } }
      return await group.reduce(into: [Int]()) { if let winner = $1 { $0.append(winner) } }
    }
    #expect(winners == [await outcome.value])
  }
}
