import TestSupport
import Testing

// The files of Sources/Protocol are compiled into this test module too: they are values that need no bundle.

@Suite struct FrameTests {
  @Test(
    arguments: [
      ([0x20, 0x02], 0x03, "02090003200203d492"), ([0x0a, 0x02, 0x06], 0x03, "020a00030a0206030a3f"),
    ] as [([UInt8], UInt8, String)])
  func commandsAreFramedAsPublished(payload: [UInt8], prefix: UInt8, frame: String) {
    #expect(Frame.encode(payload, prefix: prefix).map(hexadecimal) == frame)
  }

  @Test func checksumOfTheStandardText() {
    #expect(frameChecksum(Array("123456789".utf8)[...]) == 0x29b1)
  }

  @Test func longestPayload() throws {
    let payload = [UInt8](repeating: 7, count: 248)
    let frame = try #require(Frame.encode(payload, prefix: 4))
    #expect(frame.count == 255)
    #expect(try Frame.decode(frame) == payload)
    #expect(Frame.encode(payload + [7], prefix: 4) == nil)
  }

  @Test(arguments: [0x03, 0x04, 0x0c] as [UInt8])
  func repliesOfEveryPrefixAreTaken(prefix: UInt8) throws {
    let frame = try #require(Frame.encode([6, 1, 2], prefix: prefix))
    #expect(try Frame.decode(frame) == [6, 1, 2])
  }

  @Test func damageIsFound() throws {
    let frame = try #require(Frame.encode([6, 1, 2, 3, 4], prefix: 3))
    for length in 0..<frame.count {
      #expect(throws: FrameError.wrongLength) { try Frame.decode(Array(frame[..<length])) }
    }
    #expect(throws: FrameError.wrongLength) { try Frame.decode(frame + [0]) }
    for index in frame.indices {
      for bit in 0..<8 {
        var damaged = frame
        damaged[index] ^= 1 << UInt8(bit)
        #expect(throws: FrameError.self, "byte \(index) bit \(bit)") { try Frame.decode(damaged) }
      }
    }
  }

  @Test func randomBytesAreNoFrames() {
    var generator = SeededGenerator(seed: 0x10)
    for _ in 0..<5_000 {
      var bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if bytes.count > 3, Bool.random(using: &generator) { (bytes[0], bytes[1]) = (2, UInt8(bytes.count)) }
      // A checksum of 16 bits lets one in 65536 through; this seed gives none.
      #expect(throws: FrameError.self) { try Frame.decode(bytes) }
    }
  }
}

@Suite struct FragmentTests {
  static let frame = (0..<50).map { UInt8($0) }

  @Test(arguments: [(20, 3), (51, 1), (50, 2), (2, 50), (0, 50)])
  func cutAndJoined(size: Int, count: Int) throws {
    var queue = FragmentQueue(Self.frame, size: size)
    var assembler = FragmentAssembler()
    var sent = 0
    var joined: [UInt8]?
    while let fragment = queue.current {
      #expect(joined == nil && fragment.count <= max(size, 2))
      joined = try assembler.take(fragment)
      let (wrong, right) = (queue.acknowledge(0x3f), queue.acknowledge(fragment[0] & 0x3f))
      #expect(!wrong && right)
      sent += 1
    }
    #expect(sent == count && joined == Self.frame && !assembler.isInside)
  }

  @Test func headersAreAsPublished() {
    var queue = FragmentQueue(Self.frame, size: 20)
    var headers: [UInt8] = []
    while let fragment = queue.current {
      headers.append(fragment[0])
      _ = queue.acknowledge(fragment[0] & 0x3f)
    }
    #expect(headers == [0x03, 0x42, 0x41])
  }

  @Test(
    arguments: [[0x03, 0x42, 0x41], [0x03, 0x41, 0x42], [0x02, 0x41], [0x01], [0x04, 0x43, 0x42, 0x41]] as [[UInt8]])
  func laterFragmentsMayCountEitherWay(headers: [UInt8]) throws {
    var assembler = FragmentAssembler()
    for (index, header) in headers.enumerated() {
      let joined = try assembler.take([header, UInt8(index)])
      #expect(joined == (index == headers.count - 1 ? (0..<headers.count).map { UInt8($0) } : nil))
    }
  }

  @Test(
    arguments: [
      ([0x42], .outOfOrder), ([0x03, 0x43], .outOfOrder), ([0x03, 0x42, 0x42], .outOfOrder),
      ([0x03, 0x41, 0x41], .outOfOrder),
      ([0x00], .impossible), ([0x81], .outOfOrder), ([0xc1], .outOfOrder), ([0x04, 0x42], .outOfOrder),
    ] as [([UInt8], FragmentError)])
  func wrongOrderForgetsTheFrame(headers: [UInt8], error: FragmentError) throws {
    var assembler = FragmentAssembler()
    for header in headers.dropLast() { #expect(try assembler.take([header, 1]) == nil) }
    let last = try #require(headers.last)
    #expect(throws: error) { try assembler.take([last, 1]) }
    #expect(try assembler.take([1, 9]) == [9])
  }

  @Test func aFirstFragmentStartsAgain() throws {
    var assembler = FragmentAssembler()
    #expect(try assembler.take([3, 1]) == nil)
    #expect(try assembler.take([0x42, 1]) == nil)
    #expect(try assembler.take([2, 5]) == nil)
    #expect(try assembler.take([0x41, 6]) == [5, 6])
  }

  @Test func memoryIsBounded() throws {
    var assembler = FragmentAssembler()
    let long = [UInt8](repeating: 0, count: 100)
    #expect(try assembler.take([63] + long) == nil)
    #expect(try assembler.take([0x40 | 62] + long) == nil)
    #expect(throws: FragmentError.impossible) { try assembler.take([0x40 | 61] + long) }
    #expect(!assembler.isInside)
  }
}

@Suite struct ExchangeTests {
  static let command = Frame.encode(Command.readRecord(76).payload, prefix: 3) ?? []
  static let reply = Frame.encode([6, 1, 2, 3], prefix: 12) ?? []

  @Test func oneCommandOneReply() {
    var exchange = Exchange()
    #expect(exchange.begin(Self.command) == [1] + Self.command)
    #expect(exchange.receive([0x81]) == .wait)
    #expect(exchange.receive([1] + Self.reply) == .reply(payload: [6, 1, 2, 3], acknowledgement: [0x81]))
    #expect(exchange.receive([1] + Self.reply) == .dropped(.unasked))
    #expect(exchange.expire() == .nothing)
  }

  @Test func bothWaysInFragments() throws {
    let command = (0..<20).map { UInt8($0) }
    var exchange = Exchange(fragmentSize: 9)
    #expect(exchange.begin(command) == [3] + command[..<8])
    #expect(exchange.receive([0x82]) == .dropped(.unexpectedAcknowledgement))
    #expect(exchange.receive([0x83]) == .send([0x42] + command[8..<16]))
    #expect(exchange.receive([0x83]) == .dropped(.unexpectedAcknowledgement))
    #expect(exchange.receive([0x82]) == .send([0x41] + command[16...]))
    #expect(exchange.receive([0x81]) == .wait)
    #expect(exchange.receive([3] + Self.reply[..<4]) == .send([0x83]))
    #expect(exchange.receive([0x42] + Self.reply[4..<8]) == .send([0x82]))
    #expect(
      exchange.receive([0x41] + Self.reply[8...]) == .reply(payload: [6, 1, 2, 3], acknowledgement: [0x81]))
  }

  @Test func aReplyBeforeTheAcknowledgementBelongsToAnEarlierCommand() {
    var exchange = Exchange()
    _ = exchange.begin(Self.command)
    #expect(exchange.receive([1] + Self.reply) == .dropped(.unasked))
    #expect(exchange.receive([0x81]) == .wait)
    #expect(exchange.receive([]) == .dropped(.fragment(.empty)))
    #expect(exchange.receive([0xc1]) == .dropped(.fragment(.empty)))
    #expect(exchange.receive([1] + Self.reply) == .reply(payload: [6, 1, 2, 3], acknowledgement: [0x81]))
  }

  @Test func aDamagedReplyIsNotAcknowledgedAndTheCommandRepeated() {
    var exchange = Exchange()
    let first = exchange.begin(Self.command)
    _ = exchange.receive([0x81])
    var damaged = Self.reply
    damaged[5] ^= 0x10
    #expect(exchange.receive([1] + damaged) == .dropped(.frame(.wrongChecksum)))
    #expect(exchange.expire() == .quieten)
    #expect(exchange.receive([1] + Self.reply) == .dropped(.late))
    #expect(exchange.receive([0x81]) == .dropped(.late))
    #expect(exchange.expire() == .send(first))
    #expect(exchange.receive([1] + Self.reply) == .dropped(.unasked))
    #expect(exchange.receive([0x81]) == .wait)
    #expect(exchange.receive([1] + Self.reply) == .reply(payload: [6, 1, 2, 3], acknowledgement: [0x81]))
  }

  @Test func aSilentMeterIsAskedThreeTimes() {
    var exchange = Exchange()
    let first = exchange.begin(Self.command)
    for _ in 1..<Exchange.attempts {
      #expect(exchange.expire() == .quieten)
      #expect(exchange.expire() == .send(first))
    }
    #expect(exchange.expire() == .giveUp)
    #expect(exchange.expire() == .nothing)
    #expect(exchange.begin(Self.command) == first)
    #expect(exchange.expire() == .quieten)
  }

  @Test func halfAReplyIsForgottenAtTheRepeat() {
    var exchange = Exchange()
    let first = exchange.begin(Self.command)
    _ = exchange.receive([0x81])
    #expect(exchange.receive([2] + Self.reply[..<4]) == .send([0x82]))
    #expect(exchange.expire() == .quieten)
    #expect(exchange.expire() == .send(first))
    _ = exchange.receive([0x81])
    #expect(exchange.receive([0x41] + Self.reply[4...]) == .dropped(.fragment(.outOfOrder)))
  }

  /// Whatever a meter sends, only a frame with a right checksum that was asked for becomes a reply.
  @Test func noiseNeverBecomesAReply() {
    var generator = SeededGenerator(seed: 0x20)
    for _ in 0..<300 {
      var exchange = Exchange()
      _ = exchange.begin(Self.command)
      _ = exchange.receive([0x81])
      for _ in 0..<30 {
        var value = [1] + Self.reply
        for _ in 0...Int.random(in: 0...3, using: &generator) {
          let place = Int.random(in: 1..<value.count, using: &generator)
          value[place] ^= UInt8.random(in: 1...255, using: &generator)
        }
        if Bool.random(using: &generator) { value = Array(value.prefix(Int.random(in: 0...9, using: &generator))) }
        if case .reply(let payload, _) = exchange.receive(value) { #expect(payload == [6, 1, 2, 3]) }
        if Bool.random(using: &generator), case .giveUp = exchange.expire() { break }
      }
    }
  }
}

func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
