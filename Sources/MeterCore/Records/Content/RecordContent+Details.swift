/// The frames of what readings of meters do not have. They come behind all others and begin with a word where a text would
/// have its field's number, so that a record without details keeps the bytes that it always had.
extension RecordContent {
  func append(_ details: RecordDetails, to frames: inout ByteFrames) {
    frames.append("details")
    frames.append(String(details.segments.count))
    for segment in details.segments { append(segment, to: &frames) }
    append(details.series, to: &frames)
    frames.append(String(details.tags.count))
    for tag in details.tags.sorted(by: { ($0.name, $0.value) < ($1.name, $1.value) }) {
      frames.append(tag.name)
      frames.append(tag.value)
    }
    frames.append(String(details.extras.count))
    for extra in details.extras.sorted(by: { $0.name < $1.name }) {
      frames.append(extra.name)
      switch extra.value {
      case .text(let text): frames.append("text \(text)")
      case .number(let number): frames.append("number \(number.mantissa) \(number.exponent)")
      case .flag(let flag): frames.append("flag \(flag)")
      }
    }
  }

  private func append(_ segment: RecordSegment, to frames: inout ByteFrames) {
    frames.append(optional: segment.name)
    frames.append(relative(segment.startMicroseconds))
    frames.append(relative(segment.endMicroseconds))
    append(segment.values, to: &frames)
    frames.append(String(segment.foods.count))
    for food in segment.foods {
      frames.append(food.name)
      frames.append(optional: food.brand)
      frames.append(optional: food.servingAmount.map { "\($0.mantissa) \($0.exponent)" })
      frames.append(optional: food.servingUnit)
      append(food.values, to: &frames)
    }
  }

  private func append(_ series: RecordSeries?, to frames: inout ByteFrames) {
    frames.append(optional: series?.granularity.map { "\($0.interval) \($0.unit)" })
    let channels = (series?.channels ?? []).sorted { ($0.metric, $0.unit) < ($1.metric, $1.unit) }
    frames.append(String(channels.count))
    for channel in channels {
      frames.append("\(channel.metric) \(channel.unit) \(channel.points.count)")
      for point in channel.points {
        let scheduled = point.isScheduled.map(String.init) ?? ""
        frames.append(
          "\(relative(point.timeMicroseconds)) \(point.number.mantissa) \(point.number.exponent) "
            + "\(point.qualifier.rawValue) \(scheduled)")
      }
    }
  }

  /// A moment counted from the record's start: a civil time's UTC depends on this gateway's zone, the distance does not.
  private func relative(_ microseconds: Int64?) -> String {
    microseconds.map { String($0.subtractingReportingOverflow(time.startMicroseconds).partialValue) } ?? ""
  }
}

extension ByteFrames {
  /// A text that may be missing: nil and the empty text are different contents.
  fileprivate mutating func append(optional text: String?) { append(text.map { "+" + $0 } ?? "") }
}
