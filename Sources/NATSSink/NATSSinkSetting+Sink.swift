package import MeterCore
import CurlHTTP
import InformSink

extension NATSSinkSetting: SinkSetting {
  /// The kind's name in the store and for `sink add --kind`.
  package static let kind = "nats"
  /// What is shown beside the kind.
  package static let summary = "the JetStream of a fleet, behind which receivers store readings"
  /// The token proves whose a reading is; it does not travel.
  package static let credentialUse = CredentialUse.required
  /// What its JSON says.
  package static let members = [
    SinkMember(
      CodingKeys.servers.rawValue, isRequired: true,
      help: "the servers, as tls://HOST[:PORT] with commas between them; on this machine also nats://"),
    SinkMember(CodingKeys.organization.rawValue, isRequired: true, help: "the organisation, as the receiver knows it"),
    SinkMember(CodingKeys.gateway.rawValue, isRequired: true, help: "the gateway's name in the fleet"),
    SinkMember(CodingKeys.keyFile.rawValue, .path, help: "a file with the seed of the gateway's key (SU...), mode 600"),
    SinkMember(
      CodingKeys.acknowledgedBy.rawValue, .word(Acknowledged.allCases.map(\.rawValue)),
      help: "whose word it is that a reading is delivered; the receiver's without it"),
    SinkMember(CodingKeys.authorityFile.rawValue, .path, help: "a PEM file of authorities instead of the system's"),
    SinkMember(
      CodingKeys.clientCertificateFile.rawValue, .path, help: "a PEM file with the certificate that servers are shown"),
    SinkMember(CodingKeys.clientKeyFile.rawValue, .path, help: "a PEM file with that certificate's key"),
    SinkMember(CodingKeys.proxy.rawValue, help: "the proxy towards the servers, such as http://proxy.example:3128"),
    SinkMember(
      CodingKeys.receiverUser.rawValue, help: "the user that a server on this machine runs as: own, any or a number"),
  ]

  /// Where readings go.
  package var address: String { servers }

  /// Servers, names, proxy and the paths of the files.
  package var privateTexts: [String] {
    [servers, organization, gateway, proxy, keyFile, authorityFile, clientCertificateFile, clientKeyFile]
      .compactMap(\.self) + servers.split(separator: ",").map(String.init)
  }

  /// What its sink takes: what Inform v2 has a form for, many at a time, and no pictures.
  package var capabilities: SinkCapabilities {
    SinkCapabilities(
      batchSize: NATSSink.batchSize, takesImages: false, confirmsLater: acknowledgedBy == .receiver,
      wantsSurroundings: true,
      acknowledgement: acknowledgedBy == .receiver ? .receiver : .broker,
      takes: { WireFormat.informV2.takes($0) })
  }

  /// A batch is many messages already.
  package var deliverySettings: DeliverySettings {
    var settings = DeliverySettings()
    settings.concurrency = 2
    return settings
  }

  /// The setting with every part checked, the machine as well.
  package func checked(in place: SinkPlace) throws -> NATSSinkSetting { try checked() }

  /// A sink that is reached by it.
  package func sink() throws -> any Sink { try NATSSink(self) }
}
