import HostPrimitives
import Testing

@Suite("Broadcasts")
struct BroadcastTests {
  @Test("each listener hears what is sent while it listens, in order")
  func listeners() async {
    let broadcast = Broadcast<Int>(.unbounded)
    broadcast.send(0)
    let first = broadcast.listen()
    broadcast.send(1)
    let second = broadcast.listen()
    broadcast.send(2)
    broadcast.finish()
    broadcast.send(3)
    #expect(await elements(first) == [1, 2])
    #expect(await elements(second) == [2])
  }

  @Test("who comes behind the end hears nothing, and is not kept waiting")
  func late() async {
    let broadcast = Broadcast<Int>(.unbounded)
    broadcast.send(1)
    broadcast.finish()
    #expect(await elements(broadcast.listen()).isEmpty)
  }

  @Test("of a broadcast of the latest, everybody gets the latest at once, also behind the end")
  func latest() async {
    let broadcast = Broadcast<Int>(latest: 0)
    let early = broadcast.listen()
    broadcast.send(1)
    broadcast.send(2)
    var iterator = broadcast.listen().makeAsyncIterator()
    #expect(await iterator.next() == 2)
    broadcast.finish()
    #expect(await iterator.next() == nil)
    #expect(await elements(early) == [2])
    #expect(await elements(broadcast.listen()) == [2])
  }

  @Test("without anything sent there is no latest")
  func nothing() async {
    let broadcast = Broadcast<Int>(latest: nil)
    broadcast.finish()
    #expect(await elements(broadcast.listen()).isEmpty)
  }

  @Test("listeners are told the end when nobody can send any more")
  func dropped() async {
    var broadcast: Broadcast<Int>? = Broadcast(.unbounded)
    let stream = broadcast?.listen()
    broadcast = nil
    if let stream { #expect(await elements(stream).isEmpty) }
  }

  @Test(
    "a listener that is cancelled while it is told something ends, and so does who tells it", .timeLimit(.minutes(5)))
  func cancelledMeanwhile() async {
    let broadcast = Broadcast<Int>(.bufferingNewest(1))
    let sending = Task.detached {
      while !Task.isCancelled { broadcast.send(0) }
    }
    for _ in 0..<3000 {
      let (stream, heard) = (broadcast.listen(), FirstOutcome<Bool>())
      // The runtime locks a task for its cancellation when it has others to cancel with it.
      let listener = Task {
        await withTaskGroup(of: Void.self) { group in
          group.addTask { for await _ in stream { heard.settle(true) } }
        }
      }
      #expect(await heard.value)
      listener.cancel()
      await listener.value
    }
    sending.cancel()
    await sending.value
  }

  private func elements(_ stream: AsyncStream<Int>) async -> [Int] {
    var all: [Int] = []
    for await element in stream { all.append(element) }
    return all
  }
}
