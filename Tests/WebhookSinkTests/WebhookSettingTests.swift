import CurlHTTP
import Foundation
import HostErrors
import MeterCore
import SinkHTTP
import TestSupport
import Testing

@testable import WebhookSink

@Suite("Settings of webhooks")
struct WebhookSettingTests {
  private let place = SinkPlace(stateFolder: URL(filePath: "/var/lib/meterhost"))

  private func code(_ setting: WebhookSinkSetting) -> String? {
    do { _ = try setting.checked(in: place) } catch { return (error as? any HostError)?.codeText }
    return nil
  }

  @Test("are what they were after they were kept, equal bytes for equal settings")
  func coding() throws {
    var setting = WebhookSinkSetting(address: "https://example.org/hook")
    #expect(try setting.stored().setting == Array(#"{"address":"https:\/\/example.org\/hook"}"#.utf8))
    setting.authorizationFile = "/etc/authorization"
    setting.confirmation = .echo
    setting.keepDays = 3
    setting.reach.http.proxy = "http://proxy.example:3128"
    setting.reach.concurrency = 2
    let stored = try setting.stored()
    #expect(try SinkKind(WebhookSinkSetting.self).setting(stored.setting) as? WebhookSinkSetting == setting)
    #expect(try setting.stored() == stored)
  }

  @Test("say what an acknowledgement means, and how long a content stays")
  func capabilities() {
    var setting = WebhookSinkSetting(address: "https://example.org")
    #expect(setting.capabilities.acknowledgement == .endpoint && setting.capabilities.keepsContent == .zero)
    (setting.confirmation, setting.keepDays) = (.echo, 2)
    #expect(setting.capabilities.acknowledgement == .receiver)
    #expect(setting.capabilities.keepsContent == .seconds(172_800) && !setting.capabilities.takesImages)
  }

  @Test("are refused with their cure")
  func refusals() throws {
    #expect(code(WebhookSinkSetting(address: "https://example.org/hook")) == nil)
    #expect(code(WebhookSinkSetting(address: "http://127.0.0.1:8080/hook")) == nil)
    for address in ["", "http://example.org/hook", "ftp://example.org", "https://example.org/?token=x"] {
      #expect(code(WebhookSinkSetting(address: address)) == "receiver_address")
    }
    var setting = WebhookSinkSetting(address: "https://example.org")
    setting.keepDays = 366
    #expect(code(setting) == "sink_setting")
    setting.keepDays = 0
    setting.authorizationFile = "/nowhere/authorization"
    #expect(code(setting) == "sink_setting")
    setting.authorizationFile = nil
    setting.reach.concurrency = 0
    #expect(code(setting) == "sink_setting")
    setting.reach.concurrency = 1
    setting.reach.http.authorityFile = "/nowhere/ca.pem"
    #expect(code(setting) == "tls_file")
  }
}
