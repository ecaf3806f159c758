public import MeterCore
public import CurlHTTP
public import HostErrors

/// Why a call to a receiver has failed.
public struct APIError: HostError, Hashable {
  /// Stable names of the reasons.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The receiver or the wire format refuses some of the records; ``APIError/failures`` lists them, and what else was
    /// given is stored.
    case invalidRecords = "invalid_records"
    /// The wire format has no records of this type.
    case invalidRecordType = "invalid_record_type"
    /// The call needs the receiver's own id of the record.
    case missingRecordID = "missing_record_id"
    /// The call needs a name of the record's own (`log_id`, in Legacy `activity_id`).
    case missingActivityID = "missing_activity_id"
    /// There is no record: none was given, or the receiver has none of this id.
    case missingRecord = "missing_record"
    /// The id or name is that of a record of another type.
    case mismatchedRecordTypes = "mismatched_record_types"
    /// Something else is stored under this name, and the receiver does not say which revision would replace it.
    case conflict
    /// The receiver refuses the token.
    case unauthorized
    /// The receiver asks to wait, or cannot store at the moment.
    case busy
    /// There was no answer.
    case transport
    /// The receiver refuses for another reason.
    case refused

    package var kind: HostErrorKind {
      switch self {
      case .missingRecordID, .missingActivityID, .invalidRecordType: .usage
      case .busy, .transport: .temporary
      default: .failed
      }
    }
  }

  /// One record that was not stored.
  public struct Failure: Sendable, Hashable {
    /// Its place among those that were given, from 0.
    public let index: Int
    /// Its name.
    public let logID: LogID
    /// Why.
    public let error: APIError
  }

  /// The reason.
  public let code: Code
  /// What happened, for people; no token and no health value of ours.
  public let message: String
  /// What to do about it.
  public let cure: String
  /// The receiver's status, when it has answered.
  public let status: Int?
  /// Why there was no answer, for ``Code/transport``.
  public let transportError: TransportError?
  /// How long the receiver asks to wait, in seconds.
  public let retryAfterSeconds: Int?
  /// The records that were not stored, of a call with several.
  public let failures: [Failure]
  /// The records of such a call that are stored.
  public let stored: [StoredReference]
  /// The revision under which other content is stored, of a ``Code/conflict`` whose receiver says so.
  public let storedRevision: Int?

  init(
    _ code: Code, _ message: String, cure: String, status: Int? = nil, transportError: TransportError? = nil,
    retryAfterSeconds: Int? = nil, failures: [Failure] = [], stored: [StoredReference] = [],
    storedRevision: Int? = nil
  ) {
    self.code = code
    self.message = message
    self.cure = cure
    self.status = status
    self.transportError = transportError
    self.retryAfterSeconds = retryAfterSeconds
    self.failures = failures
    self.stored = stored
    self.storedRevision = storedRevision
  }

  /// Decides the exit status.
  public var kind: HostErrorKind { code.kind }

  /// What to do about it, which every such error says.
  public var hint: String? { cure }

  /// Code, message and cure in one line.
  public var description: String { "\(code.rawValue): \(message); \(cure)" }
}

/// Where a receiver has stored a record.
public struct StoredReference: Sendable, Hashable {
  /// The record's own name.
  public let logID: LogID
  /// The receiver's id of it; nil when its answer has none.
  public let recordID: String?
  /// The revision that is stored there; nil when the answer does not say.
  public let revision: Int?
  /// Whether the receiver did not have it before.
  public let isNew: Bool
}

/// Where a receiver has stored an image.
public struct StoredImage: Sendable, Hashable {
  /// SHA-256 of its bytes in hexadecimal.
  public let checksum: String
  /// The receiver's id of it; nil when its answer has none.
  public let mediaID: String?
  /// Its address, when the answer has one.
  public let url: String?
  /// Whether the receiver did not have it before.
  public let isNew: Bool
}
