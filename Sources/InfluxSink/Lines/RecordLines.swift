import MeterCore
import ReadingJSON

/// A reading as lines: one for itself, one for each part with values, and one for each point of a series.
struct RecordLines: Sendable {
  let identity: PointIdentity
  /// Whose reading it is, in no name's form.
  let subject: String

  /// Why a reading cannot be written.
  enum Refusal: Error, Sendable, Hashable {
    /// No form has a place for it.
    case format(FormatRefusal)
    /// The database has no room for its time.
    case time
  }

  /// Whether there is a number to write: texts alone make no point.
  static func takes(_ record: Record) -> Bool {
    guard record.values.delivered.isEmpty else { return true }
    let details = record.details
    return details?.segments.contains { !$0.values.delivered.isEmpty } == true
      || details?.series?.channels.contains { $0.metric < Metric.firstVendorCode && !$0.points.isEmpty } == true
  }

  /// The lines of a reading.
  func bytes(of record: Record) throws(Refusal) -> [UInt8] {
    try points(of: record).flatMap(\.bytes)
  }

  func points(of record: Record) throws(Refusal) -> [LinePoint] {
    do { try FormatRefusal.check(record) } catch { throw .format(error) }
    var points = [try reading(record)]
    for (index, segment) in (record.details?.segments ?? []).enumerated() {
      var point = try self.point(
        record, at: segment.startMicroseconds ?? record.time.startMicroseconds, part: "segment-\(index + 1)")
      for value in segment.values.delivered { point.add(value) }
      guard !point.isEmpty else { continue }
      if let name = segment.name { point.add("name", text: name) }
      point.add("revision", integer: record.revision)
      points.append(point)
    }
    for (index, channel) in (record.details?.series?.channels ?? []).enumerated()
    where channel.metric < Metric.firstVendorCode {
      points += try series(channel, "channel-\(index + 1)", of: record)
    }
    return points
  }

  private func reading(_ record: Record) throws(Refusal) -> LinePoint {
    var point = try self.point(record, at: record.time.startMicroseconds, part: nil)
    for value in record.values.delivered { point.add(value) }
    point.add("revision", integer: record.revision)
    point.add("origin", text: record.origin.rawValue)
    if identity == .time { point.add("log_id", text: record.logID.description) }
    let flags = record.flags.words
    if !flags.isEmpty { point.add("flags", text: flags.joined(separator: " ")) }
    if record.time.endMicroseconds > record.time.startMicroseconds {
      let length = record.time.endMicroseconds.subtractingReportingOverflow(record.time.startMicroseconds)
      if !length.overflow {
        point.add("duration_second", number: ReportedNumber(mantissa: length.partialValue, exponent: -6))
      }
    }
    return point
  }

  private func series(
    _ channel: RecordSeries.Channel, _ part: String, of record: Record
  ) throws(Refusal) -> [LinePoint] {
    var points: [LinePoint] = []
    var seen: [Int64: Int] = [:]
    for measured in channel.points {
      let count = (seen[measured.timeMicroseconds] ?? 0) + 1
      seen[measured.timeMicroseconds] = count
      // Of two at one moment each has a part of its own.
      var point = try self.point(
        record, at: measured.timeMicroseconds, part: count == 1 ? part : "\(part)-\(count)")
      point.add(channel.value(measured))
      point.add("revision", integer: record.revision)
      points.append(point)
    }
    return points
  }

  private func point(_ record: Record, at microseconds: Int64, part: String?) throws(Refusal) -> LinePoint {
    guard let time = PointTime.nanoseconds(microseconds, of: record.logID, identity) else { throw .time }
    var point = LinePoint(record.type.rawValue, at: time)
    point.tags = ["subject": subject, "model": record.source.model ?? "", "part": part ?? ""]
    if identity == .tag { point.tags["log_id"] = record.logID.description }
    return point
  }
}
