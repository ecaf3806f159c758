@testable import CurlHTTP
import TestSupport
import Testing

@testable import MeterCore
@testable import InformSink

/// A listener that does not listen costs bounded memory, and hears how much it has missed.
@Suite("Upload event buffer", .timeLimit(.minutes(60)))
struct UploadEventBufferTests {
  func event(_ number: Int) -> DeliveryEvent {
    .clockSkew(.init(seconds: number, measuredMicroseconds: 0), sink: "inform")
  }

  @Test("keeps what came first, and says in its place how many did not fit")
  func gap() async {
    let (stream, buffer) = DeliveryEventBuffer.make(limit: 3)
    var listener = stream.makeAsyncIterator()
    for number in 1...7 { buffer.tell(event(number)) }
    for number in 1...2 { #expect(await listener.next() == event(number)) }
    for number in 8...9 { buffer.tell(event(number)) }
    #expect(await listener.next() == event(3))
    #expect(await listener.next() == .missed(4))
    #expect(await listener.next() == event(8))
    buffer.tell(event(10))
    #expect(await listener.next() == .missed(1))
    #expect(await listener.next() == event(10))
    buffer.finish()
    #expect(await listener.next() == nil)
  }

  @Test("is let go when nobody listens any more")
  func end() async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let buffer = {
      let (stream, buffer) = DeliveryEventBuffer.make()
      buffer.onEnd { end.yield() }
      _ = stream
      return buffer
    }()
    for await _ in ends { break }
    buffer.tell(event(1))
  }

  @Test("an uploader's listener that stops listening holds no more than its bound")
  func uploader() async throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    let uploader = DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint("http://127.0.0.1:1"), transport: CurlTransport(),
      clock: StoppedClock())
    let events = await uploader.events()
    let count = DeliveryEventBuffer.limit + 50
    for number in 1...count { await uploader.emit(event(number)) }
    var heard = 0
    for await element in events {
      #expect(element == event(heard + 1))
      heard += 1
      if heard == DeliveryEventBuffer.limit { break }
    }
    await uploader.emit(event(0))
    for await element in events {
      #expect(element == .missed(50))
      break
    }
  }
}
