import Foundation

/// What a host tells those who use it. Events hold no health value: the record itself is in the queue, at the
/// receiver, or in the recovery file.
public enum HostEvent: Sendable, Hashable {
  /// A session has started.
  case sessionStarted(SessionStart)
  /// A receiver has a record.
  case recordSubmitted(SubmittedRecord)
  /// A receiver has refused a record for good: it waits among the dead letters until somebody mends or discards it.
  case recordSubmissionFailed(RefusedRecord)
  /// A receiver has a record's image.
  case recordImageSubmitted(SubmittedImage)
  /// A receiver has refused a record's image for good. The record is not touched by it.
  case recordImageSubmissionFailed(RefusedImage)
  /// A receiver beside the session's own has refused its token: readings wait until it gets a new one.
  case sinkRefused(SinkRefusal)
  /// Passive reading has heard a meter that announces itself before it measures: it is time to measure.
  case meterReady(MeterMoment)
  /// Passive reading has read a meter, which may have had nothing new.
  case meterRead(MeterReading)
  /// Passive reading has failed with a meter.
  case meterFailed(MeterFailure)
  /// Passive reading has met more unknown devices than are told one by one.
  case strangersMet(StrangerCount)
  /// Records of a health export are in the queue that were not there before, or have changed.
  case healthRecordsProcessed(ProcessedRecords)
  /// Commits that were acknowledged are not in the state folder any more.
  case commitsLost(LostCommits)
  /// A driver package has another version now.
  case driverUpdated(DriverUpdate)
  /// The host has gone back from a version of a driver package, or has disabled it: it failed what it was tried with, or was
  /// revoked.
  case driverRolledBack(DriverRetreat)
  /// A session is over; what no receiver has accepted is in its recovery file.
  case sessionEnded(SessionEnd)

  /// What a start has found missing; ``StoreLoss`` has more of it until somebody acknowledges it.
  public struct LostCommits: Sendable, Hashable, Codable {
    /// How many commits are missing; nil: nothing tells.
    public let commits: Int64?
    /// The folder with database and journal as they were found; nil when there was nothing to keep.
    public let keptFolder: String?

    enum CodingKeys: String, CodingKey {
      case keptFolder = "kept_folder"
      case commits
    }
  }

  /// A record that a receiver has accepted.
  public struct SubmittedRecord: Sendable, Hashable, Codable {
    /// The record's name.
    public let logID: LogID
    /// The revision that was accepted.
    public let revision: Int
    /// The receiver's name in the store.
    public let sink: String
    /// The receiver's own id, when it gave one.
    public let receiverID: String?

    enum CodingKeys: String, CodingKey {
      case logID = "log_id"
      case receiverID = "receiver_id"
      case revision, sink
    }
  }

  /// A record that a receiver has refused.
  public struct RefusedRecord: Sendable, Hashable, Codable {
    /// The record's name.
    public let logID: LogID
    /// The revision that was refused.
    public let revision: Int
    /// The receiver's name in the store.
    public let sink: String
    /// Why, as a stable word.
    public let reason: String
    /// What the receiver, or the encoding for it, said.
    public let error: String

    enum CodingKeys: String, CodingKey {
      case logID = "log_id"
      case revision, sink, reason, error
    }
  }

  /// An image that a receiver has accepted.
  public struct SubmittedImage: Sendable, Hashable, Codable {
    /// The name of the image's record.
    public let logID: LogID
    /// SHA-256 of the image's bytes in hexadecimal: its name beside the record's. Nil in events of earlier versions.
    public let image: String?
    /// The receiver's name in the store.
    public let sink: String
    /// The receiver's own id of the image, when it gave one.
    public let mediaID: String?
    /// Where the receiver shows it, when it said so.
    public let url: String?

    enum CodingKeys: String, CodingKey {
      case logID = "log_id"
      case mediaID = "media_id"
      case image, sink, url
    }

    /// An accepted image.
    package init(logID: LogID, image: String, sink: String, mediaID: String?, url: String?) {
      (self.logID, self.image, self.sink, self.mediaID, self.url) = (logID, image, sink, mediaID, url)
    }
  }

  /// An image that a receiver has refused.
  public struct RefusedImage: Sendable, Hashable, Codable {
    /// The name of the image's record.
    public let logID: LogID
    /// SHA-256 of the image's bytes in hexadecimal: its name beside the record's. Nil in events of earlier versions.
    public let image: String?
    /// What the image is, such as `image/jpeg`. Nil in events of earlier versions.
    public let contentType: String?
    /// The receiver's name in the store.
    public let sink: String
    /// The receiver's id of the record that the image belongs to. Nil in events of earlier versions.
    public let recordID: String?
    /// Why, as a stable word. Nil in events of earlier versions, whose `error` begins with it.
    public let reason: String?
    /// What the receiver said.
    public let error: String

    enum CodingKeys: String, CodingKey {
      case logID = "log_id"
      case contentType = "content_type"
      case recordID = "record_id"
      case image, sink, reason, error
    }

    /// A refused image.
    package init(
      logID: LogID, image: String, contentType: String, sink: String, recordID: String, reason: String, error: String
    ) {
      (self.logID, self.image, self.contentType, self.sink) = (logID, image, contentType, sink)
      (self.recordID, self.reason, self.error) = (recordID, reason, error)
    }
  }

  /// A receiver that has refused its token.
  public struct SinkRefusal: Sendable, Hashable, Codable {
    /// The receiver's name in the store.
    public let sink: String

    /// A refusal.
    package init(sink: String) { self.sink = sink }
  }

  /// Whose session has started.
  public struct SessionStart: Sendable, Hashable, Codable {
    /// The user's id.
    public let userID: String
    /// The organisation's id.
    public let organizationID: String

    enum CodingKeys: String, CodingKey {
      case userID = "user"
      case organizationID = "organization"
    }

    init(_ user: SessionUser) { (userID, organizationID) = (user.userID, user.organizationID) }
  }

  /// Why a session has ended. A later version may have other reasons: they are kept by their names.
  public struct EndReason: RawRepresentable, Sendable, Hashable, Codable, CaseIterable {
    /// Somebody has asked for it.
    public static let asked = EndReason(rawValue: "asked")
    /// Another user's session has begun.
    public static let otherUser = EndReason(rawValue: "other_user")
    /// The receiver has refused the token (401), or says that it is another user's.
    public static let tokenRefused = EndReason(rawValue: "token_refused")
    /// The reasons that this version knows.
    public static let allCases = [asked, otherUser, tokenRefused]

    /// The reason's name.
    public let rawValue: String

    /// A reason by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// What a session's end has left. The records themselves are in the file: ``UnsyncedPage`` reads them.
  public struct SessionEnd: Sendable, Hashable, Codable {
    /// The user's id.
    public let userID: String
    /// The organisation's id.
    public let organizationID: String
    /// How many records no receiver has accepted.
    public let unsynced: Int
    /// How many of them are of which type, such as `diabetes`; nil when there were none, and in events of earlier versions.
    public let unsyncedTypes: [String: Int]?
    /// The file that keeps them; nil when there were none.
    public let recoveryFile: String?
    /// Why it has ended; nil in events of earlier versions.
    public let reason: EndReason?

    enum CodingKeys: String, CodingKey {
      case userID = "user"
      case organizationID = "organization"
      case recoveryFile = "recovery_file"
      case unsyncedTypes = "unsynced_types"
      case unsynced, reason
    }

    init(
      _ user: SessionUser, unsynced: Int, types: [String: Int] = [:], recoveryFile: String?, reason: EndReason?
    ) {
      (userID, organizationID) = (user.userID, user.organizationID)
      unsyncedTypes = types.isEmpty ? nil : types
      (self.unsynced, self.recoveryFile, self.reason) = (unsynced, recoveryFile, reason)
    }
  }

  /// The event's name: `record_submitted`, `session_ended` ...
  public var name: String { kind.rawValue }

  /// The names of the events that this version knows.
  package static var names: [String] { Kind.allCases.map(\.rawValue) }

  private enum Kind: String, Codable, CaseIterable {
    case sessionStarted = "session_started"
    case recordSubmitted = "record_submitted"
    case recordSubmissionFailed = "record_submission_failed"
    case recordImageSubmitted = "record_image_submitted"
    case recordImageSubmissionFailed = "record_image_submission_failed"
    case sinkRefused = "sink_refused"
    case meterReady = "meter_ready"
    case meterRead = "meter_read"
    case meterFailed = "meter_failed"
    case strangersMet = "strangers_met"
    case healthRecordsProcessed = "health_records_processed"
    case commitsLost = "commits_lost"
    case driverUpdated = "driver_updated"
    case driverRolledBack = "driver_rolled_back"
    case sessionEnded = "session_ended"
  }

  private var kind: Kind {
    switch self {
    case .sessionStarted: .sessionStarted
    case .recordSubmitted: .recordSubmitted
    case .recordSubmissionFailed: .recordSubmissionFailed
    case .recordImageSubmitted: .recordImageSubmitted
    case .recordImageSubmissionFailed: .recordImageSubmissionFailed
    case .sinkRefused: .sinkRefused
    case .meterReady: .meterReady
    case .meterRead: .meterRead
    case .meterFailed: .meterFailed
    case .strangersMet: .strangersMet
    case .healthRecordsProcessed: .healthRecordsProcessed
    case .commitsLost: .commitsLost
    case .driverUpdated: .driverUpdated
    case .driverRolledBack: .driverRolledBack
    case .sessionEnded: .sessionEnded
    }
  }
}

extension HostEvent: Codable {
  private enum CodingKeys: String, CodingKey { case event }

  /// Reads an event by its name.
  public init(from decoder: any Decoder) throws {
    self =
      switch try decoder.container(keyedBy: CodingKeys.self).decode(Kind.self, forKey: .event) {
      case .sessionStarted: .sessionStarted(try SessionStart(from: decoder))
      case .recordSubmitted: .recordSubmitted(try SubmittedRecord(from: decoder))
      case .recordSubmissionFailed: .recordSubmissionFailed(try RefusedRecord(from: decoder))
      case .recordImageSubmitted: .recordImageSubmitted(try SubmittedImage(from: decoder))
      case .recordImageSubmissionFailed: .recordImageSubmissionFailed(try RefusedImage(from: decoder))
      case .sinkRefused: .sinkRefused(try SinkRefusal(from: decoder))
      case .meterReady: .meterReady(try MeterMoment(from: decoder))
      case .meterRead: .meterRead(try MeterReading(from: decoder))
      case .meterFailed: .meterFailed(try MeterFailure(from: decoder))
      case .strangersMet: .strangersMet(try StrangerCount(from: decoder))
      case .healthRecordsProcessed: .healthRecordsProcessed(try ProcessedRecords(from: decoder))
      case .commitsLost: .commitsLost(try LostCommits(from: decoder))
      case .driverUpdated: .driverUpdated(try DriverUpdate(from: decoder))
      case .driverRolledBack: .driverRolledBack(try DriverRetreat(from: decoder))
      case .sessionEnded: .sessionEnded(try SessionEnd(from: decoder))
      }
  }

  /// Writes the name and what belongs to it into one object.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .event)
    switch self {
    case .sessionStarted(let start): try start.encode(to: encoder)
    case .recordSubmitted(let record): try record.encode(to: encoder)
    case .recordSubmissionFailed(let record): try record.encode(to: encoder)
    case .recordImageSubmitted(let image): try image.encode(to: encoder)
    case .recordImageSubmissionFailed(let image): try image.encode(to: encoder)
    case .sinkRefused(let refusal): try refusal.encode(to: encoder)
    case .meterReady(let moment): try moment.encode(to: encoder)
    case .meterRead(let reading): try reading.encode(to: encoder)
    case .meterFailed(let failure): try failure.encode(to: encoder)
    case .strangersMet(let count): try count.encode(to: encoder)
    case .healthRecordsProcessed(let records): try records.encode(to: encoder)
    case .commitsLost(let loss): try loss.encode(to: encoder)
    case .driverUpdated(let update): try update.encode(to: encoder)
    case .driverRolledBack(let retreat): try retreat.encode(to: encoder)
    case .sessionEnded(let end): try end.encode(to: encoder)
    }
  }
}

/// An event in the log.
public struct LoggedEvent: Sendable, Hashable {
  /// Its place in the log; a listener that has handled it goes on behind it, also after a restart.
  public let cursor: Int64
  /// When it happened by the host's clock, in microseconds since 1970-01-01T00:00Z.
  public let timeMicroseconds: Int64
  /// What happened.
  public let event: HostEvent
}
