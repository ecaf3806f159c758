import TestSupport
import Testing

import DriverContract
@testable import DriverRuntime

/// What goes over the socket for extensions of any kind: one message each way, and the kind's own coding in it.
@Suite("Extensions on the wire") struct ExtensionWireTests {
  @Test("every extension that a registry can name is served by one line of the table") func table() {
    #expect(ExtensionServers.all.map { $0.kind.id } == DriverExtension.allCases)
    #expect(DriverExtension.allCases.allSatisfy { ExtensionServers.kind($0.rawValue)?.id == $0 })
    #expect(ExtensionServers.kind("meterhost.nothing/1") == nil)
  }

  @Test("a host's message is read as it was written", arguments: ExtensionSeeds.hostMessages.indices)
  func hostMessage(index: Int) throws {
    let message = ExtensionSeeds.hostMessages[index]
    #expect(try HostMessage(type: message.type, payload: message.payload).payload == message.payload)
    guard case .extension(let sent) = message,
      case .extension(let back) = try HostMessage(
        type: message.type, payload: message.payload)
    else { throw CancellationError() }
    #expect(back.kind == sent.kind && back.step == sent.step && back.payload.bytes == sent.payload.bytes)
    // What is cut off before the payload is no message.
    for length in 0..<sent.head.count {
      #expect(throws: WireError.self) {
        try HostMessage(type: message.type, payload: Array(message.payload[..<length]))
      }
    }
  }

  @Test("a worker's answer is read as it was written", arguments: ExtensionSeeds.workerMessages.indices)
  func workerMessage(index: Int) throws {
    let message = ExtensionSeeds.workerMessages[index]
    #expect(try WorkerMessage(type: message.type, payload: message.payload).payload == message.payload)
  }

  @Test("a question that is cut off or goes on is refused by its kind", arguments: ExtensionSeeds.questions.indices)
  func question(index: Int) throws {
    let seed = ExtensionSeeds.questions[index]
    let bytes = seed.payload.bytes
    #expect(try ExtensionSeeds.question(seed.kind, seed.payload) == bytes)
    for length in bytes.indices {
      #expect(throws: WireError.self) {
        try ExtensionSeeds.question(seed.kind, ExtensionPayload(Array(bytes[..<length])))
      }
    }
    #expect(throws: WireError.self) { try ExtensionSeeds.question(seed.kind, ExtensionPayload(bytes + [0])) }
  }

  @Test(
    "an answer means what it says and nothing else, also when it is cut off", arguments: ExtensionSeeds.answers.indices)
  func answer(index: Int) {
    let bytes = ExtensionSeeds.answers[index].payload.bytes
    #expect(ExtensionSeeds.answers(ExtensionPayload(bytes)).contains(bytes))
    for length in 0...bytes.count {
      let cut = Array(bytes[..<length])
      #expect(ExtensionSeeds.answers(ExtensionPayload(cut)).allSatisfy { $0 == cut })
    }
  }

  @Test("large content is sent from where it lies, and is the same bytes as in one piece") func bulk() throws {
    let file = [UInt8](repeating: 7, count: 100_000)
    let payload = ImageQuestion.measure(file).payload
    #expect(payload.bulk == file && payload.head.count == 5 && payload.count == 100_005)
    guard
      case .measure(let whole) = try ExtensionPayload(payload.bytes).read({ reader throws(WireError) in
        try ImageQuestion(from: &reader)
      }),
      case .measure(let pieces) = try payload.read({ reader throws(WireError) in
        try ImageQuestion(from: &reader)
      })
    else { throw CancellationError() }
    #expect(whole == file && pieces == file)
  }
}
