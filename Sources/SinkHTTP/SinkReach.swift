package import CurlHTTP
package import MeterCore

/// How a receiver is reached over HTTP and how many requests it gets, as the settings of such sinks have it. All of it stands in the
/// setting's own JSON object, beside what is that kind's.
package struct SinkReach: Sendable, Hashable {
  /// Address, certificates and proxy.
  package var http: HTTPReach
  /// Requests at a time.
  package var concurrency = DeliverySettings().concurrency
  /// Requests a second at most; nil for as many as the receiver answers.
  package var requestsPerSecond: Double?

  /// What is reached at an address, with defaults for all else.
  package init(_ address: String) { http = HTTPReach(address) }

  /// As the delivery engine takes it.
  package var deliverySettings: DeliverySettings {
    var settings = DeliverySettings()
    settings.concurrency = concurrency
    settings.requestsPerSecond = requestsPerSecond
    return settings
  }

  /// As a transport takes it.
  package var transportSettings: CurlTransport.Settings { http.transportSettings(concurrency: concurrency) }

  /// The same with full paths and every part checked.
  ///
  /// - Throws: `HTTPReachError`; `SinkSettingError` with code `sink_setting` for a number of requests that cannot be.
  package func checked() throws -> SinkReach {
    var reach = self
    reach.http = try http.checked()
    if let problem = deliverySettings.problem { throw SinkSettingError(.setting, problem) }
    return reach
  }

  /// What a setting says of it.
  package static let members = [
    SinkMember(
      Member.address.rawValue, isRequired: true,
      help: "the address: https; on this machine also http, or http+unix://"),
    SinkMember(
      Member.authorityFile.rawValue, .path, help: "a PEM file of authorities instead of the system's"),
    SinkMember(
      Member.clientCertificateFile.rawValue, .path,
      help: "a PEM file with the certificate that the receiver is shown"),
    SinkMember(Member.clientKeyFile.rawValue, .path, help: "a PEM file with that certificate's key"),
    SinkMember(Member.proxy.rawValue, help: "the proxy towards the receiver, such as http://proxy.example:3128"),
    SinkMember(
      Member.receiverUser.rawValue, help: "the user that a receiver on this machine runs as: own, any or a number"),
    SinkMember(Member.concurrency.rawValue, .number, help: "requests at a time"),
    SinkMember(Member.requestsPerSecond.rawValue, .number, help: "requests a second at most"),
  ]

  private enum Member: String, CodingKey {
    case address, proxy, concurrency
    case authorityFile = "ca_file"
    case clientCertificateFile = "client_certificate_file"
    case clientKeyFile = "client_key_file"
    case receiverUser = "receiver_user"
    case requestsPerSecond = "requests_per_second"
  }
}

extension SinkReach: Codable {
  /// Reads it; what is left out has its default.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    self.init(try members.decode(String.self, forKey: .address))
    http.authorityFile = try members.decodeIfPresent(String.self, forKey: .authorityFile)
    http.clientCertificateFile = try members.decodeIfPresent(String.self, forKey: .clientCertificateFile)
    http.clientKeyFile = try members.decodeIfPresent(String.self, forKey: .clientKeyFile)
    http.proxy = try members.decodeIfPresent(String.self, forKey: .proxy)
    http.receiverUser = try members.decodeIfPresent(ReceiverUser.self, forKey: .receiverUser) ?? http.receiverUser
    concurrency = try members.decodeIfPresent(Int.self, forKey: .concurrency) ?? concurrency
    requestsPerSecond = try members.decodeIfPresent(Double.self, forKey: .requestsPerSecond)
  }

  /// Writes it; what has its default is left out.
  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(http.address, forKey: .address)
    try members.encodeIfPresent(http.authorityFile, forKey: .authorityFile)
    try members.encodeIfPresent(http.clientCertificateFile, forKey: .clientCertificateFile)
    try members.encodeIfPresent(http.clientKeyFile, forKey: .clientKeyFile)
    try members.encodeIfPresent(http.proxy, forKey: .proxy)
    if http.receiverUser != .own { try members.encode(http.receiverUser, forKey: .receiverUser) }
    if concurrency != DeliverySettings().concurrency { try members.encode(concurrency, forKey: .concurrency) }
    try members.encodeIfPresent(requestsPerSecond, forKey: .requestsPerSecond)
  }
}
