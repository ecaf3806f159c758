import Foundation
import LinuxSockets
import TestSupport
import Testing

/// What the kernel says of links and addresses, in its own form and in any other.
@Suite("Route netlink", .timeLimit(.minutes(60)))
struct NetlinkTests {
  private static func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value) { Array($0) }
  }

  private static func message(_ type: UInt16, _ body: [UInt8]) -> [UInt8] {
    let message = bytes(UInt32(16 + body.count)) + bytes(type) + [UInt8](repeating: 0, count: 10) + body
    return message + [UInt8](repeating: 0, count: (4 - message.count % 4) % 4)
  }

  private static func link(_ type: UInt16, index: UInt32, flags: UInt32) -> [UInt8] {
    message(type, [0, 0, 1, 0] + bytes(index) + bytes(flags) + [0, 0, 0, 0])
  }

  private static func attribute(_ type: UInt16, _ content: [UInt8]) -> [UInt8] {
    bytes(UInt16(4 + content.count)) + bytes(type) + content + [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
  }

  private static func address(
    _ type: UInt16, family: UInt8 = 2, flags: UInt8 = 0, index: UInt32 = 2, attributes: [UInt8]
  ) -> [UInt8] {
    message(type, [family, 24, flags, 0] + bytes(index) + attributes)
  }

  private static let local = NetlinkAddress(index: 2, family: 2, bytes: [192, 0, 2, 1])

  @Test("messages are read, several to a packet")
  func reading() {
    let packet =
      Self.link(16, index: 2, flags: 0x1 | 0x40) + Self.link(16, index: 3, flags: 0x1)
      + Self.link(17, index: 3, flags: 0) + Self.address(20, attributes: Self.attribute(1, [192, 0, 2, 1]))
      + Self.address(21, attributes: Self.attribute(2, [192, 0, 2, 1])) + Self.message(4, [])
    #expect(
      NetlinkMessage.parse(packet) == [
        .link(index: 2, isRunning: true), .link(index: 3, isRunning: false), .linkGone(index: 3),
        .address(Self.local), .addressGone(Self.local), .overrun,
      ])
  }

  @Test("the own address counts on point-to-point links, and flags beyond eight bits")
  func attributes() {
    let remote = Self.attribute(1, [198, 51, 100, 1])
    let own = Self.attribute(2, [192, 0, 2, 1])
    for order in [remote + own, own + remote] {
      #expect(NetlinkMessage.parse(Self.address(20, attributes: order)) == [.address(Self.local)])
    }
    let sixteen = [UInt8](repeating: 9, count: 16)
    let address = Self.attribute(1, sixteen)
    let value = NetlinkAddress(index: 2, family: 10, bytes: sixteen)
    #expect(NetlinkMessage.parse(Self.address(20, family: 10, attributes: address)) == [.address(value)])
    // Nobody may use an address that is still checked.
    #expect(NetlinkMessage.parse(Self.address(20, family: 10, flags: 0x40, attributes: address)) == [])
    let flags = Self.attribute(8, Self.bytes(UInt32(0x40 | 0x100)))
    #expect(NetlinkMessage.parse(Self.address(20, family: 10, attributes: address + flags)) == [])
  }

  @Test("what does not fit is left out", arguments: [[], [1], [UInt8](repeating: 0, count: 16)])
  func short(packet: [UInt8]) { #expect(NetlinkMessage.parse(packet).isEmpty) }

  @Test("wrong lengths end a packet or an attribute, and nothing more")
  func lengths() {
    let whole = Self.link(16, index: 2, flags: 0x41)
    for length in [UInt32(0), 15, 17, 33, 1 << 31, .max] {
      var cut = whole
      cut.replaceSubrange(0..<4, with: Self.bytes(length))
      #expect(NetlinkMessage.parse(cut).isEmpty)
      #expect(NetlinkMessage.parse(whole + cut) == [.link(index: 2, isRunning: true)])
    }
    #expect(NetlinkMessage.parse(Self.address(20, attributes: Self.attribute(1, [192, 0, 2]))) == [])
    #expect(NetlinkMessage.parse(Self.address(20, family: 9, attributes: Self.attribute(1, [1, 2, 3, 4]))) == [])
    #expect(NetlinkMessage.parse(Self.address(20, attributes: [3, 0, 1, 0])) == [])
  }

  @Test("no bytes make the parser fail", arguments: 0..<8)
  func fuzz(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let whole =
      Self.link(16, index: 2, flags: 0x41) + Self.address(20, attributes: Self.attribute(1, [192, 0, 2, 1]))
      + Self.address(
        20, family: 10,
        attributes: Self.attribute(1, [UInt8](repeating: 1, count: 16)) + Self.attribute(8, [0, 0, 0, 0]))
    var reach = NetworkReach()
    for round in 0..<20_000 {
      var packet = whole
      if round.isMultiple(of: 2) {
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
          packet[.random(in: packet.indices, using: &generator)] = .random(in: 0...255, using: &generator)
        }
        packet.removeLast(.random(in: 0...packet.count, using: &generator))
      } else {
        packet = (0..<Int.random(in: 0...96, using: &generator)).map { _ in .random(in: 0...255, using: &generator) }
      }
      let messages = NetlinkMessage.parse(packet)
      #expect(messages.count <= packet.count / 16)
      for message in messages {
        if case .address(let address) = message { #expect([4, 16].contains(address.bytes.count)) }
        _ = reach.take(message)
      }
    }
  }

  @Test("only what was not there before counts as news")
  func news() {
    var reach = NetworkReach()
    let steps: [(NetlinkMessage, Bool)] = [
      (.link(index: 2, isRunning: true), true),
      // Carriers and scans are told again and again.
      (.link(index: 2, isRunning: true), false),
      (.link(index: 2, isRunning: false), false), (.link(index: 2, isRunning: true), true),
      (.address(Self.local), true),
      // A router advertisement renews it.
      (.address(Self.local), false),
      (.addressGone(Self.local), false), (.address(Self.local), true),
      // An interface takes its addresses along.
      (.linkGone(index: 2), false), (.address(Self.local), true),
      (.overrun, true),
    ]
    let found = steps.map { reach.take($0.0) }
    #expect(found == steps.map(\.1))
  }

  @Test("what is remembered is bounded")
  func bounded() {
    var reach = NetworkReach()
    func take(_ number: Int) -> Bool {
      let bytes = [UInt8(number >> 8), UInt8(number & 0xFF), 0, 1]
      return reach.take(.address(NetlinkAddress(index: 1, family: 2, bytes: bytes)))
    }
    let found = (0..<5_000).map(take)
    #expect(found.allSatisfy { $0 })
    let (last, first) = (take(4_999), take(0))
    #expect(!last && first)
  }

  @Test("a monitor that is closed ends its waiting, and one that is cancelled too")
  func ends() async throws {
    let monitor = try NetworkMonitor()
    monitor.close()
    var reach = NetworkReach()
    #expect(try await monitor.waitForChange(&reach) == false)
    let waiting = Task {
      let other = try NetworkMonitor()
      var reach = NetworkReach()
      // Other tests' networks are their own; this machine's own may change meanwhile.
      while try await other.waitForChange(&reach) {}
    }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  /// Whether this kernel and sandbox give a test a network of its own.
  private static let mayMakeNetworks =
    (try? ChildProcess.run(tool: "unshare", ["-rn", "ip", "link", "set", "lo", "up"]))?.status == 0

  @Test("a link that comes up and a new address are heard from the kernel", .enabled(if: mayMakeNetworks))
  func kernel() async throws {
    let probe = BuildProducts.folder.appending(path: "network-probe").path
    // The probe starts listening before anything changes, and says so.
    let script = """
      exec 3<&1; mkfifo "$0/out"; "\(probe)" 3 >"$0/out" & exec 4<"$0/out"
      read -r line <&4; echo "$line"
      ip link set lo up; read -r line <&4; echo "$line"
      ip address add 192.0.2.1/32 dev lo; read -r line <&4; echo "$line"
      ip link set lo down; ip link set lo up; read -r line <&4; echo "$line"
      wait
      """
    let folder = FileManager.default.temporaryDirectory.appending(path: "netlink-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let said = try await onOwnThread {
      try ChildProcess.run(tool: "unshare", ["-rn", "bash", "-c", script, folder.path]).out
    }
    #expect(said == "listening\nchanged\nchanged\nchanged\n")
  }
}
