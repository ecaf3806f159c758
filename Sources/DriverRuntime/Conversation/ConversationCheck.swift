import CMeterDriver
import DriverContract

/// Believes nothing of what a driver puts out in a conversation (rule R18); its records keep the rule of all records (R12). The
/// same check for workers and for this process.
struct ConversationCheck {
  let driver: String
  /// Nobody answers any more.
  var hasEnded = false
  /// Records of one event.
  var mostRecords = Int(MH_RECORDS_MAX)

  /// How much of a kind one event may give.
  private static let most: [(name: String, count: Int, of: @Sendable (RawTalkRound) -> Int)] = [
    ("segments", Int(MH_TALK_SEGMENTS_MAX), { $0.segments.count }),
    ("series", Int(MH_TALK_SERIES_MAX), { $0.series.count }), ("points", Int(MH_TALK_POINTS_MAX), { $0.points.count }),
  ]

  func check(_ raw: RawTalkUnit) throws(DriverFault) -> ConversationUnit {
    guard (MH_E_NO_VALUE...MH_OK).contains(raw.status), raw.status != MH_E_FULL else {
      throw fault("event returned \(statusName(raw.status)), which it may not")
    }
    let total = raw.rounds.reduce(0) { $0 + $1.output.records.count }
    guard total <= mostRecords else {
      throw fault("an event gave \(total) records; at most \(mostRecords) are allowed", rule: "R16")
    }
    for (name, count, number) in Self.most {
      let given = raw.rounds.reduce(0) { $0 + number($1) }
      guard given <= count else {
        throw fault("an event gave \(given) \(name); at most \(count) are allowed", rule: "R16")
      }
    }
    var records: [ConversationRecord] = []
    records.reserveCapacity(total)
    for round in raw.rounds { records += try check(round) }
    let actions = try TalkActionCheck(driver: driver, hasEnded: hasEnded).check(raw.actions)
    try UnitCheck(driver: driver, isDisconnected: false).checkWrites(raw.writes)
    guard !raw.writes.contains(where: { DriverStorage.isSecret($0.key) }) else {
      throw fault("it writes a secret, which a conversation cannot", rule: "R23")
    }
    let isEmpty = records.isEmpty && actions.isEmpty && raw.writes.isEmpty
    guard raw.status != MH_E_UNSUPPORTED || isEmpty else {
      throw fault("event returned MH_E_UNSUPPORTED and put something out")
    }
    return ConversationUnit(
      status: raw.status, records: records, actions: actions, writes: raw.writes, logs: DriverLogLine.bounded(raw.logs))
  }

  private func check(_ round: RawTalkRound) throws(DriverFault) -> [ConversationRecord] {
    guard round.extents.count == round.output.records.count else {
      throw fault("it gave \(round.output.records.count) records and \(round.extents.count) extents")
    }
    try OutputCheck(driver: driver).check(round.segments.map(\.value), of: "segment")
    return try round.output.withView { view throws(DriverFault) in
      try OutputCheck(driver: driver).check(view)
      var parts = RecordParts(round: round, check: self)
      return try parts.records(of: view)
    }
  }

  func fault(_ what: String, rule: String = "R18") -> DriverFault {
    DriverFault(
      .brokeRule, driver: driver, rule: rule, message: "\(what); the driver must be repaired by its author")
  }
}

/// Gives each record of a round its segments and series: runs that follow each other, of which none is left over.
private struct RecordParts {
  let round: RawTalkRound
  let check: ConversationCheck
  private var nextSegment = 0
  private var nextSeries = 0
  private var nextPoint = 0

  init(round: RawTalkRound, check: ConversationCheck) {
    self.round = round
    self.check = check
  }

  /// Only after `OutputCheck` has passed.
  mutating func records(of view: OutputView) throws(DriverFault) -> [ConversationRecord] {
    var records: [ConversationRecord] = []
    for index in view.records.indices {
      let extent = round.extents[index]
      let record = view.record(index)
      guard extent.n_segments == 0 && extent.n_series == 0 || record.timeKind != .none else {
        throw check.fault("record \(index) has parts and no time")
      }
      records.append(
        ConversationRecord(
          record: record, segments: try segments(extent, record, index),
          series: try series(extent, record, index)))
    }
    guard nextSegment == round.segments.count, nextSeries == round.series.count, nextPoint == round.points.count else {
      throw check.fault("it put out segments, series or points that belong to no record")
    }
    return records
  }

  private mutating func segments(
    _ extent: mh_talk_extent, _ record: DriverRecord, _ index: Int
  ) throws(DriverFault) -> [RecordSegment] {
    guard extent.n_segments > 0 else { return [] }
    let count = Int(extent.n_segments)
    guard Int(extent.first_segment) == nextSegment, count <= round.segments.count - nextSegment else {
      throw check.fault("record \(index) names segments that are not its own")
    }
    defer { nextSegment += count }
    var segments: [RecordSegment] = []
    for segment in round.segments[nextSegment..<nextSegment + count] {
      guard segment.start_us >= record.startMicroseconds, segment.end_us >= segment.start_us,
        segment.end_us <= record.endMicroseconds
      else { throw check.fault("a segment of record \(index) does not lie within the record") }
      segments.append(
        RecordSegment(
          startMicroseconds: segment.start_us, endMicroseconds: segment.end_us, value: DriverValue(segment.value)))
    }
    return segments
  }

  private mutating func series(
    _ extent: mh_talk_extent, _ record: DriverRecord, _ index: Int
  ) throws(DriverFault) -> [RecordSeries] {
    guard extent.n_series > 0 else { return [] }
    let count = Int(extent.n_series)
    guard Int(extent.first_series) == nextSeries, count <= round.series.count - nextSeries else {
      throw check.fault("record \(index) names series that are not its own")
    }
    defer { nextSeries += count }
    var list: [RecordSeries] = []
    for given in round.series[nextSeries..<nextSeries + count] { list.append(try one(given, record, index)) }
    return list
  }

  private mutating func one(
    _ given: mh_talk_series, _ record: DriverRecord, _ index: Int
  ) throws(DriverFault) -> RecordSeries {
    guard given.metric != 0, given.unit != 0, given.reserved == 0 else {
      throw check.fault("a series of record \(index) lacks a metric or unit, or has a reserved field set")
    }
    let count = Int(given.n_points)
    guard count > 0, Int(given.first_point) == nextPoint, count <= round.points.count - nextPoint else {
      throw check.fault("a series of record \(index) names points that are not its own")
    }
    let (length, isTooLong) = given.step_us.multipliedReportingOverflow(by: Int64(count - 1))
    let (end, isTooLate) = given.start_us.addingReportingOverflow(length)
    guard given.step_us > 0, !isTooLong, !isTooLate, given.start_us >= record.startMicroseconds,
      end <= record.endMicroseconds
    else { throw check.fault("a series of record \(index) does not lie within the record") }
    let points = Array(round.points[nextPoint..<nextPoint + count])
    guard points.allSatisfy(\.isFinite) else {
      throw check.fault("a series of record \(index) has a point that is no finite number")
    }
    nextPoint += count
    return RecordSeries(
      metric: given.metric, unit: given.unit, startMicroseconds: given.start_us, stepMicroseconds: given.step_us,
      points: points)
  }
}
