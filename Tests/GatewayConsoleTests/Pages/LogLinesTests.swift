import GatewayAPI
import Synchronization
import TestSupport
import Testing

@testable import GatewayConsole

/// Log lines on the page of the log, by themselves, and as a file.
@Suite("Log lines on the console", .timeLimit(.minutes(60))) struct LogLinesTests {
  @Test func theNewestStandFirstWithTheirColour() throws {
    let lines = [Samples.logLine("first", 1, level: "info"), Samples.logLine("second", 2, level: "error")]
    let page = LogLinesPage(lines, at: .many, times: Samples.times)
    #expect(page.rows.map(\.text) == ["second driver=second", "first driver=first"])
    #expect(page.rows.map(\.mark) == ["failed", ""] && page.rows.map(\.area) == ["bluetooth", "bluetooth"])
    let document = try HTMLDocument(try Samples.html(page))
    #expect(document.all("section").first?.attributes["data-from"] == "/log/lines")
  }

  @Test func eachPlaceAsksForAsManyAsItShows() async throws {
    try await withConsole { console in
      let asked = Mutex<[Int]>([])
      console.host.set(LogTailRequest.self) { request in
        asked.withLock { $0.append(request.limit) }
        return [Samples.logLine("<i>a line</i>")]
      }
      let visitor = try await console.visit()
      for (path, type) in [("/log/lines", "text/html"), ("/log/newest", "text/html"), ("/log/lines.txt", "text/plain")]
      {
        let reply = try await visitor.get(path)
        #expect(reply.status == 200 && reply.headers["content-type"]?.hasPrefix(type) == true, "\(path)")
        #expect(reply.body.contains(type == "text/html" ? "&lt;i&gt;a line" : "warning bluetooth: <i>a line</i>"))
      }
      #expect(asked.withLock(\.self) == [200, 30, 500])
      #expect(try await visitor.get("/log/older").status == 404)
      let file = try await visitor.get("/log/lines.txt")
      #expect(file.headers["content-disposition"] == "attachment; filename=\"meterhost-log.txt\"")
    }
  }
}
