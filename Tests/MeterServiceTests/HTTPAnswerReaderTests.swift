import Foundation
import Testing

@testable import MeterService

@Suite("Answers of the control socket") struct HTTPAnswerReaderTests {
  private struct Answer: Hashable {
    var status = 0
    var conversation: String?
    var body = ""
    var isOver = false
  }

  /// What comes of bytes that arrive in two pieces, and of the end of the connection behind them.
  private func read(_ text: String, cutAt place: Int, closes: Bool) throws -> Answer {
    var (reader, answer) = (HTTPAnswerReader(), Answer())
    let bytes = Data(text.utf8)
    var parts = try reader.take(Data(bytes.prefix(place)))
    parts += try reader.take(Data(bytes.dropFirst(place)))
    if closes { parts += try reader.closed() }
    for part in parts {
      switch part {
      case .head(let status, let conversation): (answer.status, answer.conversation) = (status, conversation)
      case .body(let bytes): answer.body += String(decoding: bytes, as: UTF8.self)
      }
    }
    answer.isOver = reader.isOver
    return answer
  }

  @Test(
    "are read whole, wherever they are cut",
    arguments: [
      ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, nil, "hello", false),
      ("HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\n", 200, nil, "", false),
      ("HTTP/1.1 204 No Content\r\n\r\n", 204, nil, "", false),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nMeterhost-Conversation: c-1\r\n\r\n3\r\nabc\r\n0a;x=y\r\n0123456789\r\n0\r\nT: 1\r\n\r\n",
        200, "c-1", "abc0123456789", false
      ),
      ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\n{}", 400, nil, "{}", false),
      ("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\nfull", 503, nil, "full", true),
    ] as [(String, Int, String?, String, Bool)])
  func whole(_ text: String, _ status: Int, _ conversation: String?, _ body: String, _ closes: Bool) throws {
    for place in 0...text.utf8.count {
      let answer = try read(text, cutAt: place, closes: closes)
      #expect(
        answer == Answer(status: status, conversation: conversation, body: body, isOver: true), "cut at \(place)")
    }
  }

  @Test("that break off are none")
  func brokenOff() throws {
    let whole = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    for length in 0..<whole.utf8.count {
      let text = String(whole.utf8.prefix(length)) ?? ""
      #expect(throws: HTTPAnswerReader.Malformed.self, "\(length) bytes") {
        try read(text, cutAt: length, closes: true)
      }
    }
  }

  @Test(
    "of something else are refused",
    arguments: [
      "SSH-2.0-OpenSSH\r\n", "HTTP/2 200\r\n", "HTTP/1.1 99 x\r\n", "HTTP/1.1 OK\r\n", "HTTP/1.1 200 OK\r\nnothing\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
      String(repeating: "a", count: HTTPAnswerReader.longestLine + 1),
    ])
  func refused(_ text: String) {
    #expect(throws: HTTPAnswerReader.Malformed.self) { try read(text, cutAt: 0, closes: false) }
  }
}
