import CMeterDriver

import DriverContract
@testable import DriverRuntime

/// What rule R18 promises of whatever a host has accepted.
enum ConversationRule {
  static func problem(in unit: ConversationUnit) -> String? {
    if unit.records.count > Int(MH_RECORDS_MAX) { return "\(unit.records.count) records" }
    if unit.actions.count > Int(MH_TALK_ACTIONS_MAX) { return "\(unit.actions.count) actions" }
    for each in unit.records {
      let times = each.record.startMicroseconds...max(each.record.startMicroseconds, each.record.endMicroseconds)
      for segment in each.segments {
        guard times.contains(segment.startMicroseconds), times.contains(segment.endMicroseconds) else {
          return "a segment outside its record"
        }
        guard segment.value.value.isFinite else { return "a segment without a number" }
      }
      for series in each.series {
        guard series.points.allSatisfy(\.isFinite), !series.points.isEmpty else { return "a point that is no number" }
        let end = series.startMicroseconds + series.stepMicroseconds * Int64(series.points.count - 1)
        guard times.contains(series.startMicroseconds), times.contains(end) else {
          return "a series outside its record"
        }
      }
    }
    return nil
  }
}
