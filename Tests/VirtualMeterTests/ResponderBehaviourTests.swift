import BluetoothWire
import Foundation
import Testing

@testable import VirtualMeter

/// Meters whose questions and answers stand in the script.
@Suite struct ResponderBehaviourTests {
  /// Questions go to handle 3; answers come from handle 5, whose CCCD is 6, and indicated ones from 8, whose CCCD is 9.
  static func meter(_ exchanges: String, extra: String = "") throws -> TestMeter {
    TestMeter(
      try TestMeter.script(
        services: #"""
          {"uuid": "FFF0", "characteristics": [
            {"uuid": "FFF1", "properties": ["write", "write-without-response"]},
            {"uuid": "FFF2", "properties": ["notify"]}, {"uuid": "FFF3", "properties": ["indicate"]}]}
          """#,
        extra: #"""
          , "behaviour": {"kind": "responder", "writes_to": "FFF1", "answers_on": "FFF2", "exchanges": [\#(exchanges)]},
          "records": [{"measurement": "0102"}, {"measurement": "0304"}]\#(extra)
          """#))
  }

  /// A meter that is subscribed to.
  static func heard(_ exchanges: String, extra: String = "") throws -> TestMeter {
    var meter = try meter(exchanges, extra: extra)
    for handle in [6, 9] as [UInt16] {
      #expect(try meter.ask(.writeRequest(handle: handle, value: [handle == 6 ? 1 : 2, 0])) == .writeResponse)
    }
    return meter
  }

  /// What the meter notifies after a question.
  private func ask(_ meter: inout TestMeter, _ question: [UInt8]) throws -> [[UInt8]] {
    #expect(try meter.ask(.writeRequest(handle: 3, value: question)) == .writeResponse)
    return try meter.drain().compactMap { if case .handleValueNotification(5, let value) = $0 { value } else { nil } }
  }

  @Test func theFirstQuestionThatFitsIsAnswered() throws {
    var meter = try Self.heard(
      #"{"on": "A5 {x} 1? {sum8}", "answer": ["5A {x} {x} {sum8}", "01"]}, {"on": "A5 *", "answer": ["FF {count:2}"]}"#)
    #expect(try ask(&meter, [0xA5, 7, 0x1F, 0xCB]) == [[0x5A, 7, 7, 0x68], [1]])
    // Another sum, another nibble, another length.
    for question in [[0xA5, 7, 0x1F, 0xCC], [0xA5, 7, 0x2F, 0xDB], [0xA5]] as [[UInt8]] {
      #expect(try ask(&meter, question) == [[0xFF, 2, 0]])
    }
    #expect(try ask(&meter, [0xA6]).isEmpty)
  }

  @Test func recordsAreAnsweredByTheirPlaceOrAllAtOnceAndGo() throws {
    var meter = try Self.heard(
      #"""
      {"on": "01 {i}", "answer": [{"value": "{i} {record}", "record": "i"}]}, {"on": "01 ??", "answer": ["EE"]},
      {"on": "02", "answer": [{"value": "{record}", "record": "all"}]}, {"on": "03 {i:2}", "delete": "i"},
      {"on": "04", "delete": "all", "answer": ["{count}"]}
      """#)
    #expect(try ask(&meter, [1, 1]) == [[1, 3, 4]])
    #expect(try ask(&meter, [1, 2]) == [[0xEE]])
    #expect(try ask(&meter, [2]) == [[1, 2], [3, 4]])
    #expect(try ask(&meter, [3, 0, 0]).isEmpty && meter.machine.recordsLeft == 1)
    #expect(try ask(&meter, [2]) == [[3, 4]])
    // How many there were when it was asked.
    #expect(try ask(&meter, [4]) == [[1]])
    #expect(meter.machine.recordsLeft == 0)
  }

  @Test func anAnswerWaitsForItsTimeAndForTheConfirmationOfTheOneBefore() throws {
    var meter = try Self.heard(
      #"""
      {"on": "01", "answer": [{"characteristic": "FFF3", "value": "01"}, {"characteristic": "FFF3", "value": "02"},
                              {"value": "03", "after_ms": 40}], "ends": true}
      """#, extra: #", "disconnect_after_procedure": true"#)
    #expect(try meter.ask(.writeRequest(handle: 3, value: [1])) == .writeResponse)
    func sent(_ at: Int) throws -> [ATTPDU] { try meter.machine.next(at: at).pdus }
    #expect(try sent(0) == [.handleValueIndication(handle: 8, value: [1])])
    #expect(try sent(0).isEmpty && meter.machine.dueMilliseconds == nil)
    _ = meter.send(.handleValueConfirmation)
    #expect(try sent(5) == [.handleValueIndication(handle: 8, value: [2])])
    _ = meter.send(.handleValueConfirmation)
    #expect(try sent(10).isEmpty && meter.machine.dueMilliseconds == 50)
    let last = meter.machine.next(at: 50)
    #expect(try last.pdus == [.handleValueNotification(handle: 5, value: [3])])
    #expect(last.contains(.disconnect(.procedureDone)) && last.contains(.event(.procedureDone("conversation"))))
  }

  @Test func aSubscriptionAsksOnceAConnection() throws {
    var meter = try Self.meter(#"{"on": {"subscribe": "FFF2"}, "answer": ["01"]}"#)
    for _ in 0..<2 {
      #expect(try meter.drain().isEmpty)
      #expect(try meter.ask(.writeRequest(handle: 6, value: [1, 0])) == .writeResponse)
      #expect(try meter.drain() == [.handleValueNotification(handle: 5, value: [1])])
      #expect(try meter.drain().isEmpty)
      meter.reconnect()
    }
  }

  @Test func whatNobodyHasSubscribedToIsLost() throws {
    var meter = try Self.meter(#"{"on": "01", "answer": ["01"]}"#)
    #expect(try ask(&meter, [1]).isEmpty)
    #expect(try meter.ask(.writeRequest(handle: 6, value: [1, 0])) == .writeResponse)
    #expect(try meter.drain().isEmpty)
    #expect(try ask(&meter, [1]) == [[1]])
  }

  @Test func anExchangeComesAfterAnotherOfItsConnection() throws {
    var meter = try Self.heard(
      #"{"name": "login", "on": "01"}, {"on": "02", "after": "login", "answer": ["02"]}"#)
    #expect(try ask(&meter, [2]).isEmpty)
    _ = try ask(&meter, [1])
    #expect(try ask(&meter, [2]) == [[2]])
    meter.reconnect()
    #expect(try meter.ask(.writeRequest(handle: 6, value: [1, 0])) == .writeResponse)
    #expect(try ask(&meter, [2]).isEmpty)
  }

  @Test func theMeterTellsWhatItWaitedForInVain() throws {
    let script = #"""
      {"name": "a", "on": "01", "expect": "02 ??", "answer": ["01"]}, {"name": "b", "on": "02 *", "required": true}
      """#
    var meter = try Self.heard(script)
    #expect(meter.machine.testimony.unmet.map { $0.contains("“b” was never asked for: 02 * to") } == [true])
    #expect(try ask(&meter, [1]) == [[1]])
    #expect(meter.machine.testimony.unmet.contains { $0.contains("waits for 02 ??, which never came") })
    _ = try ask(&meter, [2, 9])
    #expect(meter.machine.testimony.unmet.isEmpty)
    var other = try Self.heard(script)
    _ = try ask(&other, [1])
    // It goes silent at what it does not expect.
    #expect(try ask(&other, [1]).isEmpty)
    #expect(other.machine.testimony.unmet.contains { $0.contains("and another value came") })
  }

  @Test func theMeterTellsWhichValuesAreNoReadingsYet() throws {
    var meter = try Self.heard(
      #"""
      {"on": "01", "answer": [{"value": "0A", "settling": true}, {"value": "0B", "settling": true},
                              {"value": "0C", "live": true}, {"value": "0B"}]}
      """#)
    #expect(meter.machine.testimony == MeterTestimony())
    _ = try ask(&meter, [1])
    // The same bytes as a reading are one.
    #expect(meter.machine.testimony.settling == [.init(0xFFF2, [0x0A])])
    #expect(meter.machine.testimony.live == [.init(0xFFF2, [0x0C])])
  }

  static let wrong: [(exchanges: String, says: String)] = [
    ("", "exchanges"), (#"{"on": "A"}"#, "half a byte"), (#"{"on": "AG"}"#, "no byte"),
    (#"{"on": "{a"}"#, "not closed"), (#"{"on": "{A}"}"#, "lower-case"), (#"{"on": "{a:x}"}"#, "number of bytes"),
    (#"{"on": "{a:0}"}"#, "keeps nothing"), (#"{"on": "* 01 *"}"#, "only one"), (#"{"on": "{a} {a}"}"#, "twice"),
    (#"{"on": "{record}"}"#, "for answers"), (#"{"on": "01", "answer": ["0?"]}"#, "no ?"),
    (#"{"on": "01", "answer": ["*"]}"#, "no *"), (#"{"on": "01", "answer": ["{a}"]}"#, "nothing under {a}"),
    (#"{"on": "01", "answer": ["{record}"]}"#, "say which"), (#"{"on": "01", "delete": "x"}"#, "neither"),
    (#"{"on": "01", "answer": [{"value": "01", "record": "x"}]}"#, "neither"),
    (#"{"on": "01", "after": "x"}"#, "which there is not"), (#"{"on": "01", "onn": 1}"#, "unknown key"),
    (#"{"on": {"subscribe": "FFF2"}, "expect": "01"}"#, "there is none"),
    (#"{"on": {"subscribe": "FFF2", "value": "01"}}"#, "either"),
    (#"{"on": "01", "answer": [{"value": "01", "characteristic": "FFF1"}]}"#, "needs a characteristic"),
    (#"{"on": {"characteristic": "FFF2", "value": "01"}}"#, "needs a characteristic"),
    (#"{"on": "01", "answer": ["{count:9}"]}"#, "1 to 4"),
  ]

  @Test(arguments: wrong.indices)
  func aScriptThatCannotBeIsRefused(_ index: Int) throws {
    let (exchanges, says) = Self.wrong[index]
    #expect { _ = try Self.meter(exchanges) } throws: { "\($0)".contains(says) }
  }

  @Test(arguments: [
    ("{crc16}", "313233343536373839", "b129"), ("{xor8}", "0102ff", "fc"), ("{sum8:1}", "ff0102", "03"),
  ])
  func checksumsAreTheUsualOnes(_ word: String, _ over: String, _ sum: String) throws {
    let bytes = try BytePattern(over).filled([:], record: [], count: 0)
    let whole = try BytePattern("\(over) \(word)").filled([:], record: [], count: 0)
    #expect(whole.dropFirst(bytes.count).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == sum)
    #expect(try BytePattern("{all:*} \(word)").match(whole)?["all"] == bytes)
    #expect(try BytePattern("* \(word)").match(Array(whole.dropLast()) + [whole[whole.count - 1] ^ 1]) == nil)
  }

  @Test func theExampleOfTheGuideIsAScript() throws {
    let root = ShippedScripts.folder.deletingLastPathComponent().deletingLastPathComponent()
    let script = try MeterScript.load(file: root.appending(path: "docs/examples/asking-meter/meter.json").path)
    #expect(script.records.count == 3)
  }
}
