import Foundation
import Glibc
import LinuxSockets
import TestSupport
import Testing

@Suite("Packet sockets", .timeLimit(.minutes(60)))
struct PacketSocketTests {
  @Test("packets keep their boundaries and their order", arguments: [1, 23, 512, 65_535])
  func boundaries(length: Int) async throws {
    let (left, right) = try PacketSocket.pair()
    let packets = (0..<3).map { [UInt8](repeating: UInt8($0), count: length) }
    async let received = [right.receive(), right.receive(), right.receive()]
    for packet in packets { try await left.send(packet) }
    #expect(try await received == packets)
  }

  @Test("a receiver that waits is woken by the packet")
  func wakes() async throws {
    let (left, right) = try PacketSocket.pair()
    let echo = Task { for try await packet in right.packets { try await right.send(packet.reversed()) } }
    for count in UInt8(1)...50 {
      try await left.send(Array(0..<count))
      #expect(try await left.receive() == Array((0..<count).reversed()))
    }
    left.close()
    try await echo.value
  }

  @Test("a socket that closes at the end is closed when its reader hears of the end", arguments: [false, true])
  func closesAtEnd(waits: Bool) async throws {
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    let left = try PacketSocket(descriptor: ends[0])
    let right = try PacketSocket(descriptor: ends[1], closesAtEnd: true)
    let reading = Task { try await right.receive() }
    if waits {
      try await left.send([1])
      #expect(try await reading.value == [1])
    }
    left.close()
    if !waits { #expect(try await reading.value == nil) }
    #expect(try await right.receive() == nil)
    #expect(right.withDescriptor { $0 } == nil)
  }

  @Test("what was sent before closing arrives, then the end")
  func closing() async throws {
    let (left, right) = try PacketSocket.pair()
    try await right.send([9])
    try await left.send([1])
    try await left.send([2])
    left.close()
    left.close()
    #expect(try await right.receive() == [1])
    #expect(try await right.receive() == [2])
    #expect(try await right.receive() == nil)
    #expect(try await right.receive() == nil)
    await #expect(throws: SocketError.self) { try await right.send([3]) }
  }

  @Test("closing this end wakes its own waiter with the end")
  func closingWakes() async throws {
    let (left, right) = try PacketSocket.pair()
    let waiting = Task { try await right.receive() }
    await Task.yield()
    right.close()
    #expect(try await waiting.value == nil)
    #expect(try await left.receive() == nil)
    do {
      try await right.send([1])
      Issue.record("sending on a closed socket must fail")
    } catch let error as SocketError {
      #expect(error.code == .closed)
    }
  }

  @Test("cancelling ends the waiting and loses no packet")
  func cancelling() async throws {
    let (left, right) = try PacketSocket.pair()
    let waiting = Task { try await right.receive() }
    await Task.yield()
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    try await left.send([7])
    #expect(try await right.receive() == [7])
  }

  @Test("cancelling at any moment ends the waiting")
  func cancellingRaces() async throws {
    let (left, right) = try PacketSocket.pair()
    for round in 0..<20_000 {
      let waiting = Task.detached { try await right.receive() }
      // Another moment each round, from before the task runs to while it waits.
      var spins = round % 600
      while spins > 0 { spins -= 1 }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
    }
    left.close()
  }

  @Test("a sender waits while the peer does not read, and goes on when it does")
  func backPressure() async throws {
    let (left, right) = try PacketSocket.pair()
    let packet = [UInt8](repeating: 5, count: 60_000)
    var queued = 0
    while try left.trySend(packet) { queued += 1 }
    #expect(queued > 0)
    let more = Task { for _ in 0..<20 { try await left.send(packet) } }
    for _ in 0..<(queued + 20) { #expect(try await right.receive()?.count == 60_000) }
    try await more.value
    while try left.trySend(packet) {}
    let blocked = Task { try await left.send(packet) }
    await Task.yield()
    blocked.cancel()
    await #expect(throws: CancellationError.self) { try await blocked.value }
  }

  @Test("packets without a byte or over the limit are refused", arguments: [0, 65_536])
  func lengths(length: Int) async throws {
    let (left, _) = try PacketSocket.pair()
    do {
      try await left.send([UInt8](repeating: 0, count: length))
      Issue.record("a packet of \(length) bytes must be refused")
    } catch let error as SocketError {
      #expect(error.code == .packetLength)
    }
  }

  @Test("trying to receive never waits")
  func trying() async throws {
    let (left, right) = try PacketSocket.pair()
    #expect(try right.tryReceive() == .nothingYet)
    #expect(try left.trySend([4]))
    #expect(try right.tryReceive() == .packet([4]))
    left.close()
    #expect(try right.tryReceive() == .closed)
    right.close()
    #expect(try right.tryReceive() == .closed)
  }

  @Test("dropping the last reference closes")
  func dropping() async throws {
    var (left, right): (PacketSocket?, PacketSocket) = try PacketSocket.pair()
    try await left?.send([1])
    left = nil
    #expect(try await right.receive() == [1])
    #expect(try await right.receive() == nil)
  }
}

@Suite("Packet listeners", .timeLimit(.minutes(60)))
struct PacketListenerTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("clients are accepted; close removes the file and wakes the waiter")
  func accepting() async throws {
    let listener = try PacketListener(path: folder.path + "/a")
    let client = try PacketSocket.connect(to: listener.path)
    let server = try #require(try await listener.accept())
    try await client.send([1, 2])
    #expect(try await server.receive() == [1, 2])
    let waiting = Task { try await listener.accept() }
    await Task.yield()
    listener.close()
    listener.close()
    #expect(try await waiting.value == nil)
    #expect(access(listener.path, F_OK) != 0)
  }

  @Test("a living listener is not replaced, and does not notice the attempt")
  func living() async throws {
    let listener = try PacketListener(path: folder.path + "/a")
    #expect(throws: SocketError.self) { try PacketListener(path: listener.path) }
    let error = #expect(throws: SocketError.self) { try PacketListener(path: listener.path) }
    #expect(error?.code == .addressInUse)
    #expect(error?.errnoName == "EADDRINUSE")
    let client = try PacketSocket.connect(to: listener.path)
    let server = try #require(try await listener.accept())
    try await client.send([1])
    #expect(try await server.receive() == [1])
  }

  @Test("a socket file that nobody listens on is replaced")
  func stale() async throws {
    let path = folder.path + "/a"
    let abandoned = try PacketListener(path: path)
    #expect(link(path, path + ".kept") == 0)
    abandoned.close()
    #expect(rename(path + ".kept", path) == 0)
    let listener = try PacketListener(path: path)
    let client = try PacketSocket.connect(to: path)
    _ = try #require(try await listener.accept())
    client.close()
  }

  @Test("a file that is no socket is left alone")
  func noSocket() throws {
    let path = folder.path + "/file"
    Glibc.close(open(path, O_CREAT | O_WRONLY, 0o600))
    let error = #expect(throws: SocketError.self) { try PacketListener(path: path) }
    #expect(error?.code == .addressInUse)
    #expect(access(path, F_OK) == 0)
  }

  @Test("a listener that was replaced by another does not remove the other's file")
  func foreignFile() throws {
    let path = folder.path + "/a"
    let first = try PacketListener(path: path)
    #expect(unlink(path) == 0)
    let second = try PacketListener(path: path)
    first.close()
    #expect(access(path, F_OK) == 0)
    second.close()
    #expect(access(path, F_OK) != 0)
  }

  @Test("errors name path and error number")
  func errors() {
    let long = "/" + String(repeating: "x", count: 120)
    #expect(throws: SocketError.self) { try PacketListener(path: long) }
    let tooLong = #expect(throws: SocketError.self) { try PacketSocket.connect(to: long) }
    #expect(tooLong?.code == .pathTooLong)
    let missing = #expect(throws: SocketError.self) { try PacketSocket.connect(to: folder.path + "/none") }
    #expect(missing?.code == .notFound)
    #expect(missing?.errnoName == "ENOENT")
    #expect(missing?.message.contains(folder.path + "/none") == true)
  }

  @Test("the folder is made for the user alone")
  func makesFolder() throws {
    let path = folder.path + "/x/y/z"
    try SocketFolder.create(path)
    try SocketFolder.create(path)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
    Glibc.close(open(folder.path + "/file", O_CREAT | O_WRONLY, 0o600))
    let error = #expect(throws: SocketError.self) { try SocketFolder.create(folder.path + "/file/x") }
    #expect(error?.errnoName == "ENOTDIR")
  }
}
