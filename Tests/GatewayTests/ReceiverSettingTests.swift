import GatewayEngine
import InformSink
import Foundation
import MeterCore
import CurlHTTP
import GatewayAPI
import TestSupport
import Testing

/// Address, certificates, proxy and limits of a receiver: wrong ones are told when they are set.
@Suite(.timeLimit(.minutes(60))) struct ReceiverSettingTests {
  private func setting(
    _ receiver: String = "https://receiver.example", _ change: (inout ReceiverSetting) -> Void
  ) -> ReceiverSetting {
    var setting = ReceiverSetting(receiver: receiver)
    change(&setting)
    return setting
  }

  private func refusal(_ setting: ReceiverSetting) -> ReceiverSettingError? {
    do throws(ReceiverSettingError) { _ = try setting.checked() } catch { return error }
    return nil
  }

  @Test func goodFilesPassWithFullPaths() async throws {
    try await Sandbox.with { sandbox in
      let files = try await CertificateFolder(sandbox)
      let checked = try setting {
        $0.authorityFile = files.path("authority.pem")
        $0.clientCertificateFile = files.path("x/../client.pem")
        $0.clientKeyFile = files.path("client.key")
        $0.proxy = "http://proxy.example:3128"
        $0.concurrency = 64
        $0.requestsPerSecond = 0.5
        $0.format = .legacyV1
      }.checked()
      #expect(checked.clientCertificateFile == files.path("client.pem"))
      #expect(try JSONDecoder().decode(ReceiverSetting.self, from: JSONEncoder().encode(checked)) == checked)
    }
  }

  @Test func aSettingOfAnEarlierVersionHasTheDefaults() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      _ = try sandbox.file("state/receiver.json", #"{"receiver":"https://receiver.example"}"#)
      #expect(try GatewayFixture.receiver(of: store) == nil, "without a session it is nobody's")
      _ = try store.startSession(
        SessionUser(userID: "ada", organizationID: "clinic"), token: AccessToken("0123456789abcdef"))
      #expect(try GatewayFixture.receiver(of: store) == ReceiverSetting(receiver: "https://receiver.example"))
    }
  }

  @Test func wrongFilesAreNamedWithTheirCure() async throws {
    try await Sandbox.with { sandbox in
      let files = try await CertificateFolder(sandbox)
      let text = try sandbox.file("text", "no certificate")
      let torn = try sandbox.file(
        "torn", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n")
      let cases: [(String, ReceiverSetting)] = [
        ("nowhere", setting { $0.authorityFile = files.path("nowhere") }),
        ("text", setting { $0.authorityFile = text }), ("torn", setting { $0.authorityFile = torn }),
        (
          "client.key",
          setting {
            $0.clientCertificateFile = files.path("other.pem")
            $0.clientKeyFile = files.path("client.key")
          }
        ),
        (
          "locked.key",
          setting {
            $0.clientCertificateFile = files.path("client.pem")
            $0.clientKeyFile = files.path("locked.key")
          }
        ),
        (
          "text",
          setting {
            $0.clientCertificateFile = files.path("client.pem")
            $0.clientKeyFile = text
          }
        ),
        (
          "text",
          setting {
            $0.clientCertificateFile = text
            $0.clientKeyFile = files.path("client.key")
          }
        ),
        ("needs its key", setting { $0.clientCertificateFile = files.path("client.pem") }),
        ("needs its certificate", setting { $0.clientKeyFile = files.path("client.key") }),
        ("plain http", setting("http://127.0.0.1:1") { $0.authorityFile = files.path("authority.pem") }),
      ]
      for (words, setting) in cases {
        let error = refusal(setting)
        #expect(error?.code == .tlsFile && error?.message.contains(words) == true, "\(words): \(error as Any)")
        #expect(error?.hint?.isEmpty == false)
      }
    }
  }

  @Test(arguments: [
    "proxy.example", "ftp://proxy.example", "http://", "http://user:secret@proxy.example", "http://proxy.example/path",
    "http://proxy.example?x", "", "http://proxy.example:3128\r\n", "http://proxy.example:99999", "http://127.1",
  ])
  func proxiesThatCannotBeAreRefused(proxy: String) {
    let error = refusal(setting { $0.proxy = proxy })
    #expect(error?.code == .proxy && error?.message.contains("secret") == false && error?.hint?.isEmpty == false)
  }

  @Test func noProxySeesAPlainReceiver() {
    #expect(refusal(setting("http://127.0.0.1:1") { $0.proxy = "http://proxy.example" })?.code == .proxy)
  }

  @Test func theUserOfAReceiverOnThisMachineIsKeptAndIsNotForTLS() throws {
    for receiver in ["http://127.0.0.1:1", "http+unix://%2Frun%2Fmeterhost%2Freceiver.sock"] {
      for user in [ReceiverUser.own, .also(1001), .anybody] {
        let checked = try setting(receiver) { $0.receiverUser = user }.checked()
        #expect(checked.receiverUser == user && checked.transportSettings.receiverUser == user)
        let data = try JSONEncoder().encode(checked)
        #expect(try JSONDecoder().decode(ReceiverSetting.self, from: data) == checked)
        // What an earlier version has stored is the same setting still.
        #expect(String(decoding: data, as: UTF8.self).contains("receiver_user") == (user != .own))
      }
    }
    #expect(refusal(setting { $0.receiverUser = .also(1001) })?.code == .receiverUser)
    #expect(refusal(setting("http+unix://%2Frun%2Fr.sock") { $0.authorityFile = "/nowhere" })?.code == .tlsFile)
    #expect(refusal(setting("http+unix://%2Frun%2Fr.sock") { $0.proxy = "http://proxy.example" })?.code == .proxy)
    #expect(refusal(setting("http+unix://run") { _ in })?.code == .address)
  }

  @Test func limitsHaveBounds() {
    for concurrency in [0, -1, 65] {
      #expect(refusal(setting { $0.concurrency = concurrency })?.code == .uploadLimit)
    }
    for rate in [0, -1, .nan, .infinity, 1e9] {
      #expect(refusal(setting { $0.requestsPerSecond = rate })?.code == .uploadLimit)
    }
  }

  @Test func tlsTrustsTheNamedAuthorityOnlyAndShowsTheClientCertificate() async throws {
    try await Sandbox.with { sandbox in
      let files = try await CertificateFolder(sandbox)
      for asks in [false, true] {
        let server = try await TLSServer(files, asksForCertificate: asks)
        func verdict(_ change: (inout ReceiverSetting) -> Void) async throws -> TokenVerdict {
          let setting = try setting("https://localhost:\(server.port)", change).checked()
          return await (try setting.endpoint()).verdict(
            on: AccessToken("a-token"), of: SessionUser(userID: "ada", organizationID: "clinic"),
            transport: CurlTransport(settings: setting.transportSettings))
        }
        func isTLS(_ verdict: TokenVerdict) -> Bool {
          if case .unknown(let reason) = verdict {
            reason.contains("TLS") || reason.contains("broke off")
          } else {
            false
          }
        }
        // The server's own page is no receiver's answer, and comes over a connection that was trusted.
        func isAnswer(_ verdict: TokenVerdict) -> Bool {
          if case .unknown(let reason) = verdict { reason.contains("HTTP 200") } else { false }
        }
        let known = try await verdict {
          $0.authorityFile = files.path("authority.pem")
          $0.clientCertificateFile = files.path("client.pem")
          $0.clientKeyFile = files.path("client.key")
        }
        #expect(isAnswer(known), "\(known)")
        let system = try await verdict { _ in }
        #expect(isTLS(system), "\(system)")
        let other = try await verdict { $0.authorityFile = files.path("other.pem") }
        #expect(isTLS(other), "\(other)")
        let bare = try await verdict { $0.authorityFile = files.path("authority.pem") }
        #expect(asks ? isTLS(bare) : isAnswer(bare), "\(bare)")
      }
    }
  }
}
