import Foundation
import HostErrors
import InformSink
import CurlHTTP
import MeterCore
import TestSupport
import Testing

@testable import MQTTSink

/// Settings of brokers.
@Suite("MQTT settings")
struct SettingTests {
  private func read(_ text: String) throws -> MQTTSinkSetting {
    try JSONDecoder().decode(MQTTSinkSetting.self, from: Data(text.utf8))
  }

  @Test("what is left out has its default, and a setting is what it was written as")
  func roundTrips() throws {
    let plain = try read(#"{"address":"mqtts://b"}"#)
    #expect(plain == MQTTSinkSetting(address: "mqtts://b"))
    #expect(
      plain.acknowledgedBy == .broker && !plain.retain && plain.homeAssistant == nil && plain.keepSeconds == 3_600)
    let full = try read(
      #"""
      {"address":"mqtts://b:1","gateway":"g","client_id":"c","user":"u","topics":"t","ca_file":"/a","client_certificate_file":"/b",
      "client_key_file":"/c","proxy":"http://p:1","receiver_user":"any","retain":"on","home_assistant":"ha",
      "unique_per_gateway":"on","acknowledged_by":"receiver","confirm_seconds":60,"keep_seconds":0,"nobody_listens":"accept",
      "expiry_seconds":3600}
      """#)
    #expect(full.retain && full.isUniquePerGateway && full.acknowledgedBy == .receiver && full.unheard == .accept)
    for setting in [plain, full] {
      #expect(try JSONDecoder().decode(MQTTSinkSetting.self, from: JSONEncoder().encode(setting)) == setting)
      let target = try setting.stored()
      #expect(target.kind == "mqtt")
    }
    #expect(MQTTSinkSetting.members.map(\.name).sorted() == MQTTSinkSetting.Member.allCases.map(\.rawValue).sorted())
    #expect(full.privateTexts.count == 7)
  }

  @Test("a gateway without a name gets one that stays")
  func gatewayName() throws {
    let first = try MQTTSinkSetting(address: "mqtts://b").checked(stateFolder: "/state").gateway
    #expect(first?.hasPrefix("gw-") == true && first?.utf8.count == 11)
    #expect(try MQTTSinkSetting(address: "mqtts://b").checked(stateFolder: "/state").gateway == first)
    #expect(try MQTTSinkSetting(address: "mqtts://b").checked(stateFolder: "/other").gateway != first)
  }

  @Test(
    "addresses: TLS everywhere, plain on this machine",
    arguments: [
      ("mqtts://broker.example", 8_883, true), ("mqtts://broker.example:9000/", 9_000, true),
      ("mqtt://localhost", 1_883, false), ("mqtt://127.0.0.1:1", 1, false), ("mqtt://[::1]", 1_883, false),
      ("mqtts://[2001:db8::1]", 8_883, true),
    ])
  func addresses(text: String, port: Int, isEncrypted: Bool) throws {
    let broker = try MQTTSinkSetting(address: text).broker()
    #expect(broker.port == port && broker.isEncrypted == isEncrypted && !broker.host.contains("["))
  }

  @Test(
    "what cannot be is refused with its cure",
    arguments: [
      (#"{"address":"mqtt://broker.example"}"#, .address), (#"{"address":"https://b"}"#, .address),
      (#"{"address":"mqtts://u:p@b"}"#, .address), (#"{"address":"mqtts://b/x"}"#, .address),
      (#"{"address":"mqtts://b","gateway":"A"}"#, .name), (#"{"address":"mqtts://b","gateway":"a/b"}"#, .name),
      (#"{"address":"mqtts://b","topics":"a//b"}"#, .name), (#"{"address":"mqtts://b","topics":"+"}"#, .name),
      (#"{"address":"mqtts://b","home_assistant":""}"#, .name), (#"{"address":"mqtts://b","client_id":"a b"}"#, .name),
      (#"{"address":"mqtts://b","user":""}"#, .name), (#"{"address":"mqtts://b","confirm_seconds":1}"#, .outOfRange),
      (#"{"address":"mqtts://b","keep_seconds":59}"#, .outOfRange),
      (#"{"address":"mqtts://b","expiry_seconds":0}"#, .outOfRange),
      (#"{"address":"mqtt://localhost","ca_file":"/x"}"#, .encryption),
      (#"{"address":"mqtt://localhost","proxy":"http://p:1"}"#, .encryption),
    ] as [(String, MQTTSinkError.Code)])
  func refused(text: String, code: MQTTSinkError.Code) throws {
    let error = try #require(throws: MQTTSinkError.self) { try read(text).checked(stateFolder: "/state") }
    #expect(error.code == code && error.kind == .usage && error.hint != nil)
  }

  @Test("names that are taken", arguments: ["meterhost", "site-1/meterhost", "a/b/c/d"])
  func taken(topics: String) throws {
    var setting = MQTTSinkSetting(address: "mqtts://b")
    (setting.topics, setting.clientID, setting.homeAssistant) = (topics, "Gateway-7_x", "homeassistant")
    #expect(try setting.checked(stateFolder: "/state").topics == topics)
  }

  @Test("files and the other end's user are checked as every receiver's are")
  func files() throws {
    var setting = MQTTSinkSetting(address: "mqtts://b")
    setting.authorityFile = "/nowhere/ca.pem"
    #expect(throws: ReceiverSettingError.self) { try setting.checked(stateFolder: "/state") }
    setting.authorityFile = nil
    setting.receiverUser = .anybody
    #expect(throws: ReceiverSettingError.self) { try setting.checked(stateFolder: "/state") }
    setting.address = "mqtt://localhost"
    #expect(try setting.checked(stateFolder: "/state").receiverUser == .anybody)
  }
}
