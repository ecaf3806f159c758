/// A session as `--json` shows it; the token never stands in it.
public struct SessionDescription: Sendable, Codable, Hashable {
  /// The receiver's id of the user; nil without a session.
  public var user: String?
  /// The receiver's id of the organisation; nil without a session.
  public var organization: String?
  /// Where readings go: an address, a folder; nil without a session.
  public var receiver: String?
  /// The receiver's kind; nil for `inform`.
  public var kind: String?
  /// The wire format of kinds that have several: `inform-v2` or `legacy-v1`.
  public var format: String?
  /// The IANA name of the user's time zone; nil when the gateway's counts.
  public var zone: String?
  /// What is kept as the user's zone and is none, as of an earlier version: the gateway's counts. Nil where all is
  /// well.
  public var unknownZone: String?
  /// Whether the receiver has accepted the token.
  public var validated: Bool
  /// Why it has not, when the session has just started.
  public var reason: String?
  /// The session of another user that ended for this one.
  public var ended: EndedSessionDescription?
  /// The receivers beside the session's own; nil when there are none.
  public var sinks: [SinkDescription]?
  /// What the user has said of their body, so that more is computed of their weighings; nil: nothing is.
  public var body: BodyDescription?
  /// How many seconds each receiver's clock is ahead of this machine's, by sink; nil when nothing is known.
  public var clockSkew: [String: Int]?

  enum CodingKeys: String, CodingKey {
    case user, organization, receiver, kind, format, zone, validated, reason, ended, sinks, body
    case clockSkew = "clock_skew"
    case unknownZone = "unknown_zone"
  }

  package init(
    user: String? = nil, organization: String? = nil, receiver: String? = nil, kind: String? = nil,
    format: String? = nil,
    zone: String? = nil, unknownZone: String? = nil, validated: Bool, reason: String? = nil,
    ended: EndedSessionDescription? = nil, sinks: [SinkDescription]? = nil, body: BodyDescription? = nil,
    clockSkew: [String: Int]? = nil
  ) {
    self.user = user
    self.organization = organization
    self.receiver = receiver
    self.kind = kind
    self.format = format
    self.zone = zone
    self.unknownZone = unknownZone
    self.validated = validated
    self.reason = reason
    self.ended = ended
    self.sinks = sinks
    self.body = body
    self.clockSkew = clockSkew
  }
}

extension SessionDescription {
  /// What to tell of a zone that is none.
  public var zoneProblem: String? { unknownZone.map { Self.problem(ofZone: $0) } }

  package static func problem(ofZone zone: String) -> String {
    "\(zone) is no time zone's name, so that the gateway's zone counts for this user"
  }

  /// What to do about it.
  package static let zoneCure =
    "name the user's: `meterhost session start --zone Europe/Berlin` with the options of before"
}

/// A session that has ended, as `--json` shows it.
public struct EndedSessionDescription: Sendable, Codable, Hashable {
  /// The receiver's id of the user.
  public var user: String
  /// The receiver's id of the organisation.
  public var organization: String
  /// How many readings no receiver has accepted.
  public var unsynced: Int
  /// How many images no receiver has accepted.
  public var unsyncedImages: Int
  /// Where those readings are kept; nil when there are none.
  public var recoveryFile: String?
  /// Why it has ended: `asked`, `other_user` or `token_refused`.
  public var reason: String?

  enum CodingKeys: String, CodingKey {
    case user, organization, unsynced, reason
    case unsyncedImages = "unsynced_images"
    case recoveryFile = "recovery_file"
  }

  package init(
    user: String, organization: String, unsynced: Int, unsyncedImages: Int, recoveryFile: String? = nil,
    reason: String? = nil
  ) {
    self.user = user
    self.organization = organization
    self.unsynced = unsynced
    self.unsyncedImages = unsyncedImages
    self.recoveryFile = recoveryFile
    self.reason = reason
  }
}

/// What a person has said of their body.
public struct BodyDescription: Sendable, Codable, Hashable {
  /// Centimetres.
  public var heightCentimetres: Double
  /// `female` or `male`: the sex that the published formulas tell apart.
  public var sex: String
  /// The day of birth, `YYYY-MM-DD`.
  public var born: String

  enum CodingKeys: String, CodingKey {
    case sex, born
    case heightCentimetres = "height_cm"
  }

  /// A body from its parts; nothing is checked yet.
  public init(heightCentimetres: Double, sex: String, born: String) {
    self.heightCentimetres = heightCentimetres
    self.sex = sex
    self.born = born
  }
}
