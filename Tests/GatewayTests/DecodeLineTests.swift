import Foundation
import MeterDrivers
import GatewayAPI
import GatewayEngine
import GatewayTools
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct DecodeLineTests {
  private static let good =
    #"{"id":"ok","peripheral":4000,"characteristic":"2A1C","hex":"06680100ffe207030a15340002"}"#

  private func decode(_ lines: [String]) async throws -> [DecodeAnswer] {
    try await GatewayFixture.gateway().decoder.decode(lines: lines.map { Array($0.utf8) })
  }

  static let bad: [(line: String, id: String, code: String, says: String)] = [
    ("hello", "", "bad_line", "no JSON"), ("", "", "bad_line", "no JSON"), ("null", "", "bad_line", "no JSON"),
    ("[]", "", "bad_line", "no JSON object"), ("7", "", "bad_line", "no JSON object"),
    (String(repeating: "[", count: 30_000), "", "bad_line", "no JSON"),
    (#"{"id":"a"}"#, "a", "bad_line", "\"peripheral\" is missing"),
    (#"{"peripheral":4000,"characteristic":"2A1C","hex":""}"#, "", "bad_line", "\"id\" is missing"),
    (#"{"id":7,"peripheral":4000,"characteristic":"2A1C","hex":""}"#, "", "bad_line", "\"id\" has the wrong type"),
    (#"{"id":"b","peripheral":-1,"characteristic":"2A1C","hex":""}"#, "b", "bad_line", ""),
    (#"{"id":"b","peripheral":1e99,"characteristic":"2A1C","hex":""}"#, "b", "bad_line", ""),
    (#"{"id":"c","peripheral":4000,"characteristic":"2A1C"}"#, "c", "bad_line", "\"hex\" is missing"),
    (#"{"id":"c","peripheral":4000,"characteristic":"2A1C","hex":null}"#, "c", "bad_line", "\"hex\""),
    (#"{"id":"d","peripheral":4000,"characteristic":"2A1C","hex":"0"}"#, "d", "bad_hex", "even"),
    (#"{"id":"d","peripheral":4000,"characteristic":"2A1C","hex":"0g"}"#, "d", "bad_hex", "digits"),
    (#"{"id":"d","peripheral":4000,"characteristic":"2A1C","hex":"٠٠"}"#, "d", "bad_hex", "digits"),
    (#"{"id":"e","peripheral":999,"characteristic":"2A1C","hex":"00"}"#, "e", "unknown_peripheral", "999"),
    (#"{"id":"f","peripheral":4000,"characteristic":"what","hex":"00"}"#, "f", "unknown_characteristic", "what"),
    (#"{"id":"g","peripheral":4000,"characteristic":"2A18","hex":"00"}"#, "g", "unsupported_characteristic", ""),
    (#"{"id":"h","peripheral":4000,"characteristic":"2A1C","hex":"0668"}"#, "h", "malformed_value", ""),
    (#"{"id":"i","peripheral":4000,"characteristic":"2A1C","hex":"","device":[]}"#, "i", "bad_line", "\"device\""),
  ]

  @Test(arguments: 0..<bad.count)
  func aBadLineIsAnsweredWithItsReasonAndItsIdWhereItHasOne(index: Int) async throws {
    let (line, id, code, says) = Self.bad[index]
    let answer = try #require(try await decode([line]).first)
    #expect(answer.id == id)
    #expect(answer.records.isEmpty)
    #expect(answer.error?.code == code)
    #expect(answer.error?.message.contains(says) == true || says.isEmpty, "\(answer.error?.message ?? "")")
  }

  @Test func badLinesDoNotDisturbTheOthers() async throws {
    let lines = Self.bad.flatMap { [$0.line, Self.good] }
    let answers = try await decode(lines)
    #expect(answers.count == lines.count)
    for (index, answer) in answers.enumerated() where index % 2 == 1 {
      #expect(answer.id == "ok" && answer.error == nil)
      #expect(answer.records.first?.values.first?.value == 36)
    }
  }

  @Test func aLineOverTheLimitAndBrokenTextAreRefused() async throws {
    let decoder = try GatewayFixture.gateway().decoder
    let huge = [UInt8](repeating: UInt8(ascii: "x"), count: DriverDecoder.maximumLineLength + 1)
    let answers = await decoder.decode(lines: [huge, [0xFF, 0xFE], [0], Array(Self.good.utf8)])
    #expect(answers.map { $0.error?.code } == ["bad_line", "bad_line", "bad_line", nil])
    #expect(answers[0].error?.message.contains("65536") == true)
  }

  @Test func aValueLongerThanAnyCharacteristicIsAnswered() async throws {
    let hex = String(repeating: "00", count: 30_000)
    let line = #"{"id":"long","peripheral":4000,"characteristic":"2A1C","hex":"\#(hex)"}"#
    let answers = try await decode([line, Self.good])
    #expect(answers.map(\.id) == ["long", "ok"])
    #expect(answers[1].records.count == 1)
  }

  @Test func orderIsKeptAcrossPeripheralsAndDevices() async throws {
    let glucose = #","peripheral":1000,"characteristic":"2a18","hex":"131E00E2070914051B075CFE6FB0F1"}"#
    let thermo = #","peripheral":4000,"characteristic":"2A1C","hex":"06680100ffe207030a15340002","#
    let lines = (0..<60).map { number in
      number % 2 == 0
        ? "{\"id\":\"\(number)\"" + glucose
        : "{\"id\":\"\(number)\"" + thermo + "\"device\":{\"name\":\"m\(number % 3)\"}}"
    }
    let answers = try await decode(lines)
    #expect(answers.map(\.id) == (0..<60).map(String.init))
    for (number, answer) in answers.enumerated() {
      #expect(answer.records.first?.values.first?.value == (number % 2 == 0 ? 111 : 36))
    }
  }

  @Test func fullUUIDsOfTheProfileAreTaken() async throws {
    let line =
      #"{"id":"u","peripheral":4000,"characteristic":"00002A1C-0000-1000-8000-00805F9B34FB","hex":"04530d00fe09"}"#
    #expect(try await decode([line]).first?.records.first?.values.first?.value == 34.11)
  }

  @Test func serviceDataIsTheServices() async throws {
    func line(_ flag: String) -> String {
      #"{"id":"s","peripheral":10210,"characteristic":"181D","hex":"229e43e507040b101301"\#(flag)}"#
    }
    let answers = try await decode([line(#","service_data":true"#), line("")])
    #expect(answers[0].error == nil && answers[0].records.first?.values.first?.metric == "body_weight")
    #expect(answers[1].error?.code == "unsupported_characteristic")
  }

  @Test func aVendorsCharacteristicIsNamedByItsUUID() async throws {
    let vectors: [(peripheral: UInt32, uuid: String, hex: String)] = [
      (10400, "AF9DF7A3-E595-11E3-96B4-0002A5D5C51B", "010213000c06c0c59f2f6900000000000003337a"),
      (10300, "00001524-1212-efde-1523-785feabcd123", "51255d300507a5b451266e000000a58a"),
    ]
    for vector in vectors {
      let request = DecodeRequest(
        id: "v", peripheral: vector.peripheral, characteristic: vector.uuid, hex: vector.hex)
      let answer = try #require(try await GatewayFixture.gateway().decoder.decode([request]).first)
      #expect(answer.error == nil && !answer.records.isEmpty, "\(vector): \(answer)")
    }
  }

  @Test func withoutAWorkerEveryLineSaysSo() async throws {
    var locations = try GatewayFixture.locations()
    locations.worker = "/nonexistent/worker"
    let answers = await (try Gateway(locations: locations)).decoder.decode(
      lines: [Array(Self.good.utf8), Array(Self.good.utf8)])
    #expect(answers.map { $0.error?.code } == ["driver_fault", "driver_fault"])
    #expect(answers.first?.error?.message.contains("/nonexistent/worker") == true)
  }

  @Test func everyAnswerHasTheSameKeys() async throws {
    for answer in try await decode(["hello", Self.good]) {
      let text = GatewayJSON.line(answer)
      let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      #expect(Set(object.keys) == ["id", "records", "error"])
      #expect(!text.contains("\n"))
    }
  }

  @Test func numbersThatJSONLacksBecomeText() {
    #expect(GatewayJSON.line([Double.infinity, -.infinity, .nan]) == #"["+INF","-INF","NaN"]"#)
  }
}
