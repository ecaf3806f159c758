import CMeterDriver

import DriverContract
@testable import DriverRuntime

/// What rule R18 promises of whatever samples a host has accepted: all that belongs to them can be read.
enum ImportRule {
  static func problem(in unit: ImportUnit) -> String? {
    if unit.actions.count > Int(MH_TALK_ACTIONS_MAX) { return "\(unit.actions.count) actions" }
    for batch in unit.batches {
      if batch.samples.count > Int(MH_IMPORT_SAMPLES_MAX) { return "\(batch.samples.count) samples" }
      for sample in batch.samples {
        if let problem = problem(in: sample, of: batch, unit.names) { return problem }
      }
      for row in batch.counts where Int(row.type) >= unit.names.types.count { return "a count of no type" }
      for row in batch.refusals {
        guard row.reason != nil, row.type.map({ Int($0) < unit.names.types.count }) ?? true else {
          return "a refusal of no type or reason"
        }
      }
    }
    return nil
  }

  private static func problem(in sample: ImportSample, of batch: ImportBatch, _ names: ImportNames) -> String? {
    guard Int(sample.type) < names.types.count, Int(sample.source) < names.sources.count,
      sample.unit.map({ Int($0) < names.units.count }) ?? true
    else { return "a sample without names" }
    guard sample.startMicroseconds <= sample.endMicroseconds,
      ImportRowCheck.times.contains(sample.startMicroseconds), ImportRowCheck.times.contains(sample.endMicroseconds)
    else { return "a sample that lies in no time" }
    for run in [sample.text, sample.id] where batch.utf8(run).count > Int(MH_IMPORT_TEXT_MAX) {
      return "a text that is too long"
    }
    guard names.types[Int(sample.type)].quantity != .sleep || sample.sleep != nil else { return "sleep without a word" }
    for row in batch.attributes(of: sample) {
      guard Int(row.key) < names.keys.count else { return "an attribute without a key" }
      _ = batch.text(row.text)
    }
    return nil
  }
}
