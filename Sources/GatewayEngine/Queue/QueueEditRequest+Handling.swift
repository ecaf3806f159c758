package import GatewayAPI
import Foundation
import MeterCore

extension QueueEditRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> QueueItem {
    let entries = try owner.store.queueEntry(reading.logID).filter { $0.name == reading }
    guard let record = entries.first(where: { $0.record != nil })?.record else {
      throw GatewayError(
        .usage, code: "unknown_log_id", "no reading \(reading) waits here", hint: "`meterhost queue list` shows the ids"
      )
    }
    guard MeterStore.mayBeEdited(entries) else {
      let isSent = entries.contains { $0.state == .inFlight }
      throw GatewayError(
        .failed, code: "not_editable", "\(reading) \(isSent ? "is being sent" : "is neither held nor refused")",
        hint: isSent ? "try again in a moment" : "what waits for the receiver, or is there, is corrected there")
    }
    let person = try owner.personZone(else: zone)
    var edit = RecordEdit(time: try time.map(person.time))
    for value in values {
      let (metric, change) = try value.change(of: record)
      guard edit.values.updateValue(change, forKey: metric) == nil else {
        throw GatewayError(
          .usage, code: DraftError.Code.duplicate.rawValue,
          "\(value.metric) is there twice; which value is right cannot be told")
      }
    }
    if let changed = edit.applied(to: record) { try check(edit, changed) }
    // A reading under another one's log_id gets its own with its first correction.
    var logID = reading.logID
    if reading.suspect != nil, edit.applied(to: record) != nil, let own = try owner.store.nameSuspect(reading) {
      logID = own
    }
    // What came under another one's log_id never changes.
    let shown = reading.suspect == nil ? revision : nil
    guard try owner.store.edit(logID, edit, revision: shown) != nil else {
      let changed = shown == nil ? "" : ", or has changed since it was shown"
      throw GatewayError(.failed, code: "nothing_changed", "\(reading) says that already\(changed)")
    }
    let changed = try owner.store.queueEntry(logID).filter { $0.name.suspect == nil }
    // The one that goes on waiting tells what is to be done next.
    let waiting = changed.first { $0.state == .held || $0.state == .dead }
    guard let entry = waiting ?? changed.first else {
      throw GatewayError(.failed, code: "unknown_log_id", "\(reading) has gone meanwhile")
    }
    return QueueItem(entry)
  }

  /// Refuses what a submission would be refused for. What was there before is not this correction's matter.
  private func check(_ edit: RecordEdit, _ changed: Record) throws(GatewayError) {
    do {
      try changed.checkCorrection(of: Set(edit.values.keys))
      if edit.time != nil { try changed.time.checkPast(.now) }
    } catch { throw GatewayError(error) }
  }
}
