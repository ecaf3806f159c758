import GatewayAPI
import MeterCore

extension ReadingDetails {
  /// Describes a record's details; nil where there are none.
  ///
  /// - Parameter isWhole: Every value of its series, too.
  init?(_ details: RecordDetails?, isWhole: Bool) {
    guard let details, !details.isEmpty else { return nil }
    func some<Element>(_ list: [Element]) -> [Element]? { list.isEmpty ? nil : list }
    self.init(
      segments: some(details.segments.map { Segment($0) }),
      series: some(details.series?.channels.compactMap { Channel($0, isWhole: isWhole) } ?? []),
      tags: some(details.tags.map { "\($0.name)=\($0.value)" }),
      extras: some(
        details.extras.map { extra in
          switch extra.value {
          case .text(let text): "\(extra.name)=\(text)"
          case .number(let number): "\(extra.name)=\(number)"
          case .flag(let flag): "\(extra.name)=\(flag)"
          }
        }))
  }
}

extension ReadingDetails.Segment {
  fileprivate init(_ segment: RecordSegment) {
    self.init(
      name: segment.name, start: segment.startMicroseconds.map(utcText), end: segment.endMicroseconds.map(utcText),
      values: segment.values.map { ReadingDescription.Value($0) },
      foods: segment.foods.isEmpty ? nil : segment.foods.map { ReadingDetails.Food($0) })
  }
}

extension ReadingDetails.Food {
  fileprivate init(_ food: RecordFood) {
    let serving = [food.servingAmount.map { "\($0)" }, food.servingUnit].compactMap(\.self).joined(separator: " ")
    self.init(
      name: food.brand.map { "\(food.name) (\($0))" } ?? food.name, serving: serving.isEmpty ? nil : serving,
      values: food.values.map { ReadingDescription.Value($0) })
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
