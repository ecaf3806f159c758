import CurlHTTP
import Foundation
package import MeterCore
import SinkHTTP

extension WebhookSinkSetting: SinkSetting {
  /// The kind's name in the store and for `sink add --kind`.
  package static let kind = "webhook"
  /// What is shown beside the kind.
  package static let summary = "an HTTP POST of each reading as JSON, signed (Standard Webhooks)"
  /// Whether it wants a token: the secret that signs.
  package static let credentialUse = CredentialUse.required
  /// What its JSON says.
  package static let members =
    SinkReach.members + [
      SinkMember(
        Member.authorizationFile.rawValue, .path, help: "a file with the value of the field Authorization, on one line"),
      SinkMember(
        Member.confirmation.rawValue, .word(Confirmation.allCases.map(\.rawValue)),
        help: "what says that a reading has arrived: a success, or a success that repeats the message's id"),
      SinkMember(Member.keepDays.rawValue, .number, help: "how many days a reading's content stays here after that"),
    ]

  /// Where readings go.
  package var address: String { reach.http.address }

  /// Address, proxy and the paths of the files.
  package var privateTexts: [String] { reach.http.privateTexts + [authorizationFile].compactMap(\.self) }

  /// One reading a request, without pictures.
  package var capabilities: SinkCapabilities {
    SinkCapabilities(
      takesImages: false, acknowledgement: confirmation == .echo ? .receiver : .endpoint,
      keepsContent: .seconds(keepDays * 86_400))
  }

  /// How many requests there may be.
  package var deliverySettings: DeliverySettings { reach.deliverySettings }

  /// The setting with every part checked, the machine as well.
  ///
  /// - Throws: `HTTPReachError`; `SinkSettingError` with code `sink_setting`.
  package func checked(in place: SinkPlace) throws -> WebhookSinkSetting {
    var setting = self
    setting.reach = try reach.checked()
    if let authorizationFile {
      let path = URL(fileURLWithPath: authorizationFile).standardizedFileURL.path
      setting.authorizationFile = path
      _ = try AuthorizationFile.read(path)
    }
    guard Self.keepDaysRange.contains(keepDays) else {
      throw SinkSettingError(
        .setting,
        "keep_days must be \(Self.keepDaysRange.lowerBound) to \(Self.keepDaysRange.upperBound), not \(keepDays)"
      )
    }
    return setting
  }

  /// Looks at the secret that is to sign.
  package func check(_ token: AccessToken) throws(SinkSettingError) { _ = try WebhookSecret(token) }

  /// A sink that is reached by it.
  package func sink() throws -> any Sink { WebhookSink(self) }
}
