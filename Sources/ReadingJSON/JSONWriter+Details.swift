import MeterCore
import StrictJSON

// Parts, series, tags and extras, by the names of the documents that `submit` takes.
extension JSONWriter {
  mutating func put(_ details: RecordDetails, of time: RecordTime) {
    object("details") { json in
      if !details.segments.isEmpty {
        json.array("segments") { json in
          for segment in details.segments { json.object { $0.put(segment, of: time) } }
        }
      }
      if let series = details.series { json.put(series, of: time) }
      if !details.tags.isEmpty {
        json.array("tags") { json in
          for tag in details.tags {
            json.object { json in
              json.member("name", tag.name)
              json.member("value", tag.value)
            }
          }
        }
      }
      if !details.extras.isEmpty {
        json.object("extras") { json in for extra in details.extras { json.put(extra) } }
      }
    }
  }

  private mutating func put(_ segment: RecordSegment, of time: RecordTime) {
    put("name", segment.name)
    put("start", segment.startMicroseconds.map(time.text))
    put("end", segment.endMicroseconds.map(time.text))
    values(segment.values)
    guard !segment.foods.isEmpty else { return }
    array("foods") { json in for food in segment.foods { json.object { $0.put(food) } } }
  }

  private mutating func put(_ food: RecordFood) {
    member("name", food.name)
    put("brand", food.brand)
    if let amount = food.servingAmount { member("serving_amount", literal: amount.description) }
    put("serving_unit", food.servingUnit)
    values(food.values)
  }

  private mutating func put(_ series: RecordSeries, of time: RecordTime) {
    if let granularity = series.granularity {
      object("granularity") { json in
        json.member("interval", integer: Int64(granularity.interval))
        json.member("unit", granularity.unit)
      }
    }
    array("channels") { json in
      for channel in series.channels where channel.metric < Metric.firstVendorCode {
        json.object { $0.put(channel, of: time) }
      }
    }
  }

  private mutating func put(_ channel: RecordSeries.Channel, of time: RecordTime) {
    guard let first = channel.points.first.map(channel.value) else { return }
    member("metric", first.metricName)
    member("unit", first.ucum)
    put("loinc", first.loinc)
    array("points") { json in
      for point in channel.points {
        json.object { json in
          json.member("time", time.text(point.timeMicroseconds))
          json.put(point.number)
          json.put("qualifier", channel.value(point).qualifierText)
          if let isScheduled = point.isScheduled { json.member("scheduled", flag: isScheduled) }
        }
      }
    }
  }

  private mutating func put(_ extra: RecordExtra) {
    switch extra.value {
    case .text(let text): member(extra.name, text)
    case .number(let number): member(extra.name, literal: number.description)
    case .flag(let flag): member(extra.name, flag: flag)
    }
  }
}
