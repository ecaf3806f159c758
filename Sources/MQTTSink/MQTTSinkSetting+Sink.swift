public import MeterCore
import CurlHTTP
import FoundationEssentials
import InformSink

extension MQTTSinkSetting: SinkSetting {
  /// The kind's name in the store and for `sink add --kind`.
  public static let kind = "mqtt"
  /// What is shown beside the kind.
  public static let summary = "a broker of MQTT 5, also for Home Assistant"
  /// Some brokers want a password, others a certificate.
  public static let credentialUse = CredentialUse.optional
  /// What its JSON says.
  public static let members = [
    SinkMember(
      Member.address.rawValue, isRequired: true, help: "the broker: mqtts://HOST[:PORT]; on this machine also mqtt://"),
    SinkMember(Member.user.rawValue, help: "the user's name at the broker; its password is the token"),
    SinkMember(Member.gateway.rawValue, help: "the gateway's name in topics; made of the machine's id without it"),
    SinkMember(Member.clientID.rawValue, help: "the client id; meterhost- and the gateway's name without it"),
    SinkMember(Member.topics.rawValue, help: "with what topics begin; meterhost without it"),
    SinkMember(Member.authorityFile.rawValue, .path, help: "a PEM file of authorities instead of the system's"),
    SinkMember(
      Member.clientCertificateFile.rawValue, .path, help: "a PEM file with the certificate that the broker is shown"),
    SinkMember(Member.clientKeyFile.rawValue, .path, help: "a PEM file with that certificate's key"),
    SinkMember(Member.proxy.rawValue, help: "the proxy towards the broker, such as http://proxy.example:3128"),
    SinkMember(
      Member.receiverUser.rawValue, help: "the user that a broker on this machine runs as: own, any or a number"),
    SinkMember(
      Member.homeAssistant.rawValue,
      help: "with what Home Assistant's discovery begins, mostly homeassistant; none without it"),
    SinkMember(
      Member.retain.rawValue, .word(["on", "off"]),
      help: "whether the broker keeps the latest values: everybody who may subscribe later sees them"),
    SinkMember(
      Member.uniquePerGateway.rawValue, .word(["on", "off"]),
      help: "whether a meter is a device of its own for each gateway that reads it"),
    SinkMember(
      Member.acknowledgedBy.rawValue, .word(Acknowledger.allCases.map(\.rawValue)),
      help: "whose word makes a reading delivered"),
    SinkMember(Member.confirmSeconds.rawValue, .number, help: "how long a receiver has for its word"),
    SinkMember(
      Member.keepSeconds.rawValue, .number,
      help:
        "how long a reading stays here that the broker has taken, to be sent again should it lose it; 0 is not at all"),
    SinkMember(
      Member.unheard.rawValue, .word(UnheardPolicy.allCases.map(\.rawValue)),
      help: "whether a reading that nobody has subscribed to waits or counts as delivered"),
    SinkMember(Member.expirySeconds.rawValue, .number, help: "after how long the broker drops what it cannot hand on"),
  ]

  /// Address, user, proxy and the paths of the files.
  public var privateTexts: [String] {
    [address, user, clientID, proxy, authorityFile, clientCertificateFile, clientKeyFile].compactMap(\.self)
  }

  /// What its sink takes: readings that Inform v2 has a form for, and no pictures.
  public var capabilities: SinkCapabilities {
    SinkCapabilities(
      batchSize: MQTTSink.batchSize, takesImages: false,
      confirmsLater: acknowledgedBy == .receiver || keepSeconds > 0, wantsSurroundings: true,
      acknowledgement: acknowledgedBy == .receiver ? .receiver : .broker,
      keepsContent: acknowledgedBy == .broker && keepSeconds == 0 ? Duration.zero : nil
    ) { WireFormat.informV2.takes($0) }
  }

  /// One batch at a time: the order of messages is that of the readings.
  public var deliverySettings: DeliverySettings {
    var settings = DeliverySettings()
    settings.concurrency = 1
    return settings
  }

  /// The setting with every part checked, the machine as well.
  public func checked(in place: SinkPlace) throws -> MQTTSinkSetting {
    try checked(stateFolder: place.stateFolder.path)
  }

  /// A sink that is reached by it.
  public func sink() throws -> any Sink { try MQTTSink(self) }
}
