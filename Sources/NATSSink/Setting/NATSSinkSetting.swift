package import CurlHTTP

/// How readings go to the JetStream of a fleet. It holds no secret: the seed stays in its file, and the user's token is the sink's credential.
package struct NATSSinkSetting: Sendable, Hashable {
  /// Whose word it is that a reading is delivered.
  package enum Acknowledged: String, Sendable, Hashable, Codable, CaseIterable {
    /// The receiver's, behind the servers: its database has it.
    case receiver
    /// The servers': their stream has it. What they lose then is lost.
    case broker
  }

  /// The servers, of which any will do, as `tls://HOST[:PORT]` with commas between them.
  package var servers: String
  /// The organisation, as the subjects name it: the receiver's own id of it.
  package var organization: String
  /// The gateway, as the subjects name it.
  package var gateway: String
  /// A file with the seed of the gateway's key; nil where the servers want none.
  package var keyFile: String?
  /// Whose word counts.
  package var acknowledgedBy = Acknowledged.receiver
  /// A PEM file of certificate authorities instead of the system's.
  package var authorityFile: String?
  /// A PEM file with the certificate that this host shows the servers.
  package var clientCertificateFile: String?
  /// A PEM file with the private key of that certificate.
  package var clientKeyFile: String?
  /// The proxy towards the servers; nil leaves it to the environment.
  package var proxy: String?
  /// Whose a server may be on this machine, where TLS does not prove it.
  package var receiverUser = ReceiverUser.own

  /// A setting with defaults for all else.
  package init(servers: String, organization: String, gateway: String) {
    (self.servers, self.organization, self.gateway) = (servers, organization, gateway)
  }
}

extension NATSSinkSetting: Codable {
  enum CodingKeys: String, CodingKey {
    case servers, organization, gateway, proxy
    case keyFile = "key_file"
    case acknowledgedBy = "acknowledged_by"
    case authorityFile = "ca_file"
    case clientCertificateFile = "client_certificate_file"
    case clientKeyFile = "client_key_file"
    case receiverUser = "receiver_user"
  }

  /// Reads a setting; what is left out has its default.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      servers: try members.decode(String.self, forKey: .servers),
      organization: try members.decode(String.self, forKey: .organization),
      gateway: try members.decode(String.self, forKey: .gateway))
    keyFile = try members.decodeIfPresent(String.self, forKey: .keyFile)
    acknowledgedBy = try members.decodeIfPresent(Acknowledged.self, forKey: .acknowledgedBy) ?? acknowledgedBy
    authorityFile = try members.decodeIfPresent(String.self, forKey: .authorityFile)
    clientCertificateFile = try members.decodeIfPresent(String.self, forKey: .clientCertificateFile)
    clientKeyFile = try members.decodeIfPresent(String.self, forKey: .clientKeyFile)
    proxy = try members.decodeIfPresent(String.self, forKey: .proxy)
    receiverUser = try members.decodeIfPresent(ReceiverUser.self, forKey: .receiverUser) ?? receiverUser
  }
}
