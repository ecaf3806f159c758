import TestSupport
import Testing

@testable import MeterConsole

@Suite struct FuzzTests {
  /// Mutated requests are answered or dropped, never with a page, and the view goes on.
  @Test func spoiledRequestsDoNoHarm() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      var random = SeededGenerator(seed: 7)
      let samples = [
        "GET / HTTP/1.1\r\nHost: \(console.host)\r\nConnection: close\r\n\r\n",
        "POST /api/readings HTTP/1.1\r\nHost: \(console.host)\r\nOrigin: http://\(console.host)\r\nConnection: close\r\n"
          + "Meterhost-Page: \(visitor.pageToken)\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n"
          + #"{"meter": 1}"#,
        "GET \(console.linkPath) HTTP/1.1\r\nHost: \(console.host)\r\nConnection: close\r\n\r\n",
      ]
      for round in 0..<150 {
        var bytes = Array(samples[round % samples.count].utf8)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          let place = Int.random(in: 0..<bytes.count, using: &random)
          switch Int.random(in: 0..<3, using: &random) {
          case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
          case 1: bytes.remove(at: place)
          default: bytes.insert(contentsOf: bytes[place...].prefix(9), at: place)
          }
        }
        // Without the cookie no request is served, whatever it has become.
        if let reply = try? await RawHTTP.exchange(port: console.port, bytes, halfClose: true) {
          #expect(reply.status >= 400)
          #expect(!reply.body.contains(visitor.pageToken))
        }
      }
      #expect(try await visitor.get("/").status == 200)
    }
  }

  /// A path has one spelling at most, and it is the one that is written.
  @Test func aRouteIsReadFromNothingElse() {
    var random = SeededGenerator(seed: 11)
    let words = [
      "", "api", "meters", "readings", "1", "0", "overlay", "events", "open", "view.js", ".", "..", "%2f", "é",
    ]
    for _ in 0..<5000 {
      let path = (0..<Int.random(in: 0...6, using: &random))
        .map { _ in "/" + (words.randomElement(using: &random) ?? "") }.joined()
      switch ConsoleRoute(path: path[...]) {
      case nil: break
      case .page(let file): #expect(file.path == path)
      case .open(let token): #expect(path == "/open/\(token)")
      case .meters: #expect(path == "/api/meters")
      case .overlay(let meter): #expect(path == "/api/meters/\(meter)/overlay")
      case .start: #expect(path == "/api/readings")
      case .events(let id): #expect(path == "/api/readings/\(id)/events")
      case .preview(let id): #expect(path == "/api/readings/\(id)/preview")
      case .crop(let id): #expect(path == "/api/readings/\(id)/crop")
      case .cancel(let id): #expect(path == "/api/readings/\(id)/cancel")
      case .submit(let id): #expect(path == "/api/readings/\(id)/submit")
      case .discard(let id): #expect(path == "/api/readings/\(id)/discard")
      }
    }
  }

  /// JSON has no infinity: a rectangle without a place is left out.
  @Test func rectanglesWithoutAPlaceAreNotTold() {
    let lost = RelativeBox(x: .nan, y: 0, width: .infinity, height: 1)
    let event = PageEvent(
      PartialReading(rows: [.init(label: "Value", text: "a\"\n</script>")], overlay: lost, glare: [lost]))
    #expect(event.json.contains(#""glare":[]"#))
    #expect(!event.json.contains("overlay"))
    #expect(!event.json.contains("\n"))
  }
}
