public import CurlHTTP

/// How readings reach a broker of MQTT 5, and whoever has subscribed there (docs/reference/mqtt.md). It holds no secret: the password is the
/// sink's credential, and keys stay in their files.
///
/// ```swift
/// var setting = MQTTSinkSetting(address: "mqtts://broker.example")
/// (setting.user, setting.homeAssistant) = ("meterhost", "homeassistant")
/// let sink = MQTTSink(try setting.checked(stateFolder: "/var/lib/meterhost"))
/// ```
public struct MQTTSinkSetting: Sendable, Hashable {
  /// Whose word makes a reading delivered.
  public enum Acknowledger: String, Sendable, Hashable, Codable, CaseIterable {
    /// The broker's: it has taken the message, and somebody has subscribed to it.
    case broker
    /// The receiver's, which it publishes to the topic of confirmations.
    case receiver
  }

  /// What a message comes to that nobody has subscribed to.
  public enum UnheardPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// It is published again later.
    case retry
    /// It counts as delivered.
    case accept
  }

  /// Where the broker listens: `mqtts://HOST[:PORT]`; on this machine also `mqtt://`.
  public var address: String
  /// The gateway's name in topics and in the client id: a to z, 0 to 9, `-` and `_`. Nil until ``checked(stateFolder:)``, which makes one of
  /// the machine's id.
  public var gateway: String?
  /// The client id; nil is `meterhost-` and the gateway's name. Of two clients with one id the broker keeps the later one.
  public var clientID: String?
  /// The user's name at the broker; the password is the sink's credential.
  public var user: String?
  /// With what topics begin.
  public var topics = Self.defaultTopics
  /// A PEM file of certificate authorities instead of the system's.
  public var authorityFile: String?
  /// A PEM file with the certificate that this host shows the broker.
  public var clientCertificateFile: String?
  /// A PEM file with the private key of that certificate.
  public var clientKeyFile: String?
  /// The proxy towards the broker; nil leaves it to the environment.
  public var proxy: String?
  /// Whose the broker may be on this machine, where TLS does not prove it.
  public var receiverUser = ReceiverUser.own
  /// Whether the broker keeps the latest values and gives them to everybody who subscribes later (hazard H99).
  public var retain = false
  /// With what the topics of Home Assistant's discovery begin; nil leaves discovery out.
  public var homeAssistant: String?
  /// Whether a meter is another device of Home Assistant for each gateway that reads it.
  public var isUniquePerGateway = false
  /// Whose word makes a reading delivered.
  public var acknowledgedBy = Acknowledger.broker
  /// How long a receiver has for its word before a reading is published again, in seconds.
  public var confirmSeconds = 3_600
  /// How long a reading that the broker has taken is kept here, in seconds: for that long a broker that loses it gets it again when it is
  /// back. 0 keeps none.
  public var keepSeconds = 3_600
  /// What a message comes to that nobody has subscribed to.
  public var unheard = UnheardPolicy.retry
  /// After how many seconds the broker drops readings that it could not hand on; nil: never.
  public var expirySeconds: Int?

  static let defaultTopics = "meterhost"
  /// What ``confirmSeconds`` may be.
  public static let confirmRange = 10...86_400
  /// What ``keepSeconds`` may be, beside 0.
  public static let keepRange = 60...86_400
  /// What ``expirySeconds`` may be.
  public static let expiryRange = 60...31_536_000

  /// A setting with defaults for all else.
  public init(address: String) { self.address = address }
}

extension MQTTSinkSetting: Codable {
  /// The members as they are written.
  enum Member: String, CodingKey, CaseIterable {
    case address, gateway, user, topics, proxy, retain
    case clientID = "client_id"
    case authorityFile = "ca_file"
    case clientCertificateFile = "client_certificate_file"
    case clientKeyFile = "client_key_file"
    case receiverUser = "receiver_user"
    case homeAssistant = "home_assistant"
    case uniquePerGateway = "unique_per_gateway"
    case acknowledgedBy = "acknowledged_by"
    case confirmSeconds = "confirm_seconds"
    case keepSeconds = "keep_seconds"
    case unheard = "nobody_listens"
    case expirySeconds = "expiry_seconds"
  }

  /// A choice as a person writes it.
  private enum Switch: String, Codable {
    case on, off
  }

  /// Reads a setting; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Member.self)
    self.init(address: try container.decode(String.self, forKey: .address))
    gateway = try container.decodeIfPresent(String.self, forKey: .gateway)
    clientID = try container.decodeIfPresent(String.self, forKey: .clientID)
    user = try container.decodeIfPresent(String.self, forKey: .user)
    topics = try container.decodeIfPresent(String.self, forKey: .topics) ?? topics
    authorityFile = try container.decodeIfPresent(String.self, forKey: .authorityFile)
    clientCertificateFile = try container.decodeIfPresent(String.self, forKey: .clientCertificateFile)
    clientKeyFile = try container.decodeIfPresent(String.self, forKey: .clientKeyFile)
    proxy = try container.decodeIfPresent(String.self, forKey: .proxy)
    receiverUser = try container.decodeIfPresent(ReceiverUser.self, forKey: .receiverUser) ?? receiverUser
    retain = try container.decodeIfPresent(Switch.self, forKey: .retain) == .on
    homeAssistant = try container.decodeIfPresent(String.self, forKey: .homeAssistant)
    isUniquePerGateway = try container.decodeIfPresent(Switch.self, forKey: .uniquePerGateway) == .on
    acknowledgedBy = try container.decodeIfPresent(Acknowledger.self, forKey: .acknowledgedBy) ?? acknowledgedBy
    confirmSeconds = try container.decodeIfPresent(Int.self, forKey: .confirmSeconds) ?? confirmSeconds
    keepSeconds = try container.decodeIfPresent(Int.self, forKey: .keepSeconds) ?? keepSeconds
    unheard = try container.decodeIfPresent(UnheardPolicy.self, forKey: .unheard) ?? unheard
    expirySeconds = try container.decodeIfPresent(Int.self, forKey: .expirySeconds)
  }

  /// Writes every member that has a value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Member.self)
    try container.encode(address, forKey: .address)
    try container.encodeIfPresent(gateway, forKey: .gateway)
    try container.encodeIfPresent(clientID, forKey: .clientID)
    try container.encodeIfPresent(user, forKey: .user)
    try container.encode(topics, forKey: .topics)
    try container.encodeIfPresent(authorityFile, forKey: .authorityFile)
    try container.encodeIfPresent(clientCertificateFile, forKey: .clientCertificateFile)
    try container.encodeIfPresent(clientKeyFile, forKey: .clientKeyFile)
    try container.encodeIfPresent(proxy, forKey: .proxy)
    if receiverUser != .own { try container.encode(receiverUser, forKey: .receiverUser) }
    try container.encode(retain ? Switch.on : .off, forKey: .retain)
    try container.encodeIfPresent(homeAssistant, forKey: .homeAssistant)
    try container.encode(isUniquePerGateway ? Switch.on : .off, forKey: .uniquePerGateway)
    try container.encode(acknowledgedBy, forKey: .acknowledgedBy)
    try container.encode(confirmSeconds, forKey: .confirmSeconds)
    try container.encode(keepSeconds, forKey: .keepSeconds)
    try container.encode(unheard, forKey: .unheard)
    try container.encodeIfPresent(expirySeconds, forKey: .expirySeconds)
  }
}
