import HostPrimitives
import MeterCore

/// What a reading has beside its values, as `--json` shows it: parts, series, tags and a source's own members. Readings of
/// meters have none of it.
public struct ReadingDetails: Sendable, Codable, Hashable {
  /// A part of a workout, a night or a day's food.
  public struct Segment: Sendable, Codable, Hashable {
    /// What it is called.
    public var name: String?
    /// RFC 3339 in UTC.
    public var start: String?
    /// RFC 3339 in UTC.
    public var end: String?
    /// Its values.
    public var values: [ReadingDescription.Value]
    /// What a meal consisted of; nil for nothing.
    public var foods: [Food]?
  }

  /// One thing that was eaten.
  public struct Food: Sendable, Codable, Hashable {
    /// What it is, and who makes it.
    public var name: String
    /// How much, such as `2 slice`.
    public var serving: String?
    /// What it contains.
    public var values: [ReadingDescription.Value]
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
  }

  /// The parts; nil for none.
  public var segments: [Segment]?
  /// The series; nil for none.
  public var series: [Channel]?
  /// Tags as `name=text`; nil for none.
  public var tags: [String]?
  /// A source's own members as `name=value`; nil for none.
  public var extras: [String]?

  /// Describes a record's details; nil where there are none.
  ///
  /// - Parameter isWhole: Every value of its series, too.
  init?(_ details: RecordDetails?, isWhole: Bool) {
    guard let details, !details.isEmpty else { return nil }
    func some<Element>(_ list: [Element]) -> [Element]? { list.isEmpty ? nil : list }
    segments = some(details.segments.map(Segment.init))
    series = some(details.series?.channels.compactMap { Channel($0, isWhole: isWhole) } ?? [])
    tags = some(details.tags.map { "\($0.name)=\($0.value)" })
    extras = some(
      details.extras.map { extra in
        switch extra.value {
        case .text(let text): "\(extra.name)=\(text)"
        case .number(let number): "\(extra.name)=\(number)"
        case .flag(let flag): "\(extra.name)=\(flag)"
        }
      })
  }

  /// In one line.
  var summary: String {
    let parts = (segments ?? []).map { segment in
      let name = segment.name ?? "part"
      let foods = (segment.foods ?? []).map { "\($0.name): \($0.values.text)" }
      return "\(name) (\((segment.values.map(\.text) + foods).joined(separator: ", ")))"
    }
    let channels = (series ?? []).map { channel in
      "\(channel.count) of \(channel.metric) from \(channel.least) to \(channel.greatest) \(channel.unit)"
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
          + "\(channel.least) to \(channel.greatest) \(channel.unit)")
      lines += (channel.points ?? []).map { "  \($0)" }
    }
    return lines + (tags ?? []).map { "tag  \($0)" } + (extras ?? []).map { "extra  \($0)" }
  }
}

extension ReadingDetails.Segment {
  fileprivate init(_ segment: RecordSegment) {
    self.init(
      name: segment.name, start: segment.startMicroseconds.map(utcText), end: segment.endMicroseconds.map(utcText),
      values: segment.values.map(ReadingDescription.Value.init),
      foods: segment.foods.isEmpty ? nil : segment.foods.map(ReadingDetails.Food.init))
  }
}

extension ReadingDetails.Food {
  fileprivate init(_ food: RecordFood) {
    let serving = [food.servingAmount.map { "\($0)" }, food.servingUnit].compactMap(\.self).joined(separator: " ")
    self.init(
      name: food.brand.map { "\(food.name) (\($0))" } ?? food.name, serving: serving.isEmpty ? nil : serving,
      values: food.values.map(ReadingDescription.Value.init))
  }
}

extension ReadingDetails.Channel {
  fileprivate init?(_ channel: RecordSeries.Channel, isWhole: Bool) {
    let values = channel.points.map { ReadingDescription.Value(channel.value($0)) }
    guard let first = channel.points.first, let last = channel.points.last,
      let least = values.min(by: { $0.value < $1.value }), let greatest = values.max(by: { $0.value < $1.value })
    else { return nil }
    self.init(
      metric: least.metric, unit: least.unit, count: values.count, from: utcText(first.timeMicroseconds),
      to: utcText(last.timeMicroseconds), least: least.number, greatest: greatest.number,
      points: !isWhole
        ? nil : zip(channel.points, values).map { "\(utcText($0.timeMicroseconds))  \($1.number)" })
  }
}

/// A moment in UTC, in RFC 3339.
func utcText(_ microseconds: Int64) -> String { CivilMoment(microseconds: microseconds).text(.millionths) + "Z" }
