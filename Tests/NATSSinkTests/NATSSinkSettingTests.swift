import CurlHTTP
import Foundation
import HostErrors
import MeterCore
import NATSClient
import TestSupport
import Testing

@testable import NATSSink

@Suite("The setting of a sink for NATS")
struct NATSSinkSettingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func seed() throws -> String {
    let file = folder.url.appending(path: "gw.nk")
    try NATSKeyPair().seed.write(to: file, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    return file.path
  }

  static func setting(_ servers: String = "tls://nats.example", _ change: (inout NATSSinkSetting) -> Void = { _ in })
    -> NATSSinkSetting
  {
    var setting = NATSSinkSetting(servers: servers, organization: "clinic", gateway: "gw0001")
    change(&setting)
    return setting
  }

  @Test("is read from its JSON, and equal ones are equal bytes")
  func json() throws {
    let kinds = SinkKinds([SinkKind(NATSSinkSetting.self)])
    let text =
      #"{"gateway":"gw0001","organization":"clinic","servers":"tls://a,tls://b:4223","acknowledged_by":"broker"}"#
    let setting = try #require(try kinds.kind("nats").setting(Array(text.utf8)) as? NATSSinkSetting)
    #expect(setting.acknowledgedBy == .broker && setting.gateway == "gw0001" && setting.keyFile == nil)
    #expect(try kinds.setting(setting.stored()) as? NATSSinkSetting == setting)
    for text in ["{}", #"{"servers":"tls://a","organization":"x"}"#, text.replacing("broker", with: "nobody")] {
      #expect(throws: SinkSettingError.self) { try kinds.kind("nats").setting(Array(text.utf8)) }
    }
  }

  @Test("names its servers whole, each once")
  func servers() throws {
    let setting = try Self.setting("tls://a, TLS://b:5000 ,tls://a:4222") { $0.keyFile = try? seed() }.checked()
    #expect(setting.servers == "tls://a:4222,tls://b:5000")
    #expect(try setting.options().servers.count == 2 && setting.options().inboxPrefix == "_INBOX.gw0001")
    let key = try #require(try setting.options().key)
    #expect(try key().publicKey.description.hasPrefix("U"))
  }

  @Test("what cannot be is said with its code")
  func refused() throws {
    let seed = try seed()
    let cases: [(NATSSinkSetting, String)] = [
      (Self.setting(""), "nats_address"), (Self.setting("nats://nats.example"), "nats_address"),
      (Self.setting("tls://a,,tls://b"), "nats_address"),
      (Self.setting(Array(repeating: "tls://a", count: 17).joined(separator: ",")), "nats_address"),
      (Self.setting { $0.organization = "a.b" }, "nats_subject"), (Self.setting { $0.gateway = "*" }, "nats_subject"),
      (Self.setting { $0.gateway = "" }, "nats_subject"),
      (Self.setting { $0.keyFile = "/nowhere/at/all" }, "nats_key"),
      (Self.setting { $0.authorityFile = seed }, "tls_file"), (Self.setting { $0.clientKeyFile = seed }, "tls_file"),
      (Self.setting("nats://127.0.0.1") { $0.proxy = "http://proxy.example:3128" }, "proxy"),
      (Self.setting { $0.proxy = "ftp://x" }, "proxy"), (Self.setting { $0.receiverUser = .anybody }, "receiver_user"),
    ]
    for (setting, code) in cases {
      #expect { try setting.checked() } throws: { ($0 as? any HostError)?.codeText == code }
    }
  }

  @Test("tells a support report what is private, and holds no secret")
  func privateTexts() throws {
    let setting = Self.setting("tls://a.example,tls://b.example") { $0.keyFile = "/etc/gw.nk" }
    #expect(
      Set(["tls://a.example", "tls://b.example", "clinic", "gw0001", "/etc/gw.nk"]).isSubset(of: setting.privateTexts))
  }

  @Test("says whose word it is that a reading is delivered")
  func acknowledgement() {
    let (receiver, broker) = (Self.setting().capabilities, Self.setting { $0.acknowledgedBy = .broker }.capabilities)
    #expect(receiver.confirmsLater && receiver.acknowledgement == .receiver && receiver.keepsContent == .zero)
    #expect(!broker.confirmsLater && broker.acknowledgement == .broker && broker.keepsContent > .zero)
    #expect(!receiver.takesImages && receiver.batchSize > 1)
  }
}
