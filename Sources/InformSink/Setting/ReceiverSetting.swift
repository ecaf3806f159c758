public import CurlHTTP
import MeterCore

/// How a receiver is reached. It holds no secret: the token is in the state database, encrypted, and keys stay in their
/// files.
public struct ReceiverSetting: Sendable, Hashable {
  /// The receiver's address.
  public var receiver: String
  /// The form in which records go out.
  public var format = WireFormat.informV2
  /// A PEM file of certificate authorities instead of the system's.
  public var authorityFile: String?
  /// A PEM file with the certificate that this host shows the receiver.
  public var clientCertificateFile: String?
  /// A PEM file with the private key of that certificate.
  public var clientKeyFile: String?
  /// The proxy towards the receiver; nil leaves it to the environment.
  public var proxy: String?
  /// Whose the receiver may be on this machine, where TLS does not prove it.
  public var receiverUser = ReceiverUser.own
  /// Requests at a time.
  public var concurrency: Int
  /// Requests a second at most; nil for as many as the receiver answers.
  public var requestsPerSecond: Double?

  /// A setting for a receiver's address, with defaults for all else.
  public init(receiver: String) {
    self.receiver = receiver
    concurrency = DeliverySettings().concurrency
  }
}

extension ReceiverSetting: Codable {
  private enum CodingKeys: String, CodingKey {
    case receiver, format, proxy, concurrency
    case authorityFile = "ca_file"
    case clientCertificateFile = "client_certificate_file"
    case clientKeyFile = "client_key_file"
    case receiverUser = "receiver_user"
    case requestsPerSecond = "requests_per_second"
  }

  /// Reads a setting; what earlier versions did not write has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(receiver: try container.decode(String.self, forKey: .receiver))
    format = try container.decodeIfPresent(WireFormat.self, forKey: .format) ?? format
    authorityFile = try container.decodeIfPresent(String.self, forKey: .authorityFile)
    clientCertificateFile = try container.decodeIfPresent(String.self, forKey: .clientCertificateFile)
    clientKeyFile = try container.decodeIfPresent(String.self, forKey: .clientKeyFile)
    proxy = try container.decodeIfPresent(String.self, forKey: .proxy)
    receiverUser = try container.decodeIfPresent(ReceiverUser.self, forKey: .receiverUser) ?? receiverUser
    concurrency = try container.decodeIfPresent(Int.self, forKey: .concurrency) ?? concurrency
    requestsPerSecond = try container.decodeIfPresent(Double.self, forKey: .requestsPerSecond)
  }

  /// Writes a setting; what has its default as an earlier version would.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(receiver, forKey: .receiver)
    try container.encode(format, forKey: .format)
    try container.encodeIfPresent(authorityFile, forKey: .authorityFile)
    try container.encodeIfPresent(clientCertificateFile, forKey: .clientCertificateFile)
    try container.encodeIfPresent(clientKeyFile, forKey: .clientKeyFile)
    try container.encodeIfPresent(proxy, forKey: .proxy)
    // Left out, so that a delivery that runs knows an unchanged setting by its bytes.
    if receiverUser != .own { try container.encode(receiverUser, forKey: .receiverUser) }
    try container.encode(concurrency, forKey: .concurrency)
    try container.encodeIfPresent(requestsPerSecond, forKey: .requestsPerSecond)
  }
}
