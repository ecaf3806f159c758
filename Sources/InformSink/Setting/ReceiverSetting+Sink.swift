public import MeterCore
import CurlHTTP

extension ReceiverSetting: SinkSetting {
  /// `inform`: both of its wire formats.
  public static let kind = "inform"
  /// What is shown beside the kind.
  public static let summary = "a receiver that speaks Validic Inform v2 or the Legacy API, over https"
  /// Whether it wants a token.
  public static let credentialUse = CredentialUse.required
  /// What its JSON says.
  public static let members = [
    SinkMember("receiver", isRequired: true, help: "the address: https; on this machine also http, or http+unix://"),
    SinkMember("format", .word(WireFormat.allCases.map(\.rawValue)), help: "the wire format"),
    SinkMember("ca_file", .path, help: "a PEM file of authorities instead of the system's"),
    SinkMember("client_certificate_file", .path, help: "a PEM file with the certificate that the receiver is shown"),
    SinkMember("client_key_file", .path, help: "a PEM file with that certificate's key"),
    SinkMember("proxy", help: "the proxy towards the receiver, such as http://proxy.example:3128"),
    SinkMember("receiver_user", help: "the user that a receiver on this machine runs as: own, any or a number"),
    SinkMember("concurrency", .number, help: "requests at a time"),
    SinkMember("requests_per_second", .number, help: "requests a second at most"),
  ]

  /// Where readings go.
  public var address: String { receiver }

  /// Address, proxy and the paths of the files.
  public var privateTexts: [String] { reach.privateTexts }

  /// What its sink takes.
  public var capabilities: SinkCapabilities { format.capabilities }

  /// The setting with every part checked, the machine as well.
  public func checked(in place: SinkPlace) throws -> ReceiverSetting { try checked() }

  /// A sink that is reached by it.
  public func sink() throws -> any Sink {
    InformSink(try endpoint(), format: format, transport: CurlTransport(settings: transportSettings))
  }
}
