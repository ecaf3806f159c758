import Foundation
public import MeterCore

/// A session as `--json` shows it; the token never stands in it.
public struct SessionDescription: Sendable, Codable, Hashable {
  /// The user's id; nil without a session.
  public var user: String?
  /// The organisation's id.
  public var organization: String?
  /// The receiver's address.
  public var receiver: String?
  /// The wire format: `inform-v2` or `legacy-v1`.
  public var format: String?
  /// The user's time zone; nil when the gateway's counts.
  public var zone: String?
  /// What is kept as the user's zone and is none, as of an earlier version: the gateway's counts. Nil where all is well.
  public var unknownZone: String?
  /// Whether the receiver has accepted the token.
  public var validated: Bool
  /// Why it has not, when the session has just started.
  public var reason: String?
  /// The session of another user that ended for this one.
  public var ended: EndedSessionDescription?
  /// The receivers beside the session's own; nil when there are none.
  public var sinks: [SinkDescription]?
  /// How many seconds each receiver's clock is ahead of this machine's, by sink; nil when nothing is known.
  public var clockSkew: [String: Int]?

  enum CodingKeys: String, CodingKey {
    case user, organization, receiver, format, zone, validated, reason, ended, sinks
    case clockSkew = "clock_skew"
    case unknownZone = "unknown_zone"
  }

  /// Describes a session.
  public init(_ session: Session, setting: ReceiverSetting?) {
    user = session.user?.userID
    organization = session.user?.organizationID
    // The address of a session that has ended is nobody's.
    receiver = session.user == nil ? nil : setting?.receiver
    format = session.user == nil ? nil : setting?.format.rawValue
    unknownZone = session.options.unknownZone
    zone = unknownZone == nil ? session.options.zone : nil
    validated = session.isValidated
  }

  /// Describes the session of a store with what is known of its receivers.
  ///
  /// - Throws: `StoreError`, ``GatewayError`` with code `receiver_setting`.
  public init(showing store: MeterStore) throws {
    let session = try store.currentSession()
    self.init(session, setting: try ReceiverSetting.of(session, in: store.folder))
    guard user != nil else { return }
    let others = try GatewaySink.all(in: store).map(SinkDescription.init)
    sinks = others.isEmpty ? nil : others
    let skews = try store.clockSkews().mapValues(\.seconds)
    clockSkew = skews.isEmpty ? nil : skews
  }

  /// Describes a session that has just started.
  public init(_ start: GatewayDelivery.Start, setting: ReceiverSetting) {
    self.init(start.session, setting: setting)
    reason = start.unvalidated
    ended = start.ended.map(EndedSessionDescription.init)
  }
}

extension SessionDescription {
  /// What to tell of a zone that is none.
  public var zoneProblem: String? { unknownZone.map { Self.problem(ofZone: $0) } }

  static func problem(ofZone zone: String) -> String {
    "\(zone) is no time zone's name, so that the gateway's zone counts for this user"
  }

  /// What to do about it.
  static let zoneCure = "name the user's: `meterhost session start --zone Europe/Berlin` with the options of before"
}

/// A receiver beside the session's own, as `--json` shows it.
public struct SinkDescription: Sendable, Codable, Hashable {
  /// Its name.
  public var name: String
  /// Its address.
  public var receiver: String
  /// The wire format.
  public var format: String
  /// What it says of its token: validated, not_yet or refused.
  public var token: String

  /// Describes a receiver.
  public init(_ sink: GatewaySink) {
    name = sink.name
    receiver = sink.setting.receiver
    format = sink.setting.format.rawValue
    token = sink.isRefused ? "refused" : sink.isValidated ? "validated" : "not_yet"
  }
}

/// A session that has ended, as `--json` shows it.
public struct EndedSessionDescription: Sendable, Codable, Hashable {
  /// The user's id.
  public var user: String
  /// The organisation's id.
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

  /// Describes what a session's end has left.
  public init(_ ended: EndedSession) {
    user = ended.user.userID
    organization = ended.user.organizationID
    unsynced = ended.unsynced
    unsyncedImages = ended.unsyncedImages
    recoveryFile = ended.recoveryFile?.path
    reason = ended.reason?.rawValue
  }
}
