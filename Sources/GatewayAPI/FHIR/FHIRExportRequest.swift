public import MeterCore

/// Readings of the queue as FHIR's bundles, which are sent nowhere.
public struct FHIRExportRequest: ControlRequest {
  /// A reading as a transaction bundle.
  public struct Bundle: Codable, Sendable, Hashable {
    /// The reading's id.
    public var logID: String
    /// Which content of the reading it is.
    public var revision: Int
    /// The bundle as JSON, in one line. Its numbers have the digits that were reported: it is not to be read and written anew.
    public var bundle: String

    package init(logID: String, revision: Int, bundle: String) {
      (self.logID, self.revision, self.bundle) = (logID, revision, bundle)
    }
  }

  /// A reading that has no bundle.
  public struct Refused: Codable, Sendable, Hashable {
    /// The reading's id.
    public var logID: String
    /// Which content of the reading it is.
    public var revision: Int
    /// Why, as a stable word.
    public var code: String
    /// Why, for people; it holds no health value.
    public var message: String

    package init(logID: String, revision: Int, code: String, message: String) {
      (self.logID, self.revision, self.code, self.message) = (logID, revision, code, message)
    }
  }

  /// A part of what was asked for.
  public struct Answer: Codable, Sendable {
    /// The bundles, the oldest reading of the queue first.
    public var bundles: [Bundle]
    /// Readings that have none.
    public var refused: [Refused]
    /// How many readings wait for a person's word: none of them is among the bundles.
    public var held: Int
    /// What the next part is asked for with; nil: this is the last one.
    public var next: Int64?

    package init(bundles: [Bundle], refused: [Refused], held: Int, next: Int64?) {
      (self.bundles, self.refused, self.held, self.next) = (bundles, refused, held, next)
    }
  }

  /// Its name on the socket.
  public static let name = "fhir.export"
  /// It changes nothing.
  public static let onlyLooks = true
  /// Whose readings they are at the server, such as `Patient/123`; nil where an identifier says it.
  public var patient: String?
  /// The same by an identifier, `SYSTEM|VALUE`.
  public var patientIdentifier: String?
  /// Only readings that were taken from then on; nil: no bound.
  public var from: MomentText?
  /// Only readings that were taken before; nil: no bound.
  public var to: MomentText?
  /// The zone of times that are written without one, where the session has none.
  public var zone: String
  /// Only readings behind this position.
  public var after: Int64
  /// How many deliveries are looked at for one part: 1 to ``longest``.
  public var limit: Int

  /// How many deliveries one part is made of at most: bundles are large.
  public static let longest = 100

  /// Asks for bundles.
  public init(
    patient: String? = nil, patientIdentifier: String? = nil, from: MomentText? = nil, to: MomentText? = nil,
    after: Int64 = 0, limit: Int = longest
  ) {
    (self.patient, self.patientIdentifier, self.from, self.to) = (patient, patientIdentifier, from, to)
    zone = GatewayZone.name
    (self.after, self.limit) = (after, limit)
  }
}

extension FHIRExportRequest {
  enum CodingKeys: String, CodingKey {
    case patient, from, to, zone, after, limit
    case patientIdentifier = "patient_identifier"
  }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      patient: try container.decodeIfPresent(String.self, forKey: .patient),
      patientIdentifier: try container.decodeIfPresent(String.self, forKey: .patientIdentifier),
      from: try container.decodeIfPresent(MomentText.self, forKey: .from),
      to: try container.decodeIfPresent(MomentText.self, forKey: .to), after: try container.decode(.after, else: 0),
      limit: try container.decode(.limit, else: Self.longest))
    zone = try container.decode(.zone, else: GatewayZone.name)
  }
}

extension FHIRExportRequest.Bundle {
  enum CodingKeys: String, CodingKey {
    case revision, bundle
    case logID = "log_id"
  }
}

extension FHIRExportRequest.Refused {
  enum CodingKeys: String, CodingKey {
    case revision, code, message
    case logID = "log_id"
  }
}
