/// A record of type measurement as the receiver keeps it.
public typealias StoredMeasurement = StoredRecord

/// One record as the receiver keeps it.
public struct StoredRecord: Sendable, Equatable {
  /// One metric of a measurement.
  public struct Metric: Sendable, Equatable {
    /// The metric type, such as `blood_glucose`.
    public let type: String
    /// Where the value came from: `device`, `manual` or `unknown`.
    public let origin: String
    /// The UCUM unit, also where the client wrote a word of Inform's for it (`mmHg`, `bpm`, `count`).
    public let unit: String
    /// The value in that unit.
    public let value: Double
  }

  /// The receiver's id of the record; an update keeps it.
  public let id: String
  /// What the record is: Inform v2's `measurement`, `summary`, `workout`, `sleep`, `nutrition`, `intraday` or `cgm`, or
  /// Legacy's `v1/biometrics`, `v1/weight` and so on.
  public let type: String
  /// The client's id of the record: a UUID in lower case, in Legacy the `activity_id`.
  public let logID: String
  /// 1 for the first content; higher after updates.
  public let revision: Int
  /// SHA-256 of the canonical content in hexadecimal, in which 6.20 is 6.2; an update changes it.
  public let checksum: String
  /// When the record arrived first: RFC 3339, UTC.
  public let createdAt: String
  /// When the content was last replaced: RFC 3339, UTC.
  public let updatedAt: String
  /// The images that belong to the record.
  public let media: [StoredMedia]
  /// The record's content: JSON of the object that the client sent, its members sorted, its numbers as the client wrote them.
  public let content: String

  let record: JSONObject

  /// Start of the record as the client wrote it: RFC 3339, UTC.
  public var startTime: String { text(record["start_time"]) ?? "" }
  /// End of the record as the client wrote it: RFC 3339, UTC.
  public var endTime: String { text(record["end_time"]) ?? "" }
  /// Local time minus UTC in seconds, where the client knew it.
  public var utcOffset: Int? { record["utc_offset"]?.integer }
  /// The model of the meter, where the client named it.
  public var deviceModel: String? { text(device?["model"]) }
  /// The manufacturer of the meter, where the client named it.
  public var deviceManufacturer: String? { text(device?["manufacturer"]) }

  /// What was measured, where the values are single numbers and not series.
  public var metrics: [Metric] {
    guard case .array(let metrics)? = record["metrics"] else { return [] }
    return metrics.compactMap { metric in
      guard case .object(let metric) = metric, let type = text(metric["type"]), let origin = text(metric["origin"]),
        let unit = text(metric["unit"]), case .number(let value, _)? = metric["value"]
      else { return nil }
      return Metric(type: type, origin: origin, unit: UnitSpelling.canonical(unit), value: value)
    }
  }

  /// The values of the tags with that name, in order.
  public func tags(named name: String) -> [String] {
    guard case .array(let tags)? = record["tags"] else { return [] }
    return tags.compactMap { tag in
      guard case .object(let tag) = tag, text(tag["name"]) == name else { return nil }
      return text(tag["value"])
    }
  }

  private var device: JSONObject? {
    guard case .object(let source)? = record["source"], case .object(let device)? = source["device"] else { return nil }
    return device
  }

  private func text(_ value: JSONValue?) -> String? {
    guard case .string(let text)? = value else { return nil }
    return text
  }
}
