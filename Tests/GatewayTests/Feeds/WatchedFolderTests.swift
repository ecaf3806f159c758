import GatewayAPI
import HostPrimitives
import Testing

@testable import GatewayEngine

@Suite("What is known of a watched folder") struct WatchedFolderTests {
  private static let start = HostInstant(sinceBoot: .seconds(1_000))
  private static let error = GatewayError(.usage, code: "not_an_export", "no export").written

  private func sight(_ name: String = "a", size: Int64 = 1, seconds: Int64 = 1, nanoseconds: Int64 = 0)
    -> WatchedFolder.Sight
  { WatchedFolder.Sight(name: name, size: size, seconds: seconds, nanoseconds: nanoseconds) }

  private func later(_ seconds: Int) -> HostInstant { Self.start + .seconds(seconds) }

  private func folder(_ marks: [WatchMark] = []) -> WatchedFolder {
    WatchedFolder(patience: .seconds(10), marks: marks)
  }

  @Test("a file is due when it has looked the same for the while, and is handed out once") func settles() {
    var folder = folder()
    #expect(folder.nextDue == nil)
    #expect(folder.look(at: [sight()], now: Self.start) == [])
    #expect(folder.nextDue == later(10))
    #expect(folder.look(at: [sight()], now: later(9)) == [])
    #expect(folder.look(at: [sight()], now: later(10)) == [sight()])
    #expect(folder.look(at: [sight()], now: later(100)) == [])
    #expect(folder.nextDue == nil)
    folder.settle(sight(), as: .taken, now: later(101))
    #expect(folder.look(at: [sight()], now: later(1_000)) == [])
  }

  @Test("one that changes settles anew, whatever has changed", arguments: 0..<3) func changes(what: Int) {
    var folder = folder()
    let changed = [sight(size: 2), sight(seconds: 2), sight(nanoseconds: 1)][what]
    _ = folder.look(at: [sight()], now: Self.start)
    #expect(folder.look(at: [changed], now: later(9)) == [])
    #expect(folder.look(at: [changed], now: later(18)) == [])
    #expect(folder.look(at: [changed], now: later(19)) == [changed])
  }

  @Test(
    "one that was taken or failed is due again only when it has changed",
    arguments: [
      WatchedFolder.Verdict.taken, .failed(WatchedFolderTests.error), .other,
    ])
  func again(verdict: WatchedFolder.Verdict) {
    var folder = folder()
    _ = folder.look(at: [sight()], now: Self.start)
    _ = folder.look(at: [sight()], now: later(10))
    folder.settle(sight(), as: verdict, now: later(11))
    #expect(folder.look(at: [sight()], now: later(100)) == [])
    #expect(folder.look(at: [sight(size: 2)], now: later(101)) == [])
    #expect(folder.look(at: [sight(size: 2)], now: later(111)) == [sight(size: 2)])
  }

  @Test("one that changes while it is imported is another one afterwards") func changesMeanwhile() {
    var folder = folder()
    _ = folder.look(at: [sight()], now: Self.start)
    _ = folder.look(at: [sight()], now: later(10))
    #expect(folder.look(at: [sight(size: 2)], now: later(11)) == [])
    folder.settle(sight(), as: .taken, now: later(12))
    #expect(folder.marks == [])
    #expect(folder.look(at: [sight(size: 2)], now: later(21)) == [])
    #expect(folder.look(at: [sight(size: 2)], now: later(22)) == [sight(size: 2)])
  }

  @Test("one that goes is forgotten, and settles again when it comes back; one that is imported stays until then")
  func goes() {
    var folder = folder()
    _ = folder.look(at: [sight()], now: Self.start)
    _ = folder.look(at: [sight()], now: later(10))
    _ = folder.look(at: [], now: later(11))
    #expect(folder.claim(sight()) == .running)
    folder.settle(sight(), as: .taken, now: later(12))
    #expect(folder.marks.count == 1)
    _ = folder.look(at: [], now: later(13))
    #expect(folder.marks == [])
    #expect(folder.look(at: [sight()], now: later(14)) == [])
    #expect(folder.look(at: [sight()], now: later(24)) == [sight()])
  }

  @Test("several that are due come in the order in which they were written") func order() {
    var folder = folder()
    let (first, second, third) = (sight("z", seconds: 1), sight("a", seconds: 2), sight("b", seconds: 2))
    _ = folder.look(at: [third, first, second], now: Self.start)
    #expect(folder.look(at: [second, third, first], now: later(10)) == [first, second, third])
  }

  @Test("one that failed for a reason that may pass is due again later") func released() {
    var folder = folder()
    _ = folder.look(at: [sight()], now: Self.start)
    _ = folder.look(at: [sight()], now: later(10))
    folder.release(sight(), until: later(310))
    #expect(folder.nextDue == later(310))
    #expect(folder.look(at: [sight()], now: later(309)) == [])
    #expect(folder.look(at: [sight()], now: later(310)) == [sight()])
  }

  @Test("what comes of something that was not handed out, or otherwise, is nothing") func strange() {
    var folder = folder()
    folder.settle(sight(), as: .taken, now: Self.start)
    folder.release(sight(), until: later(1))
    #expect(folder == self.folder())
    _ = folder.look(at: [sight()], now: Self.start)
    let before = folder
    folder.settle(sight(), as: .taken, now: later(1))
    folder.settle(sight(size: 2), as: .taken, now: later(1))
    folder.release(sight(), until: later(1))
    #expect(folder == before)
  }

  @Test("a claim does not wait, and is granted once") func claims() {
    var folder = folder()
    #expect(folder.claim(sight()) == .granted)
    #expect(folder.claim(sight()) == .running)
    #expect(folder.claim(sight(size: 2)) == .running)
    #expect(folder.look(at: [sight()], now: later(100)) == [])
    folder.settle(sight(), as: .taken, now: later(101))
    #expect(folder.claim(sight()) == .settled(.taken))
    #expect(folder.claim(sight(size: 2)) == .granted)
  }

  @Test("a claim of one that settles takes it") func claimsSettling() {
    var folder = folder()
    _ = folder.look(at: [sight()], now: Self.start)
    #expect(folder.claim(sight()) == .granted)
    #expect(folder.look(at: [sight()], now: later(10)) == [])
  }

  @Test("what is remembered survives a restart, and holds for these files only") func marks() {
    var folder = folder()
    let (good, bad, other) = (sight("good", seconds: 3), sight("bad", seconds: 2), sight("other", seconds: 1))
    _ = folder.look(at: [good, bad, other], now: Self.start)
    _ = folder.look(at: [good, bad, other], now: later(10))
    folder.settle(good, as: .taken, now: later(11))
    folder.settle(bad, as: .failed(Self.error), now: later(11))
    folder.settle(other, as: .other, now: later(11))
    #expect(folder.marks == [WatchMark(sight: good, error: nil), WatchMark(sight: bad, error: Self.error)])
    let kept = WatchContent(text: WatchContent(marks: folder.marks).text)
    #expect(kept.marks == folder.marks)
    var next = self.folder(kept.marks)
    #expect(next.look(at: [good, bad, other], now: later(20)) == [])
    #expect(next.claim(bad) == .settled(.failed(Self.error)))
    #expect(next.look(at: [good, bad, other], now: later(30)) == [other])
  }

  @Test("only so many are remembered, the newest") func bound() {
    let marks = (0..<5_000).map { WatchMark(sight: sight("\($0)"), error: nil) }
    #expect(WatchContent(marks: marks).marks == Array(marks.prefix(2_000)))
  }

  @Test("content of another version is nothing", arguments: ["", "{", "[]", "{\"marks\":7}", "null"])
  func foreign(text: String) { #expect(WatchContent(text: text) == WatchContent()) }
}
