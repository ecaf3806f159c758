/// That a scan listens, what it hears as it hears it, and at the end what is known of each device.
public enum ScanTelling: Sendable {
  /// Listening begins. A partner over the socket can give up from its first telling on, and the air may be silent.
  case listening
  /// A device that is heard for the first time, or shows something that it has not shown before.
  case heard(SightingDescription)
  /// At the end, for each device that was heard: what is known of it; the strongest comes first.
  case found(SightingDescription)
  /// The end, and how many other devices were heard, which are of no interest.
  case over(others: Int)
  /// Something that only a later version knows, by its name.
  case unknown(String)
}

/// Lists the meters in the air. It only listens, so that it may run beside a read.
public struct ScanRequest: ControlConversation {
  /// Devices as they are heard, and at the end all that is known of each.
  public typealias Event = ScanTelling

  /// Its name on the socket.
  public static let name = "air.scan"
  /// How long to listen, in seconds; nil listens until the partner gives up.
  public var timeout: Double? = 10.0
  /// Tell of devices that no entry of the catalogue fits, too.
  public var showsAll = false
  /// Tell only of devices that an entry of this type fits, such as `glucose_meter`; nil: of any type.
  public var type: String?
  /// Tell only of devices that the entry of the catalogue with this id fits; nil: of any.
  public var peripheral: UInt32?
  /// The radio; nothing named takes the owner's.
  public var radio = RadioChoice()

  /// A scan with the defaults.
  public init() {}
}

extension ScanRequest {
  private enum CodingKeys: String, CodingKey {
    case timeout, type, peripheral, radio
    case showsAll = "shows_all"
  }

  /// Reads a request. What is left out has its default; a timeout that is null listens until the partner gives up.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    if container.contains(.timeout) { timeout = try container.decodeIfPresent(Double.self, forKey: .timeout) }
    showsAll = try container.decode(.showsAll, else: showsAll)
    type = try container.decodeIfPresent(String.self, forKey: .type)
    peripheral = try container.decodeIfPresent(UInt32.self, forKey: .peripheral)
    radio = try container.decode(.radio, else: radio)
  }

  /// Writes it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(timeout, forKey: .timeout)
    try container.encode(showsAll, forKey: .showsAll)
    try container.encodeIfPresent(type, forKey: .type)
    try container.encodeIfPresent(peripheral, forKey: .peripheral)
    try container.encode(radio, forKey: .radio)
  }
}
