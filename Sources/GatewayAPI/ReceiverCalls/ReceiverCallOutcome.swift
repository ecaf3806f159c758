import InformSink
import MeterCore

/// What became of one record of a call, as `--json` shows it.
public struct ReceiverCallOutcome: Sendable, Codable, Hashable {
  /// Why a record was not stored.
  public struct Failure: Sendable, Codable, Hashable {
    /// Stable name of the reason: the code of an `APIError`.
    public var code: String
    /// What happened.
    public var message: String
    /// What to do about it.
    public var hint: String

    package init(code: String, message: String, hint: String) {
      self.code = code
      self.message = message
      self.hint = hint
    }
  }

  /// The record's own name; nil where the call knows its id at the receiver only.
  public var logID: String?
  /// The receiver's own id of the record.
  public var recordID: String?
  /// The revision that is stored there.
  public var revision: Int?
  /// Whether the receiver did not have it before.
  public var isNew: Bool?
  /// Whether it was deleted.
  public var isDeleted: Bool?
  /// The receiver's id of an image.
  public var mediaID: String?
  /// Where the receiver shows an image, when it says so.
  public var url: String?
  /// Why nothing was done; nil when it was.
  public var error: Failure?

  enum CodingKeys: String, CodingKey {
    case revision, url, error
    case logID = "log_id"
    case recordID = "record_id"
    case isNew = "new"
    case isDeleted = "deleted"
    case mediaID = "media_id"
  }

  package init(
    logID: String? = nil, recordID: String? = nil, revision: Int? = nil, isNew: Bool? = nil, isDeleted: Bool? = nil,
    mediaID: String? = nil, url: String? = nil, error: Failure? = nil
  ) {
    self.logID = logID
    self.recordID = recordID
    self.revision = revision
    self.isNew = isNew
    self.isDeleted = isDeleted
    self.mediaID = mediaID
    self.url = url
    self.error = error
  }

  /// The error of a call with these outcomes; nil when nothing failed.
  public static func failure(of outcomes: [ReceiverCallOutcome]) -> GatewayError? {
    let errors = outcomes.compactMap(\.error)
    guard let first = errors.first else { return nil }
    let judged = errors.first { ![.transport, .busy, .unauthorized].map(\APIError.Code.rawValue).contains($0.code) }
    let shown = judged ?? first
    guard outcomes.count > 1 else {
      return GatewayError(kind(shown), code: shown.code, shown.message, hint: shown.hint)
    }
    let code = judged == nil ? first.code : APIError.Code.invalidRecords.rawValue
    return GatewayError(
      kind(shown), code: code, "\(errors.count) of \(outcomes.count) failed; the first: \(shown.message)",
      hint: shown.hint)
  }

  private static func kind(_ failure: Failure) -> GatewayError.Kind {
    APIError.Code(rawValue: failure.code)?.kind ?? .failed
  }
}
