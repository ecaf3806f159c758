import Testing

@testable import MeterBluetooth

@Suite("The commit rule under random surroundings")
struct SessionMachinePropertyTests {
  @Test(
    "holds whatever happens in whatever order, and the session ends", arguments: 0..<16 as Range<UInt64>,
    [SessionMachine.Medium.connection, .advertisements])
  func commitRule(block: UInt64, medium: SessionMachine.Medium) {
    var (commits, sent) = (0, 0)
    for seed in block * 250..<(block + 1) * 250 {
      var session = SimulatedSession(seed: seed, over: medium)
      for _ in 0..<400 where !session.isOver { session.step() }
      session.settle()
      #expect(session.violations == [], "seed \(seed)")
      #expect(session.isOver, "seed \(seed) does not end")
      commits += session.commits
      sent += session.sent
    }
    // The walk is of use only if it gets somewhere.
    #expect(commits > 250 && (sent > 250 || medium == .advertisements))
  }
}
