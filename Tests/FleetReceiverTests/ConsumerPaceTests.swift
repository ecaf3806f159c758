import Testing

@testable import FleetReceiver

@Suite("When a receiver asks for messages") struct ConsumerPaceTests {
  @Test("it asks for whole batches as long as they can be stored") func runs() {
    var pace = ConsumerPace(limit: 500)
    for _ in 0..<3 {
      #expect(pace.next() == .pull(500))
      pace.stored()
    }
    pace.foundNothing(hasWaited: true)
    #expect(pace.next() == .pull(500))
  }

  @Test("a server that does not wait for messages is asked twice a second, and not without a pause") func idle() {
    var pace = ConsumerPace(limit: 5)
    pace.foundNothing(hasWaited: false)
    #expect(pace.next() == .wait(ConsumerPace.idleWait))
    #expect(pace.next() == .pull(5))
  }

  @Test("without the database nothing is asked for until it answers, ever more seldom") func withoutDatabase() {
    var pace = ConsumerPace(limit: 5)
    var waits: [Duration] = []
    for _ in 0..<7 {
      pace.databaseFailed(isAway: true)
      guard case .probe(let wait) = pace.next() else {
        Issue.record("it asks")
        return
      }
      #expect(pace.delay == wait)
      waits.append(wait)
    }
    #expect(waits == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    pace.databaseAnswers()
    #expect(pace.next() == .pull(5))
    pace.databaseFailed(isAway: true)
    #expect(pace.next() == .probe(after: .seconds(1)))
  }

  @Test("a batch with which the database fails is tried in halves, down to one message, and grows again") func halves()
  {
    var pace = ConsumerPace(limit: 500)
    var sizes: [Int] = []
    while pace.size > 1 {
      sizes.append(pace.size)
      pace.databaseFailed(isAway: false)
      pace.databaseAnswers()
    }
    #expect(sizes == [500, 250, 125, 62, 31, 15, 7, 3])
    #expect(pace.next() == .pull(1))
    for _ in 0..<10 { pace.stored() }
    #expect(pace.next() == .pull(500))
  }

  @Test("a message with which the database fails alone stays away for longer each time") func delays() {
    #expect(
      [0, 1, 2, 3, 7, 8, 9, 1000].map { ConsumerPace.delay(delivery: $0) }
        == [30, 30, 60, 120, 1920, 3600, 3600, 3600].map { .seconds($0) })
  }

  @Test("a message server that fails is asked again after a pause, ever more seldom") func withoutServer() {
    var pace = ConsumerPace(limit: 5)
    for wait in [1, 2, 4, 8, 16, 30, 30] {
      pace.serverFailed()
      #expect(pace.next() == .wait(.seconds(wait)))
      #expect(pace.next() == .pull(5))
    }
    pace.stored()
    pace.serverFailed()
    #expect(pace.next() == .wait(.seconds(1)))
  }
}
