import ArgumentParser
import Foundation
import MeterCore
import CurlHTTP
import InformSink
import GatewayAPI

/// How a receiver is reached, as `session start` and `session sink add` take it.
struct ReceiverOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The receiver's address: https; on this machine also http, or http+unix://%2FRUN%2FSOCKET.", valueName: "url"))
  var receiver: String?
  @Option(
    help: ArgumentHelp("Read the access token from this file instead of standard input.", valueName: "file"),
    completion: .file())
  var tokenFile: String?
  @Option(
    help: ArgumentHelp("The wire format.", valueName: "format"))
  var format = WireFormatArgument(.informV2)
  @Option(
    help: ArgumentHelp("Trust the authorities in this PEM file instead of the system's.", valueName: "file"),
    completion: .file())
  var caFile: String?
  @Option(
    help: ArgumentHelp("Show the receiver the certificate in this PEM file.", valueName: "file"), completion: .file())
  var clientCertificate: String?
  @Option(help: ArgumentHelp("The PEM file with that certificate's key.", valueName: "file"), completion: .file())
  var clientKey: String?
  @Option(
    help: ArgumentHelp(
      "The proxy towards the receiver, such as http://proxy.example:3128; else the environment names it.",
      valueName: "url"))
  var proxy: String?
  @Option(
    help: ArgumentHelp(
      "The user, by name or number, that a receiver on this machine runs as beside root and this one; any: do not look.",
      valueName: "user"))
  var receiverUser = ReceiverUserArgument(.own)
  @Option(help: ArgumentHelp("Requests at a time.", valueName: "count"))
  var concurrency = DeliverySettings().concurrency
  @Option(help: ArgumentHelp("Requests a second at most; no limit without it.", valueName: "rate"))
  var rate: Double?

  /// The setting as the control socket takes it.
  func values() throws(GatewayError) -> [String: SettingValue] {
    guard let receiver else {
      throw GatewayError(
        .usage, code: "receiver_address", "there is no receiver", hint: "give its address with --receiver")
    }
    do { return try [String: SettingValue](setting: setting(receiver).stored().setting) } catch {
      throw GatewayError(.usage, code: "receiver_setting", "the receiver's setting cannot be written", cause: error)
    }
  }

  private func setting(_ receiver: String) -> ReceiverSetting {
    var setting = ReceiverSetting(receiver: receiver)
    setting.format = format.format
    setting.authorityFile = Self.path(caFile)
    setting.clientCertificateFile = Self.path(clientCertificate)
    setting.clientKeyFile = Self.path(clientKey)
    setting.proxy = proxy
    setting.receiverUser = receiverUser.user
    setting.concurrency = concurrency
    setting.requestsPerSecond = rate
    return setting
  }

  /// Whether anything is said that only an address given by `--receiver` has.
  var saysMore: Bool {
    [caFile, clientCertificate, clientKey, proxy].contains { $0 != nil } || rate != nil || format.format != .informV2
      || receiverUser.user != .own || concurrency != DeliverySettings().concurrency
  }

  /// The file from the root: whoever owns the state folder works elsewhere.
  private static func path(_ file: String?) -> String? {
    file.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
  }

  /// The token; a person who is asked for it must not block the state folder.
  func token() throws(GatewayError) -> String {
    if let clientKey { PrivateFile.warn(clientKey, on: Terminal()) }
    return try TokenInput.read(file: tokenFile)
  }
}

/// A user of this machine as people type it.
struct ReceiverUserArgument: ExpressibleByArgument {
  let user: ReceiverUser

  init(_ user: ReceiverUser) { self.user = user }

  init?(argument: String) {
    // A name comes first: users may have names like "any".
    if let entry = getpwnam(argument) {
      user = .also(entry.pointee.pw_uid)
    } else if let found = ReceiverUser(argument) {
      user = found
    } else {
      return nil
    }
  }

  var defaultValueDescription: String { user.text }
}

/// A wire format as people type it.
struct WireFormatArgument: ExpressibleByArgument {
  let format: WireFormat

  init(_ format: WireFormat) { self.format = format }

  init?(argument: String) {
    guard let format = WireFormat(rawValue: argument) else { return nil }
    self.format = format
  }

  var defaultValueDescription: String { format.rawValue }
  static var allValueStrings: [String] { WireFormat.allCases.map(\.rawValue) }
}
