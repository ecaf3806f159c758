public import MeterCore
import CurlHTTP

extension ReceiverSetting: SinkSetting {
  /// `inform`: both of its wire formats.
  public static let kind = "inform"
  public static let summary = "a receiver that speaks Validic Inform v2 or the Legacy API, over https"
  public static let credentialUse = CredentialUse.required
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

  public var address: String { receiver }

  /// Address, proxy and the paths of the files.
  public var privateTexts: [String] {
    [receiver, proxy, authorityFile, clientCertificateFile, clientKeyFile].compactMap(\.self)
  }

  public var capabilities: SinkCapabilities { format.capabilities }

  public func checked(in place: SinkPlace) throws -> ReceiverSetting { try checked() }

  public func sink() throws -> any Sink {
    InformSink(try endpoint(), format: format, transport: CurlTransport(settings: transportSettings))
  }
}
