/// A record that comes from no driver: entered by a person, or taken from another program's export.
///
/// It is written in words: metrics by the dictionary's names (and by further ones, see ``names``), values as decimal text, units in UCUM.
/// ``record(named:)`` checks all of it and names the first fault with its place.
public struct RecordDraft: Sendable, Hashable {
  /// A number with its unit, or a word, as decimal text and by the metric's name.
  public struct Value: Sendable, Hashable {
    /// The metric by its name; see ``RecordDraft/names``.
    package var metric: String
    /// A decimal number; of a coded metric its word or number.
    package var value: String
    /// The unit in UCUM; nil for coded metrics, and for metrics that have one unit only.
    package var unit: String?
    /// How to read it.
    package var qualifier: ValueQualifier

    /// A value from its parts.
    public init(_ metric: String, _ value: String, _ unit: String? = nil, qualifier: ValueQualifier = .exact) {
      self.metric = metric
      self.value = value
      self.unit = unit
      self.qualifier = qualifier
    }
  }

  /// What is told in words; which fields there are depends on the record's type.
  public struct Text: Sendable, Hashable {
    /// The field: `note`, `activity_name`, `intensity`, `meal` or `category`.
    package var field: String
    package var text: String

    /// A text from its parts.
    public init(_ field: String, _ text: String) {
      self.field = field
      self.text = text
    }
  }

  /// A lap, a phase of sleep, a meal.
  public struct Segment: Sendable, Hashable {
    /// What it is called.
    package var name: String?
    /// Start in microseconds since 1970-01-01T00:00Z.
    package var startMicroseconds: Int64?
    /// End in microseconds since 1970-01-01T00:00Z.
    package var endMicroseconds: Int64?
    package var values: [Value]
    /// What a meal consisted of.
    package var foods: [Food]

    /// A segment from its parts.
    public init(
      name: String? = nil, startMicroseconds: Int64? = nil, endMicroseconds: Int64? = nil, values: [Value],
      foods: [Food] = []
    ) {
      self.name = name
      self.startMicroseconds = startMicroseconds
      self.endMicroseconds = endMicroseconds
      self.values = values
      self.foods = foods
    }
  }

  /// One thing that was eaten.
  public struct Food: Sendable, Hashable {
    /// What it is.
    package var name: String
    /// Who makes it.
    package var brand: String?
    /// How much, as decimal text.
    package var servingAmount: String?
    /// In what the amount is counted, such as `slice`.
    package var servingUnit: String?
    /// What it contains.
    package var values: [Value]

    /// A food from its parts.
    public init(
      name: String, brand: String? = nil, servingAmount: String? = nil, servingUnit: String? = nil, values: [Value]
    ) {
      self.name = name
      self.brand = brand
      self.servingAmount = servingAmount
      self.servingUnit = servingUnit
      self.values = values
    }
  }

  /// One metric over time.
  public struct Channel: Sendable, Hashable {
    /// The metric by its name; see ``RecordDraft/names``.
    package var metric: String
    /// The unit in UCUM.
    package var unit: String?
    /// The points, in any order.
    package var points: [Point]

    /// A channel from its parts.
    public init(_ metric: String, unit: String?, points: [Point]) {
      self.metric = metric
      self.unit = unit
      self.points = points
    }
  }

  /// One value of a series.
  public struct Point: Sendable, Hashable {
    /// Microseconds since 1970-01-01T00:00Z.
    package var timeMicroseconds: Int64
    /// A decimal number.
    package var value: String
    /// How to read it.
    package var qualifier: ValueQualifier
    /// Whether a sensor took it by its own clock; nil when not known.
    package var isScheduled: Bool?

    /// A point from its parts.
    public init(
      _ timeMicroseconds: Int64, _ value: String, qualifier: ValueQualifier = .exact, isScheduled: Bool? = nil
    ) {
      self.timeMicroseconds = timeMicroseconds
      self.value = value
      self.qualifier = qualifier
      self.isScheduled = isScheduled
    }
  }

  /// What kind of record it is.
  public var type: RecordType
  /// When it was.
  public var time: RecordTime
  /// Where it comes from.
  public var source: RecordSource
  /// Who gave the values.
  public var origin: ValueOrigin
  /// What was measured and facts about it, each metric once.
  public var values: [Value] = []
  /// What is told in words, each field once.
  public var texts: [Text] = []
  /// Parts of a workout, a night, a day or a meal.
  public var segments: [Segment] = []
  /// The distance of a series' points.
  public var granularity: RecordSeries.Granularity?
  /// The series of an intraday or cgm record.
  public var channels: [Channel] = []
  /// Names with texts.
  public var tags: [RecordTag] = []
  /// Members of a source's own.
  public var extras: [RecordExtra] = []
  /// By which names metrics are known.
  public var names = MetricNames.dictionary
  /// Whether values outside the plausible range are kept. The caller then holds the record for a person.
  public var keepsImplausible = false
  /// Whether its extras are what was noted, and no value need stand beside them: reproductive health is told in words, for which the
  /// dictionary has no metrics. Only biometrics may be so.
  package var isOfWords = false

  /// A draft without values.
  public init(type: RecordType, time: RecordTime, source: RecordSource, origin: ValueOrigin = .manual) {
    self.type = type
    self.time = time
    self.source = source
    self.origin = origin
  }
}

/// What a record that comes from no driver is named by.
public enum RecordName: Sendable, Hashable {
  /// A new random name: another submission of the same draft is another record.
  case random
  /// The caller's own: the same record, however often it is submitted.
  case given(LogID)
  /// One record of an import: the same name at every import. `source` names the export, `identity` the record in it.
  case imported(source: [UInt8], identity: [UInt8])
  /// A sum of a local day or interval, such as `2026-03-29`. It may grow: the name stays, the revision rises.
  case summary(source: [UInt8], kind: String, interval: String)

  /// The name; of a random one, a new one each time.
  package var logID: LogID {
    switch self {
    case .random: .live()
    case .given(let logID): logID
    case .imported(let source, let identity): .imported(source: source, identity: identity)
    case .summary(let source, let kind, let interval): .summary(source: source, kind: kind, interval: interval)
    }
  }

  var identityClass: IdentityClass {
    switch self {
    case .random, .given: .live
    case .imported: .stored
    case .summary: .summary
    }
  }
}
