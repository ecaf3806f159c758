import TestSupport
import Testing

@testable import MeterReceiver

@Suite(.everyStorage) struct FuzzTests {
  /// Bytes of a valid body, bent: whatever comes, the answer is a decision and the receiver lives.
  @Test(arguments: [UInt64(1), 2, 3, 4])
  func mutatedBodiesNeverFailTheServer(seed: UInt64) async throws {
    try await withReceiver { server async throws in
      var generator = SeededGenerator(seed: seed)
      var statuses: [Int: Int] = [:]
      for _ in 0..<250 {
        var body = Array(measurement().utf8)
        for _ in 0..<Int.random(in: 1...4, using: &generator) { Self.mutate(&body, using: &generator) }
        let reply = try await server.post(body)
        #expect(reply.status < 500, "\(String(decoding: body, as: UTF8.self))")
        #expect([200, 201, 207, 400, 409].contains(reply.status), "\(String(decoding: body, as: UTF8.self))")
        statuses[reply.status, default: 0] += 1
      }
      // Bodies that only differ in a tag's text stay valid, so that both ways are walked.
      #expect(statuses[400, default: 0] > 50)
      #expect(statuses.count > 1)
      #expect(try await server.get("/healthz").status == 200)
      for stored in try server.stored() { #expect((10...1000).contains(stored.metrics[0].value)) }
    }
  }

  @Test(arguments: [UInt64(11), 12])
  func mutatedHeadsNeverFailTheServer(seed: UInt64) async throws {
    try await withReceiver { server async throws in
      var generator = SeededGenerator(seed: seed)
      let targets = [
        "/organizations/clinic/users/patient-1/measurements?start_date=2018-01-01&end_date=2018-01-02&token=x&limit=1",
        "/connect/provider/user", "/connect/provider/data/measurements", "/healthz?=&&=%&%zz=%%%",
      ]
      for number in 0..<200 {
        let head = "GET \(targets[number % targets.count]) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer y\r\n"
        var bytes = Array(head.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &generator) { Self.mutate(&bytes, using: &generator) }
        do {
          let reply = try await RawHTTP.exchange(
            port: server.port, bytes + Array("Connection: close\r\n\r\n".utf8), halfClose: true)
          #expect(reply.status < 500, "\(String(decoding: bytes, as: UTF8.self))")
        } catch is RawHTTP.ConnectionDropped {
          // What is no HTTP at all may be hung up on.
        }
      }
      #expect(try await server.get("/healthz").status == 200)
    }
  }

  static func mutate(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
    guard !bytes.isEmpty else { return }
    let position = Int.random(in: 0..<bytes.count, using: &generator)
    switch Int.random(in: 0..<7, using: &generator) {
    case 0: bytes[position] = UInt8.random(in: .min ... .max, using: &generator)
    case 1: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 2: bytes.remove(at: position)
    case 3: bytes.removeSubrange(position..<min(bytes.count, position + 20))
    case 4: bytes.insert(contentsOf: bytes[position..<min(bytes.count, position + 30)], at: position)
    case 5:
      let tokens = ["null", "-1", "1e308", "1e-400", "\"\"", "[", "{", "}", "]", ",", "\\u0000", "9223372036854775808"]
      bytes.insert(contentsOf: Array((tokens.randomElement(using: &generator) ?? "").utf8), at: position)
    default:
      // A digit for a digit keeps the text valid JSON.
      let digits = bytes.indices.filter { bytes[$0].isDigit }
      if let digit = digits.randomElement(using: &generator) {
        bytes[digit] = UInt8(ascii: "0") + UInt8.random(in: 0..<10, using: &generator)
      }
    }
  }
}
