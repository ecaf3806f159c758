import MeterCore
import CurlHTTP
import StrictJSON

/// Parts and series of a record in Inform v2's form.
extension InformV2Encoder {
  struct Segment {
    let segment: RecordSegment
    let metrics: [NamedValue]
    let foods: [(food: RecordFood, metrics: [NamedValue])]
  }

  struct Channel {
    let name: String
    let unit: String
    let channel: RecordSeries.Channel
  }

  func segments(_ record: Record) throws(EncodingRefusal) -> [Segment] {
    var result: [Segment] = []
    for segment in record.details?.segments ?? [] {
      var foods: [(food: RecordFood, metrics: [NamedValue])] = []
      for food in segment.foods { foods.append((food, try metrics(food.values))) }
      result.append(Segment(segment: segment, metrics: try metrics(segment.values), foods: foods))
    }
    return result
  }

  /// - Throws: ``EncodingRefusal`` for a channel without a name in Inform: leaving it out would lose a whole series.
  func channels(_ record: Record) throws(EncodingRefusal) -> [Channel] {
    var result: [Channel] = []
    for channel in record.details?.series?.channels ?? [] {
      guard let name = InformName.of(channel.metric),
        let unit = MetricUnit.withCode(channel.unit)
      else {
        throw EncodingRefusal(code: .nothingToSend, message: "Inform v2 has no name for a series")
      }
      guard !result.contains(where: { $0.name == name }) else {
        throw EncodingRefusal(code: .duplicate, message: "the series \(name) is there twice")
      }
      result.append(Channel(name: name, unit: unit.ucum, channel: channel))
    }
    return result
  }

  func write(_ segment: Segment, _ origin: ValueOrigin, _ json: inout JSONWriter) {
    json.object { json in
      if let name = segment.segment.name { json.member("name", name) }
      if let start = segment.segment.startMicroseconds { json.member("start_time", UTCText.string(start)) }
      if let end = segment.segment.endMicroseconds { json.member("end_time", UTCText.string(end)) }
      json.array("metrics") { json in
        for metric in segment.metrics { write(metric, origin, hasMark: true, &json) }
      }
      writeExtras(unnamed(segment.segment.values), [], &json)
      guard !segment.foods.isEmpty else { return }
      json.array("food") { json in
        for (food, metrics) in segment.foods {
          json.object { json in
            json.member("name", food.name)
            json.member("brand", food.brand ?? "")
            json.array("metrics") { json in
              for metric in metrics { write(metric, origin, hasMark: true, &json) }
            }
            writeExtras(unnamed(food.values), [], &json)
            guard food.servingAmount != nil || food.servingUnit != nil else { return }
            json.object("serving") { json in
              if let amount = food.servingAmount { json.member("amount", number: amount) }
              if let unit = food.servingUnit { json.member("unit_name", unit) }
            }
          }
        }
      }
    }
  }

  /// The metrics of an intraday or cgm record.
  func write(_ channels: [Channel], of record: Record, _ json: inout JSONWriter) {
    if record.type == .intraday, let granularity = record.details?.series?.granularity {
      json.object("granularity") { json in
        json.member("interval", integer: Int64(granularity.interval))
        json.member("unit", granularity.unit)
      }
    }
    json.array("metrics") { json in
      for channel in channels {
        json.object { json in
          json.member("type", channel.name)
          json.member("origin", record.origin.rawValue)
          json.member("unit", InformUnit.text(channel.unit, of: channel.name))
          json.array(record.type == .cgm ? "reading_log" : "data_points") { json in
            for point in channel.channel.points { write(point, channel, record, &json) }
          }
        }
      }
    }
  }

  private func write(_ point: RecordSeries.Point, _ channel: Channel, _ record: Record, _ json: inout JSONWriter) {
    json.object { json in
      json.member("time", UTCText.string(point.timeMicroseconds))
      json.member("value", number: point.number)
      if record.type == .cgm {
        if let offset = record.time.utcOffsetSeconds,
          let local = UTCText.local(point.timeMicroseconds, offsetSeconds: offset)
        {
          json.member("display_time", local)
        }
        if let isScheduled = point.isScheduled { json.member("scheduled", flag: isScheduled) }
        if !record.source.deviceID.isEmpty { json.member("device_id", record.source.deviceID) }
      }
      if let range = channel.channel.value(point).outOfRange { json.member("out_of_range", range.rawValue) }
    }
  }
}
