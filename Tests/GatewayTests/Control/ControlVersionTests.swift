import Foundation
import MeterCore
import Testing

@testable import GatewayAPI
@testable import GatewayEngine

@Suite("Versions of the control interface", .timeLimit(.minutes(60))) struct ControlVersionTests {
  @Test(
    "the same major version is served, whatever is added, and a request that names none",
    arguments: [nil, "1.0", "1.999"])
  func served(header: String?) {
    #expect(ControlVersion.refusal(header, by: "9.9") == nil)
  }

  @Test("another major version is refused, and what is no version", arguments: ["0.9", "2.0", "1", "", "1.0.0", "one"])
  func refused(header: String) throws {
    let refusal = try #require(ControlVersion.refusal(header, by: "9.9"))
    #expect(refusal.code == "control_version" && refusal.hint != nil)
    #expect(
      refusal.message.contains("version \(header) of") && refusal.message.contains("version \(ControlVersion.current)"))
  }

  @Test("an event that only a later version knows is kept by its name and written as it was read") func unknownEvents()
    throws
  {
    let event = try both(EventDescription.self, #"{"cursor":7,"event":"meter_lost","time":"2026-03-01T08:00:00Z"}"#)
    #expect(event.name == "meter_lost" && event.happened == nil && event.cursor == 7 && event.missed == nil)
    guard case .read(let read) = try both(ReadTelling.self, #"{"event":"battery_low","text":"soon empty"}"#) else {
      throw CancellationError()
    }
    #expect(read.kind.rawValue == "battery_low" && read.text == "soon empty")
    guard case .unknown(let name) = try both(ScanTelling.self, #"{"event":"lost"}"#) else { throw CancellationError() }
    #expect(name == "lost")
  }

  @Test("a word that only a later version knows is kept and written as it was read") func unknownWords() throws {
    let end = #"{"cursor":1,"event":"session_ended","organization":"o","reason":"expired","unsynced":0,"user":"u"}"#
    let happened = try both(EventDescription.self, end).happened
    guard case .sessionEnded(let ended)? = happened else {
      throw CancellationError()
    }
    #expect(ended.reason?.rawValue == "expired")
    let error = try both(GatewayError.Written.self, #"{"code":"x","kind":"strange","message":"m"}"#)
    #expect(error.kind == .failed)
    let trial = try both(FeedbackTrial.self, #"{"action":"light","event":"dawn"}"#)
    #expect(trial.event.rawValue == "dawn" && trial.event.known == nil)
    let log = try both(LogDescription.self, #"{"areas":{"radio":"loud"},"values":false}"#)
    #expect(log.areas["radio"]?.rawValue == "loud")
  }

  /// Reads a value and sees that it is written as it was.
  private func both<Value: Codable>(_ type: Value.Type, _ text: String) throws -> Value {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let value = try JSONDecoder().decode(type, from: Data(text.utf8))
    #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == text)
    return value
  }
}
