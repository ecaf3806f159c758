/// What a reading has beside its values, as `--json` shows it: parts, series, tags and a source's own members. Readings
/// of meters have none of it.
public struct ReadingDetails: Sendable, Codable, Hashable {
  /// A part of a workout, a night or a day's food.
  public struct Segment: Sendable, Codable, Hashable {
    /// What it is called.
    public var name: String?
    /// When it begins, RFC 3339 in UTC; nil without a time of its own.
    public var start: String?
    /// When it ends, RFC 3339 in UTC; nil without a time of its own.
    public var end: String?
    /// What was measured during this part alone.
    public var values: [ReadingDescription.Value]
    /// What a meal consisted of; nil for nothing.
    public var foods: [Food]?

    package init(
      name: String? = nil, start: String? = nil, end: String? = nil, values: [ReadingDescription.Value],
      foods: [Food]? = nil
    ) {
      self.name = name
      self.start = start
      self.end = end
      self.values = values
      self.foods = foods
    }
  }

  /// One thing that was eaten.
  public struct Food: Sendable, Codable, Hashable {
    /// What it is, and who makes it.
    public var name: String
    /// How much, such as `2 slice`.
    public var serving: String?
    /// What it contains.
    public var values: [ReadingDescription.Value]

    package init(name: String, serving: String? = nil, values: [ReadingDescription.Value]) {
      self.name = name
      self.serving = serving
      self.values = values
    }
  }

  /// The values of one metric over time.
  public struct Channel: Sendable, Codable, Hashable {
    /// The metric's name in the dictionary.
    public var metric: String
    /// The unit in UCUM.
    public var unit: String
    /// How many values there are.
    public var count: Int
    /// The first and the last moment, RFC 3339 in UTC.
    public var from: String
    /// See ``from``.
    public var to: String
    /// The least and the greatest value, as they were reported.
    public var least: String
    /// See ``least``.
    public var greatest: String
    /// Every value behind its moment; nil in a list of readings, where there would be too many.
    public var points: [String]?

    package init(
      metric: String, unit: String, count: Int, from: String, to: String, least: String, greatest: String,
      points: [String]? = nil
    ) {
      self.metric = metric
      self.unit = unit
      self.count = count
      self.from = from
      self.to = to
      self.least = least
      self.greatest = greatest
      self.points = points
    }
  }

  /// The parts; nil for none.
  public var segments: [Segment]?
  /// The series; nil for none.
  public var series: [Channel]?
  /// Tags as `name=text`; nil for none.
  public var tags: [String]?
  /// A source's own members as `name=value`; nil for none.
  public var extras: [String]?

  package init(segments: [Segment]? = nil, series: [Channel]? = nil, tags: [String]? = nil, extras: [String]? = nil) {
    self.segments = segments
    self.series = series
    self.tags = tags
    self.extras = extras
  }

  /// In one line.
  var summary: String {
    let parts = (segments ?? []).map { segment in
      let name = segment.name ?? "part"
      let foods = (segment.foods ?? []).map { "\($0.name): \($0.values.text)" }
      return "\(name) (\((segment.values.map(\.text) + foods).joined(separator: ", ")))"
    }
    let channels = (series ?? []).map { channel -> String in
      let unit = UnitSpelling.readable(channel.unit, of: channel.metric)
      return "\(channel.count) of \(channel.metric) from \(channel.least) to \(channel.greatest) \(unit)"
    }
    return (parts + channels + (tags ?? []) + (extras ?? [])).joined(separator: ", ")
  }

  /// In lines, with every value that is here.
  var lines: [String] {
    var lines: [String] = []
    for segment in segments ?? [] {
      let time = [segment.start, segment.end].compactMap(\.self).joined(separator: " to ")
      let said = [segment.name ?? "part", time, segment.values.text].filter { !$0.isEmpty }
      lines.append(said.joined(separator: "  "))
      lines += (segment.foods ?? []).map { food in
        "  \(food.name)" + (food.serving.map { " (\($0))" } ?? "") + ": \(food.values.text)"
      }
    }
    for channel in series ?? [] {
      lines.append(
        "\(channel.metric)  \(channel.count) from \(channel.from) to \(channel.to), "
          + "\(channel.least) to \(channel.greatest) \(UnitSpelling.readable(channel.unit, of: channel.metric))")
      lines += (channel.points ?? []).map { "  \($0)" }
    }
    return lines + (tags ?? []).map { "tag  \($0)" } + (extras ?? []).map { "extra  \($0)" }
  }
}
