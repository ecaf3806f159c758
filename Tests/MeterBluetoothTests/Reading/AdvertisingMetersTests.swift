import BluetoothWire
import DriverContract
import Testing

@testable import MeterBluetooth
import TestSupport
import HostPrimitives

@Suite("Which meters are in the air", .jumpingTime, .timeLimit(.minutes(60)))
struct AdvertisingMetersTests {
  private let start = JumpingClock.ofTest.now

  private func meters() -> AdvertisingMeters {
    AdvertisingMeters(holdOff: .seconds(5), clock: .ofTest) { $0.eventType != .connectable }
  }

  /// What a link hands to its session.
  private func facts(_ link: AdvertisementLink) async -> [[UInt8]] {
    let (stream, sink) = AsyncStream<[UInt8]?>.makeStream()
    await link.listen { input in
      if case .fact(.advertisement(let data, _), _) = input { sink.yield(data) } else { sink.yield(nil) }
    }
    sink.finish()
    var all: [[UInt8]] = []
    for await data in stream {
      guard let data else { break }
      all.append(data)
    }
    return all
  }

  private func open(_ finding: AdvertisingMeters.Finding) -> AdvertisementLink? {
    if case .opens(let link, _) = finding { link } else { nil }
  }

  @Test("a meter that is heard keeps its session; one that is silent for the hold-off time loses it once")
  func silence() async throws {
    let meters = meters()
    #expect(meters.isQuiet && meters.nextSilence == nil)
    let link = try #require(open(meters.hear(Beacon.says(.unstable), at: start)))
    #expect(meters.nextSilence == start + .seconds(5))
    // A repeat is no news, and yet a sign of life.
    _ = meters.hear(Beacon.says(.unstable), at: start + .seconds(4))
    _ = meters.dropSilent(at: start + .seconds(6))
    _ = meters.hear(Beacon.says(.stable), at: start + .seconds(8))
    #expect(meters.nextSilence == start + .seconds(13))
    _ = meters.dropSilent(at: start + .seconds(13))
    _ = meters.hear(Beacon.says(.count), at: start + .seconds(14))
    #expect(await facts(link) == [Beacon.says(.unstable).data, Beacon.says(.stable).data])
    #expect(!meters.isQuiet && meters.nextSilence == nil, "its session has not ended yet")
    meters.ended(Beacon.address(1))
    #expect(meters.isQuiet)
    #expect(
      open(meters.hear(Beacon.says(.stableLast), at: start + .seconds(15))) == nil, "this read is through with it")
  }

  @Test("after a known reading a change of the payload begins another session, a repeat does not")
  func again() async throws {
    let meters = meters()
    let link = try #require(open(meters.hear(Beacon.says(.stable), at: start)))
    link.delivers(.advertisement(Beacon.says(.stable).data, rssi: 0))
    #expect(link.unread.isEmpty && meters.endedKnown(Beacon.address(1), unread: link.unread) == nil)
    #expect(!meters.isQuiet)
    #expect(open(meters.hear(Beacon.says(.stable), at: start)) == nil)
    let second = try #require(open(meters.hear(Beacon.says(.unstable), at: start)))
    // What came while the driver ended is the beginning of the third.
    _ = meters.hear(Beacon.says(.unstable, 7), at: start)
    second.delivers(.advertisement([], rssi: 0))
    _ = meters.dropSilent(at: start + .seconds(9))
    let third = try #require(meters.endedKnown(Beacon.address(1), unread: second.unread))
    #expect(third.report == Beacon.says(.stable), "what showed the meter")
    #expect(await facts(third.link) == [Beacon.says(.unstable, 7).data], "it is silent already")
    #expect(meters.endedKnown(Beacon.address(1), unread: []) == nil)
    #expect(meters.isQuiet)
  }

  @Test("a session that stalled is begun again by a change, at once the first time and then after a pause that grows")
  func stalled() async throws {
    let meters = meters()
    let address = Beacon.address(1)
    var link = try #require(open(meters.hear(Beacon.says(.unstable), at: start)))
    link.delivers(.advertisement([], rssi: 0))
    #expect(meters.endedStalled(address, unread: link.unread, at: start) == nil)
    #expect(open(meters.hear(Beacon.says(.unstable), at: start)) == nil, "a repeat brings nothing else")
    link = try #require(open(meters.hear(Beacon.says(.unstable, 1), at: start)))
    var now = start
    for (number, pause) in [1, 2, 4, 8, 16, 16].enumerated() {
      // What came while the session ended is not lost, and neither is what comes during the pause.
      let (first, second) = (UInt16(100 + 2 * number), UInt16(101 + 2 * number))
      #expect(meters.endedStalled(address, unread: [Beacon.says(.unstable, first)], at: now) == nil)
      #expect(open(meters.hear(Beacon.says(.unstable, second), at: now)) == nil)
      now = now + .seconds(pause) - .milliseconds(1)
      #expect(open(meters.hear(Beacon.says(.unstable, second), at: now)) == nil)
      now = now + .milliseconds(1)
      link = try #require(open(meters.hear(Beacon.says(.unstable, second), at: now)), "after \(pause) s")
      #expect(link.unread == [Beacon.says(.unstable, first), Beacon.says(.unstable, second)])
    }
    #expect(!meters.isQuiet)
    #expect(meters.endedStalled(address, unread: [], at: now) == nil)
    #expect(meters.giveUpStalled().isEmpty)
    #expect(meters.isQuiet && open(meters.hear(Beacon.says(.stable), at: now + .seconds(60))) == nil)
  }

  @Test("a meter that falls silent during the pause has said its last words in a session", arguments: [false, true])
  func silentDuringThePause(hasWords: Bool) async throws {
    let meters = meters()
    let address = Beacon.address(1)
    _ = try #require(open(meters.hear(Beacon.says(.unstable), at: start)))
    for number in 0..<6 as Range<UInt16> {
      _ = meters.endedStalled(address, unread: hasWords ? [Beacon.says(.unstable, number)] : [], at: start)
    }
    let last = meters.dropSilent(at: start + .seconds(9))
    #expect(last.map { $0.report } == (hasWords ? [Beacon.says(.unstable)] : []))
    if let link = last.first?.link { #expect(await facts(link) == [Beacon.says(.unstable, 5).data]) }
    #expect(meters.dropSilent(at: start + .seconds(20)).isEmpty && meters.isQuiet == !hasWords)
    // Gone is gone, whatever its session came to.
    #expect(meters.endedStalled(address, unread: [], at: start + .seconds(20)) == nil && meters.isQuiet)
  }

  @Test("what a meter has said when the time is over is told in a last session, and nothing is waited for behind it")
  func lateWords() async throws {
    let meters = meters()
    let address = Beacon.address(1)
    _ = try #require(open(meters.hear(Beacon.says(.unstable), at: start)))
    for _ in 0..<2 { _ = meters.endedStalled(address, unread: [], at: start) }
    // Its pause: it is heard, and no session begins.
    #expect(open(meters.hear(Beacon.says(.stable), at: start)) == nil)
    var last = try #require(meters.giveUpStalled().first)
    #expect(last.report == Beacon.says(.unstable), "what showed the meter")
    #expect(await facts(last.link) == [Beacon.says(.stable).data], "it ends by itself")
    // The driver has failed at the first of several: the others have their chance, but not for ever.
    var sessions = 1
    while let next = meters.endedStalled(address, unread: last.link.unread, at: start, isLate: true) {
      (last, sessions) = (next, sessions + 1)
    }
    #expect(sessions == 4 && meters.isQuiet && meters.giveUpStalled().isEmpty)
    #expect(open(meters.hear(Beacon.says(.count), at: start + .seconds(60))) == nil)
  }

  @Test("what a known meter says next need not show again what it is")
  func nameInScanResponse() throws {
    let meters = AdvertisingMeters(holdOff: .seconds(5), clock: .ofTest) { $0.advertisingData.localName == "scale" }
    #expect(open(meters.hear(Beacon.says(.stable), at: start)) == nil)
    let first = try #require(open(meters.hear(Beacon.responds("scale"), at: start)))
    _ = meters.hear(Beacon.says(.stable), at: start)
    #expect(first.unread == [Beacon.responds("scale"), Beacon.says(.stable)])
    for _ in 0..<2 { first.delivers(.advertisement([], rssi: 0)) }
    #expect(meters.endedKnown(Beacon.address(1), unread: first.unread) == nil)
    guard case .opens(let second, let shown) = meters.hear(Beacon.says(.unstable), at: start) else {
      Issue.record("the change was not seen")
      return
    }
    #expect(second.unread == [Beacon.says(.unstable)] && shown == Beacon.responds("scale"))
  }

  @Test("who does not fit is not remembered, and no more sessions run than there is room for")
  func room() throws {
    let meters = meters()
    var other = Beacon.says(.stable, from: 250)
    other.eventType = .connectable
    #expect(open(meters.hear(other, at: start)) == nil && meters.isQuiet)
    var opened = 0
    for number in 0..<200 as Range<UInt8> {
      switch meters.hear(Beacon.says(.unstable, from: number), at: start) {
      case .opens: opened += 1
      case .noRoom: #expect(opened == AdvertisingMeters.maximumSessions)
      case .nothing: Issue.record("\(number) was neither taken nor refused")
      }
    }
    #expect(opened == AdvertisingMeters.maximumSessions)
    meters.ended(Beacon.address(0))
    #expect(open(meters.hear(Beacon.says(.unstable, from: 199), at: start)) != nil, "there is room again")
  }

  @Test("more changes than can wait end the session with a reason, behind what was kept")
  func flood() async {
    let link = AdvertisementLink(clock: .ofTest)
    for number in 0..<UInt16(AdvertisementLink.maximumWaiting + 5) { link.hear(Beacon.says(.unstable, number)) }
    #expect(await facts(link).count == AdvertisementLink.maximumWaiting)
    #expect(link.report.error?.code == .flooded)
  }
}
