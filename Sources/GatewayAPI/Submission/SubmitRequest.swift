public import Foundation
public import MeterCore

/// What became of a submitted record.
public struct SubmittedRecord: Sendable, Codable, Hashable {
  /// How the record was received. A later version may have other outcomes: they are kept by their names.
  public struct Outcome: RawRepresentable, Sendable, Hashable, Codable, CaseIterable {
    /// It was not known.
    public static let new = Outcome(rawValue: "new")
    /// It was known and has changed.
    public static let revised = Outcome(rawValue: "revised")
    /// It was known as it is; nothing happens.
    public static let duplicate = Outcome(rawValue: "duplicate")
    /// Its name belongs to a record with other values; it is held.
    public static let suspect = Outcome(rawValue: "suspect")
    /// The outcomes that this version knows.
    public static let allCases = [new, revised, duplicate, suspect]

    /// The outcome's name.
    public let rawValue: String

    /// An outcome by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The record's log_id, a UUID that is the same everywhere.
  public var logID: LogID
  /// How it was received.
  public var outcome: Outcome
  /// Where its deliveries stand; with one receiver it is one. Of a session that has ended meanwhile nothing stands in
  /// the queue.
  public var deliveries: [QueueItem]
  /// The file that keeps it, when the session has ended before it was delivered: it is not to be submitted again.
  public var recoveryFile: String?
  /// Why the session has ended then.
  public var endReason: HostEvent.EndReason?
  /// The receivers to which nothing is sent for a while; nil for none.
  public var waits: [SinkWaitDescription]?

  enum CodingKeys: String, CodingKey {
    case logID = "log_id"
    case recoveryFile = "recovery_file"
    case endReason = "session_ended"
    case outcome, deliveries, waits
  }

  package init(
    logID: LogID, outcome: Outcome, deliveries: [QueueItem], recoveryFile: String? = nil,
    endReason: HostEvent.EndReason? = nil, waits: [SinkWaitDescription]? = nil
  ) {
    self.logID = logID
    self.outcome = outcome
    self.deliveries = deliveries
    self.recoveryFile = recoveryFile
    self.endReason = endReason
    self.waits = waits
  }

  /// The error of a command some of whose records were left behind by the end of their session; nil when none was.
  public static func failure(of records: [SubmittedRecord]) -> GatewayError? {
    let left = records.filter { $0.recoveryFile != nil }
    guard let first = left.first else { return nil }
    return .sessionEnded(
      left.count == 1 ? "the record is" : "\(left.count) records are", in: first.recoveryFile, first.endReason)
  }
}

/// Puts records that no driver has read into the queue, and delivers them.
public struct SubmitRequest: ControlRequest {
  /// What became of each record, in their order.
  public typealias Answer = [SubmittedRecord]

  /// Its name on the socket.
  public static let name = "record.submit"
  /// Record documents with the names that messages call them by.
  public var documents: [Document]
  /// The zone of times that are written without one, where the session has none.
  public var zone: String
  /// Hold values outside the plausible range for a person's word instead of refusing them.
  public var holdsImplausible = false
  /// Hold everything until a person confirms it.
  public var confirmsFirst = false
  /// Images that belong to the record; only one record may be submitted with them.
  public var images: [Data] = []
  /// Whether delivery is tried before the answer; else the records are left to the queue, which a service empties.
  public var delivers = true
  /// What records without a name of their own are named by, so that the request can be repeated.
  public var submission = UUID()

  /// Performed twice, it submits once.
  public static let isRepeatable = true

  /// A record document.
  public struct Document: Sendable, Codable {
    /// What messages call it.
    public var name: String
    /// JSON: a record, an array of records, or one a line.
    public var text: String

    /// The longest text that is taken, in bytes.
    package static let greatestSize = 16 << 20

    /// A document.
    public init(name: String, text: String) {
      self.name = name
      self.text = text
    }
  }

  /// A submission of documents.
  public init(_ documents: [Document], zone: TimeZone? = nil) {
    self.documents = documents
    self.zone = zone?.identifier ?? GatewayZone.name
  }
}

extension SubmitRequest {
  enum CodingKeys: String, CodingKey {
    case documents, zone, images, delivers, submission
    case holdsImplausible = "holds_implausible"
    case confirmsFirst = "confirms_first"
  }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(try container.decode([Document].self, forKey: .documents))
    zone = try container.decode(.zone, else: zone)
    holdsImplausible = try container.decode(.holdsImplausible, else: holdsImplausible)
    confirmsFirst = try container.decode(.confirmsFirst, else: confirmsFirst)
    images = try container.decode(.images, else: images)
    delivers = try container.decode(.delivers, else: delivers)
    submission = try container.decode(.submission, else: submission)
  }
}
