public import HostErrors

/// Why something that was entered or imported cannot be a record.
public struct DraftError: HostError, Hashable {
  /// Stable names of the reasons.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// No metric has this name.
    case unknownMetric = "unknown_metric"
    /// The metric does not belong to records of this type.
    case notOfType = "not_of_type"
    /// The metric may not have this unit.
    case unitNotAllowed = "unit_not_allowed"
    /// The value is no finite decimal number, or has too many digits.
    case notANumber = "not_a_number"
    /// A coded metric has no such word.
    case unknownWord = "unknown_word"
    /// The value lies outside what a person can have.
    case implausible = "implausible"
    /// One metric is there twice; which value is right cannot be told.
    case duplicate = "duplicate"
    /// There is no measured value.
    case noValue = "no_value"
    /// A text is empty, too long, or has control characters.
    case badText = "bad_text"
    /// A time cannot be written, an end lies before its start, or the offset's source is not stated.
    case badTime = "bad_time"
    /// A local time that the zone's clocks were put forward over: it is no moment.
    case skippedTime = "skipped_time"
    /// A local time that the zone's clocks have shown twice: which moment is meant cannot be told.
    case repeatedTime = "repeated_time"
    /// A series without points, with two points at one time, in a type that has none, or too long.
    case badSeries = "bad_series"
    /// There are more parts than a record may have.
    case tooMany = "too_many"
    /// The name is the nil UUID.
    case badName = "bad_name"
    /// The time is still to come: nobody has measured then.
    case futureTime = "future_time"
    /// This machine's clock was never set: no time can be compared with it, and `now` is none.
    case clockUnknown = "clock_unknown"
  }

  /// The reason.
  public let code: Code
  /// Where it is, such as `values[2]` or `segments[0].foods[1]`; empty for the record as a whole.
  public let place: String
  /// What is wrong; it holds no health value.
  public let message: String
  /// What would have been right: names, units, words or the range; empty where there is no list.
  public let allowed: [String]
  /// What to do about it; nil where message and list say it.
  public let hint: String?

  /// An error from its parts.
  package init(_ code: Code, _ place: String, _ message: String, allowed: [String] = [], hint: String? = nil) {
    (self.code, self.place, self.message, self.allowed, self.hint) = (code, place, message, allowed, hint)
  }

  /// A value that its metric cannot have.
  init(_ fault: RecordRules.ValueFault, at place: String) {
    switch fault {
    case .wrongKind(let metric): self.init(.notANumber, place, "\(metric.name) is a \(metric.kind.rawValue)")
    case .unitNotAllowed(let metric, _):
      self.init(
        .unitNotAllowed, place, "\(metric.name) is not reported in this unit", allowed: metric.units.map(\.ucum))
    }
  }

  /// It is the fault of what was entered, but for the clock.
  public var kind: HostErrorKind { code == .clockUnknown ? .temporary : .usage }

  /// Two pressures that cannot belong together.
  static let exchangedPressures = DraftError(
    .implausible, "", "the systolic pressure is not above the diastolic one",
    hint: "look whether the two were exchanged")

  /// Place, message and what is allowed in one line.
  public var fullMessage: String {
    let head = place.isEmpty ? message : "\(place): \(message)"
    return allowed.isEmpty ? head : "\(head); allowed: \(allowed.joined(separator: ", "))"
  }
}
