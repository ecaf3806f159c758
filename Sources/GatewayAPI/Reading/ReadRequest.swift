public import MeterCore

/// What a read or a pairing tells. An event that only a later version knows is a ``ReadEventDescription`` with its
/// name.
public enum ReadTelling: Sendable {
  /// Something that the person should know first.
  case warning(String)
  /// Something happened at the meter.
  case read(ReadEventDescription)
  /// What delivery has come to, and how many readings are held for a person's word.
  case delivery(DeliveryDescription, held: Int)
}

/// Reads a meter and delivers its readings.
public struct ReadRequest: ControlConversation {
  /// What happens at the meter, what the person should know first, and what delivery has come to.
  public typealias Event = ReadTelling

  /// Its name on the socket.
  public static let name = "meter.read"
  /// The peripheral's id in the catalogue.
  public var peripheral: UInt32
  /// Addresses or stable UUIDs of the meters that may be read; nil is any meter, an empty list is none.
  public var allow: [String]?
  /// How long to listen for the meter and to connect, in seconds.
  public var timeout = 60.0
  /// How long a connected meter may be silent, in seconds.
  public var silence = 180.0
  /// Take what the meter measured before it was the user's, and read its whole memory again for that.
  public var takesHistory = false
  /// The user's slot of a meter that several people share.
  public var slot: UInt16?
  /// Only readings from this moment on; nil: however old.
  public var since: MomentText?
  /// Only readings before this moment; nil: up to the newest.
  public var until: MomentText?
  /// The zone of moments that are written without one, where the session has none.
  public var zone = GatewayZone.name
  /// At most so many readings; nil: all that are wanted.
  public var limit: UInt32?
  /// Hold the readings until a person confirms them.
  public var confirmsFirst = false
  /// Vouch for the host's clock, which may not be synchronised.
  public var trustsClock = false
  /// Pair if the meter requires it.
  public var pairs = false
  /// Set the meter's clock, or not; nil: what is set for the meter decides.
  public var setsClock: Bool?
  /// Write a recording of each session; else only of one that a fault of the driver ends.
  public var records: Bool?
  /// Deliver during and after the read.
  public var delivers = true
  /// Whether somebody answers questions; else what needs an answer fails with `answer_needed`.
  public var answersQuestions = false
  /// The radio; nothing named takes the owner's.
  public var radio = RadioChoice()

  /// A read with the defaults.
  public init(peripheral: UInt32) { self.peripheral = peripheral }
}

/// Pairs a meter with the gateway.
public struct PairRequest: ControlConversation {
  /// What happens at the meter, and what the person should know first.
  public typealias Event = ReadTelling

  /// Its name on the socket.
  public static let name = "meter.pair"
  /// The peripheral's id in the catalogue.
  public var peripheral: UInt32
  /// Addresses or stable UUIDs of the meters that may be paired; nil is any meter, an empty list is none.
  public var allow: [String]?
  /// How long to listen for the meter and to connect, in seconds.
  public var timeout = 60.0
  /// The user's slot of a meter that several people share.
  public var slot: UInt16?
  /// Whether somebody answers questions; else what needs an answer fails with `answer_needed`.
  public var answersQuestions = false
  /// The radio; nothing named takes the owner's.
  public var radio = RadioChoice()

  /// A pairing with the defaults.
  public init(peripheral: UInt32) { self.peripheral = peripheral }
}

extension ReadRequest {
  enum CodingKeys: String, CodingKey {
    case peripheral, allow, timeout, silence, slot, since, until, zone, limit, pairs, records, delivers, radio
    case takesHistory = "takes_history"
    case confirmsFirst = "confirms_first"
    case trustsClock = "trusts_clock"
    case setsClock = "sets_clock"
    case answersQuestions = "answers_questions"
  }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(peripheral: try container.decode(UInt32.self, forKey: .peripheral))
    allow = try container.decodeIfPresent([String].self, forKey: .allow)
    timeout = try container.decode(.timeout, else: timeout)
    silence = try container.decode(.silence, else: silence)
    takesHistory = try container.decode(.takesHistory, else: takesHistory)
    slot = try container.decodeIfPresent(UInt16.self, forKey: .slot)
    since = try container.decodeIfPresent(MomentText.self, forKey: .since)
    until = try container.decodeIfPresent(MomentText.self, forKey: .until)
    zone = try container.decode(.zone, else: zone)
    limit = try container.decodeIfPresent(UInt32.self, forKey: .limit)
    confirmsFirst = try container.decode(.confirmsFirst, else: confirmsFirst)
    trustsClock = try container.decode(.trustsClock, else: trustsClock)
    pairs = try container.decode(.pairs, else: pairs)
    setsClock = try container.decodeIfPresent(Bool.self, forKey: .setsClock)
    records = try container.decodeIfPresent(Bool.self, forKey: .records)
    delivers = try container.decode(.delivers, else: delivers)
    answersQuestions = try container.decode(.answersQuestions, else: answersQuestions)
    radio = try container.decode(.radio, else: radio)
  }
}

extension PairRequest {
  enum CodingKeys: String, CodingKey {
    case peripheral, allow, timeout, slot, radio
    case answersQuestions = "answers_questions"
  }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(peripheral: try container.decode(UInt32.self, forKey: .peripheral))
    allow = try container.decodeIfPresent([String].self, forKey: .allow)
    timeout = try container.decode(.timeout, else: timeout)
    slot = try container.decodeIfPresent(UInt16.self, forKey: .slot)
    answersQuestions = try container.decode(.answersQuestions, else: answersQuestions)
    radio = try container.decode(.radio, else: radio)
  }
}
