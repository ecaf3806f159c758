import CurlHTTP
import TestSupport
import Testing

@testable import NATSClient

@Suite("Which server is tried next")
struct NATSServerPoolTests {
  static let addresses = (1...3).map { NATSAddress(host: "n\($0)", port: 4222, isEncrypted: true) }

  @Test("each once in a round, in another order each time, then a wait that doubles to its limit")
  func rounds() {
    var generator = SeededGenerator(seed: 1)
    var pool = NATSServerPool(Self.addresses, backoff: .seconds(1)...Duration.seconds(8))
    var orders: Set<[NATSAddress]> = []
    for limit in [1, 2, 4, 8, 8, 8] {
      var order: [NATSAddress] = []
      var wait: Duration?
      while wait == nil {
        switch pool.next(using: &generator) {
        case .dial(let address): order.append(address)
        case .wait(let time): wait = time
        }
      }
      #expect(Set(order) == Set(Self.addresses) && order.count == 3)
      orders.insert(order)
      #expect(wait.map { (Duration.milliseconds(limit * 500)...Duration.seconds(limit)).contains($0) } == true)
    }
    #expect(orders.count > 1)
  }

  @Test("after a connection that was good any server is tried at once")
  func success() {
    var generator = SeededGenerator(seed: 2)
    var pool = NATSServerPool(Array(Self.addresses.prefix(1)), backoff: .seconds(1)...Duration.seconds(8))
    for _ in 0..<5 {
      #expect(pool.next(using: &generator) == .dial(Self.addresses[0]))
      pool.succeeded()
    }
    #expect(pool.next(using: &generator) == .dial(Self.addresses[0]))
    guard case .wait(let time) = pool.next(using: &generator) else {
      Issue.record("a server that fails is tried again without a wait")
      return
    }
    #expect(time <= .seconds(1) && time >= .milliseconds(500))
  }

  @Test("what servers say of others is tried behind those of the setting, and none without TLS")
  func learnt() {
    var generator = SeededGenerator(seed: 3)
    var pool = NATSServerPool([Self.addresses[0]], backoff: .seconds(1)...Duration.seconds(8))
    pool.learn(
      ["n1:4222", "n2:4222", "n2:4222", "10.0.0.9:4222", "[::1]:4222", "nonsense", "a b:1", "x:99999"],
      from: Self.addresses[0])
    #expect(pool.learnt.map(\.description) == ["tls://n2:4222", "tls://10.0.0.9:4222", "tls://[::1]:4222"])
    var order: [NATSAddress] = []
    while case .dial(let address) = pool.next(using: &generator) { order.append(address) }
    #expect(order.first == Self.addresses[0] && order.count == 4)
    // A server of this machine without TLS leads to no other machine.
    pool.learn(
      ["10.0.0.9:4222", "127.0.0.1:4223", "nats.example:4222"],
      from: NATSAddress(host: "127.0.0.1", port: 4222, isEncrypted: false))
    #expect(pool.learnt.map(\.description) == ["nats://127.0.0.1:4223"])
    pool.learn((0..<1000).map { "h\($0):1" }, from: Self.addresses[0])
    #expect(pool.learnt.count == 64)
  }

  @Test(
    "addresses",
    arguments: [
      ("tls://nats.example", "tls://nats.example:4222"), ("TLS://nats.example:5000/", "tls://nats.example:5000"),
      ("nats://127.0.0.1", "nats://127.0.0.1:4222"), ("nats://localhost:1", "nats://localhost:1"),
      ("tls://[2001:db8::1]:4222", "tls://[2001:db8::1]:4222"), ("nats://nats.example", nil),
      ("nats://10.0.0.1:4222", nil),
      ("https://nats.example", nil), ("tls://a@nats.example", nil), ("tls://nats.example/x", nil), ("tls://", nil),
      ("", nil),
      ("tls://nats.example:0", nil),
    ])
  func addresses(text: String, whole: String?) throws {
    guard let whole else {
      #expect { try NATSAddress(text) } throws: { ($0 as? NATSError)?.code == .address }
      return
    }
    let address = try NATSAddress(text)
    #expect(address.description == whole && !address.target.host.contains("["))
  }
}
