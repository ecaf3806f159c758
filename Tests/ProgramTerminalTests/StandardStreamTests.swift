import Foundation
import ProgramTerminal
import TestSupport
import Testing

@Suite("Writing to a standard stream", .timeLimit(.minutes(5))) struct StandardStreamTests {
  @Test("says why not") func refused() {
    #expect(StandardStream.put("x", to: -1) == EBADF)
    #expect(StandardStream.put("", to: -1) == nil, "nothing is written")
    #expect(StandardStream.words(EBADF) == "Bad file descriptor")
  }

  @Test("waits where a pipe is non-blocking and full") func full() async throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    for end in ends { #expect(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
    let (output, input) = (ends[0], ends[1])
    let text = String(repeating: "reading\n", count: 40_000)
    async let reason = onOwnThread {
      defer { close(input) }
      return StandardStream.put(text, to: input)
    }
    let got = try await onOwnThread {
      var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
      while true {
        let count = read(output, &buffer, buffer.count)
        if count > 0 { all += buffer[..<count] }
        if count == 0 { break }
        var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        if count < 0 { _ = poll(&ready, 1, -1) }
      }
      return all
    }
    #expect(try await reason == nil)
    #expect(got == Array(text.utf8))
    close(output)
  }
}
