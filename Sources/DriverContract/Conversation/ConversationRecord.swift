/// A part of a record's interval and what was measured in it: a stage of sleep, a lap (`mh_talk_segment`).
package struct RecordSegment: Sendable, Hashable {
  /// In the clock of the record, microseconds.
  package var startMicroseconds: Int64
  /// Not before the start; both lie within the record's interval.
  package var endMicroseconds: Int64
  /// What was measured.
  package var value: DriverValue

  /// Makes a segment.
  package init(startMicroseconds: Int64, endMicroseconds: Int64, value: DriverValue) {
    self.startMicroseconds = startMicroseconds
    self.endMicroseconds = endMicroseconds
    self.value = value
  }
}

/// Numbers that were measured at equal distances (`mh_talk_series`).
package struct RecordSeries: Sendable, Hashable {
  /// Metric code of the dictionary, or the driver's own from 0x8000 on.
  package var metric: UInt16
  /// Unit code of the dictionary.
  package var unit: UInt16
  /// When the first point was measured, in the clock of the record, microseconds.
  package var startMicroseconds: Int64
  /// From one point to the next, microseconds; above 0.
  package var stepMicroseconds: Int64
  /// Finite numbers; at least one.
  package var points: [Double]

  /// Makes a series.
  package init(metric: UInt16, unit: UInt16, startMicroseconds: Int64, stepMicroseconds: Int64, points: [Double]) {
    self.metric = metric
    self.unit = unit
    self.startMicroseconds = startMicroseconds
    self.stepMicroseconds = stepMicroseconds
    self.points = points
  }
}

/// One record with what it says of parts of its interval.
package struct ConversationRecord: Sendable, Hashable {
  /// The record as a driver of any kind puts it out.
  package var record: DriverRecord
  /// Parts of its interval, in the driver's order.
  package var segments: [RecordSegment]
  /// Series within its interval, in the driver's order.
  package var series: [RecordSeries]

  /// Makes a record.
  package init(record: DriverRecord, segments: [RecordSegment] = [], series: [RecordSeries] = []) {
    self.record = record
    self.segments = segments
    self.series = series
  }
}
