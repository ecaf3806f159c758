/// What a server sends.
package enum NATSServerOperation: Sendable, Hashable {
  /// What it is.
  case info(NATSServerInfo)
  /// A message of a subscription.
  case message(subscription: UInt64, NATSMessage)
  /// It asks whether the client lives.
  case ping
  /// It lives.
  case pong
  /// It took something; only where a client has asked for it.
  case ok
  /// It says what is wrong.
  case error(NATSServerWords)
}

/// Why bytes are nothing that a server sends. The connection is of no more use.
package struct NATSProtocolError: Error, Sendable, Hashable {
  /// What is wrong with them; it repeats none of them.
  package let text: String
}

/// Reads what a server sends, in whatever pieces it comes.
///
/// ```swift
/// var parser = NATSParser()
/// parser.append(bytes)
/// while let operation = try parser.next() { handle(operation) }
/// ```
package struct NATSParser: Sendable {
  /// Bytes that a line may have: INFO names every server of a cluster.
  static let longestLine = 64 << 10

  /// Bytes that a message may have, header included.
  package let messageLimit: Int
  /// What came and was not read: from ``start`` on.
  private var bytes: [UInt8] = []
  private var start = 0
  /// Up to here no line ends.
  private var searched = 0
  private var open: Head?
  private var failure: NATSProtocolError?

  /// A message whose line was read and whose content is still to come.
  private struct Head {
    let subscription: UInt64
    let subject: String
    let reply: String?
    let headerCount: Int
    let count: Int
  }

  /// - Parameter messageLimit: Bytes that a message may have; a server that sends more is not listened to any longer.
  package init(messageLimit: Int = 8 << 20) { self.messageLimit = messageLimit }

  /// How many bytes wait for what is still to come.
  package var pending: Int { bytes.count - start }

  /// Takes what has come.
  package mutating func append(_ more: [UInt8]) {
    if start > 0, start == bytes.count || start > 64 << 10 {
      bytes.removeFirst(start)
      searched -= start
      start = 0
    }
    bytes += more
  }

  /// The next operation; nil while it is not whole.
  ///
  /// - Throws: For what no server sends, then and ever after.
  package mutating func next() throws(NATSProtocolError) -> NATSServerOperation? {
    if let failure { throw failure }
    do {
      if let head = open { return try message(head) }
      guard let line = try line() else { return nil }
      return try operation(line)
    } catch {
      failure = error
      bytes = []
      (start, searched) = (0, 0)
      throw error
    }
  }

  private mutating func line() throws(NATSProtocolError) -> ArraySlice<UInt8>? {
    searched = max(searched, start)
    guard let end = NATSLine.end(in: bytes[...], from: searched) else {
      // The first half of an end may have come.
      searched = max(start, bytes.count - 1)
      guard pending <= Self.longestLine else { throw NATSProtocolError(text: "a line without an end") }
      return nil
    }
    guard end - start <= Self.longestLine else { throw NATSProtocolError(text: "a line that is too long") }
    defer { (start, searched) = (end + 2, end + 2) }
    return bytes[start..<end]
  }

  private mutating func operation(_ line: ArraySlice<UInt8>) throws(NATSProtocolError) -> NATSServerOperation? {
    let word = line.prefix { $0 != 0x20 && $0 != 0x09 }
    let rest = line.dropFirst(word.count)
    switch String(decoding: word, as: UTF8.self).uppercased() {
    case "MSG":
      open = try head(NATSLine.words(rest), hasHeaders: false)
      return try next()
    case "HMSG":
      open = try head(NATSLine.words(rest), hasHeaders: true)
      return try next()
    case "PING": return .ping
    case "PONG": return .pong
    case "+OK": return .ok
    case "-ERR": return .error(NATSServerWords(rest))
    case "INFO":
      guard let info = NATSServerInfo(Array(rest.drop { $0 == 0x20 || $0 == 0x09 })) else {
        throw NATSProtocolError(text: "an INFO that is no JSON object")
      }
      return .info(info)
    default: throw NATSProtocolError(text: "a word that no server of NATS says")
    }
  }

  /// `SUBJECT SID [REPLY] [HEADER] TOTAL`.
  private func head(_ words: [ArraySlice<UInt8>], hasHeaders: Bool) throws(NATSProtocolError) -> Head {
    let sizes = hasHeaders ? 2 : 1
    guard words.count == 2 + sizes || words.count == 3 + sizes, let subscription = NATSLine.number(words[1]),
      let total = NATSLine.number(words[words.count - 1])
    else { throw NATSProtocolError(text: "a message without its sizes") }
    let header = hasHeaders ? NATSLine.number(words[words.count - 2]) : 0
    guard let header, header <= total else { throw NATSProtocolError(text: "a header longer than its message") }
    guard total <= UInt64(messageLimit) else { throw NATSProtocolError(text: "a message that is too long") }
    return Head(
      subscription: subscription, subject: String(decoding: words[0], as: UTF8.self),
      reply: words.count == 3 + sizes ? String(decoding: words[2], as: UTF8.self) : nil, headerCount: Int(header),
      count: Int(total))
  }

  private mutating func message(_ head: Head) throws(NATSProtocolError) -> NATSServerOperation? {
    guard pending >= head.count + 2 else { return nil }
    let end = start + head.count
    guard bytes[end] == 0x0D, bytes[end + 1] == 0x0A else {
      throw NATSProtocolError(text: "a message that does not end where it says")
    }
    let content = start + head.headerCount
    let headers = head.headerCount == 0 ? NATSHeaders() : NATSHeaders(bytes[start..<content])
    let message = NATSMessage(
      subject: head.subject, reply: head.reply, headers: headers ?? NATSHeaders(), hasBrokenHeaders: headers == nil,
      payload: Array(bytes[content..<end]))
    open = nil
    (start, searched) = (end + 2, end + 2)
    return .message(subscription: head.subscription, message)
  }
}
