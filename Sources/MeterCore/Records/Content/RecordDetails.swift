/// What a record has beyond values and texts: parts of a workout, night or meal, series, tags and extras.
///
/// Readings of meters have none of it.
public struct RecordDetails: Sendable, Hashable, Codable {
  /// Parts of a workout, a night or a day's food, in their order.
  public let segments: [RecordSegment]
  /// The series of an intraday or cgm record.
  public let series: RecordSeries?
  /// Names with texts, for a receiver to filter by.
  public let tags: [RecordTag]
  /// Further members of a source's own, by name.
  public let extras: [RecordExtra]

  /// Details from their parts.
  package init(
    segments: [RecordSegment] = [], series: RecordSeries? = nil, tags: [RecordTag] = [], extras: [RecordExtra] = []
  ) {
    self.segments = segments
    self.series = series
    self.tags = tags
    self.extras = extras
  }

  /// Whether there is nothing in it.
  package var isEmpty: Bool { segments.isEmpty && series == nil && tags.isEmpty && extras.isEmpty }

  /// The measured part, without what people and sources note beside it.
  var measured: RecordDetails { RecordDetails(segments: segments, series: series) }
}

/// A part of a record: a lap, a phase of sleep, a meal.
public struct RecordSegment: Sendable, Hashable, Codable {
  /// What it is called, such as `rem` or `Breakfast`.
  public let name: String?
  /// Start in microseconds since 1970-01-01T00:00Z, nil when it has no time of its own.
  public let startMicroseconds: Int64?
  /// End in microseconds since 1970-01-01T00:00Z.
  public let endMicroseconds: Int64?
  /// What was measured during this part alone.
  public let values: [RecordValue]
  /// What a meal consisted of.
  public let foods: [RecordFood]

  /// A segment from its parts.
  package init(
    name: String?, startMicroseconds: Int64? = nil, endMicroseconds: Int64? = nil, values: [RecordValue],
    foods: [RecordFood] = []
  ) {
    self.name = name
    self.startMicroseconds = startMicroseconds
    self.endMicroseconds = endMicroseconds
    self.values = values
    self.foods = foods
  }
}

/// One thing that was eaten.
public struct RecordFood: Sendable, Hashable, Codable {
  /// What it is.
  public let name: String
  /// Who makes it.
  public let brand: String?
  /// How much of `servingUnit`.
  public let servingAmount: ReportedNumber?
  /// In what the amount is counted, such as `slice`; no UCUM unit.
  public let servingUnit: String?
  /// What it contains.
  public let values: [RecordValue]

  /// A food from its parts.
  package init(
    name: String, brand: String? = nil, servingAmount: ReportedNumber? = nil, servingUnit: String? = nil,
    values: [RecordValue]
  ) {
    self.name = name
    self.brand = brand
    self.servingAmount = servingAmount
    self.servingUnit = servingUnit
    self.values = values
  }
}

/// Values over time.
public struct RecordSeries: Sendable, Hashable, Codable {
  /// The distance of two points.
  public struct Granularity: Sendable, Hashable, Codable {
    /// How many of `unit`, at least 1.
    public let interval: Int
    /// The unit in UCUM: `s`, `min`, `h` or `d`.
    public let unit: String

    /// A distance from its parts.
    package init(interval: Int, unit: String) {
      self.interval = interval
      self.unit = unit
    }

    /// The units that a distance may have.
    package static let units = ["s", "min", "h", "d"]
  }

  /// One metric's points.
  public struct Channel: Sendable, Hashable, Codable {
    /// Code of the metric.
    public let metric: UInt16
    /// Code of the unit.
    public let unit: UInt16
    /// The points by time.
    public let points: [Point]

    /// A channel; its points are put in order.
    package init(metric: UInt16, unit: UInt16, points: [Point]) {
      self.metric = metric
      self.unit = unit
      self.points = points.sorted { $0.order < $1.order }
    }

    package func value(_ point: Point) -> RecordValue {
      RecordValue(metric: metric, unit: unit, number: point.number, qualifier: point.qualifier)
    }
  }

  /// One value of a series.
  public struct Point: Sendable, Hashable, Codable {
    /// Microseconds since 1970-01-01T00:00Z.
    public let timeMicroseconds: Int64
    /// The decimal number with all the places that it was reported with, so that 6.20 stays 6.20.
    public let number: ReportedNumber
    /// How to read it.
    public let qualifier: ValueQualifier
    /// Whether a sensor took it by its own clock (true) or a person asked for it (false); nil when not known.
    public let isScheduled: Bool?

    /// A point from its parts.
    package init(
      timeMicroseconds: Int64, number: ReportedNumber, qualifier: ValueQualifier = .exact, isScheduled: Bool? = nil
    ) {
      self.timeMicroseconds = timeMicroseconds
      self.number = number
      self.qualifier = qualifier
      self.isScheduled = isScheduled
    }

    fileprivate var order: (Int64, Int64, Int8) { (timeMicroseconds, number.mantissa, number.exponent) }
  }

  /// The distance of two points; nil when they come as they come.
  public let granularity: Granularity?
  /// The metrics.
  public let channels: [Channel]

  /// A series from its parts.
  package init(granularity: Granularity?, channels: [Channel]) {
    self.granularity = granularity
    self.channels = channels
  }
}

/// A name with a text.
public struct RecordTag: Sendable, Hashable, Codable {
  /// What the tag is about; a receiver filters by it.
  public let name: String
  /// The text.
  public let value: String

  /// A tag from its parts.
  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// A member of a source's own.
public struct RecordExtra: Sendable, Hashable, Codable {
  /// What it holds.
  public enum Value: Sendable, Hashable, Codable {
    /// A text in the source's own words.
    case text(String)
    /// A number with its digits.
    case number(ReportedNumber)
    /// Yes or no.
    case flag(Bool)
  }

  /// The source's own name for it, of which a record has one each.
  public let name: String
  /// What it holds.
  public let value: Value

  /// An extra from its parts.
  package init(name: String, value: Value) {
    self.name = name
    self.value = value
  }
}
