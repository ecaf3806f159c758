import CMeterDriver
import Testing

import DriverContract
@testable import DriverRuntime

/// The rows of an import are read where they lie: they are the contract's structs field by field.
@Suite("Rows of an import") struct ImportLayoutTests {
  @Test("a sample is the contract's struct") func sample() {
    typealias Own = ImportSample
    typealias Theirs = mh_import_sample
    #expect(MemoryLayout<Own>.stride == MemoryLayout<Theirs>.stride)
    let pairs: [(Int?, Int?)] = [
      (MemoryLayout<Own>.offset(of: \.startMicroseconds), MemoryLayout<Theirs>.offset(of: \.start_us)),
      (MemoryLayout<Own>.offset(of: \.endMicroseconds), MemoryLayout<Theirs>.offset(of: \.end_us)),
      (MemoryLayout<Own>.offset(of: \.mantissa), MemoryLayout<Theirs>.offset(of: \.mantissa)),
      (MemoryLayout<Own>.offset(of: \.modifiedMicroseconds), MemoryLayout<Theirs>.offset(of: \.modified_us)),
      (MemoryLayout<Own>.offset(of: \.exponent), MemoryLayout<Theirs>.offset(of: \.exponent)),
      (MemoryLayout<Own>.offset(of: \.flags), MemoryLayout<Theirs>.offset(of: \.flags)),
      (MemoryLayout<Own>.offset(of: \.utcOffsetCode), MemoryLayout<Theirs>.offset(of: \.utc_offset_s)),
      (MemoryLayout<Own>.offset(of: \.type), MemoryLayout<Theirs>.offset(of: \.type)),
      (MemoryLayout<Own>.offset(of: \.source), MemoryLayout<Theirs>.offset(of: \.source)),
      (MemoryLayout<Own>.offset(of: \.unitCode), MemoryLayout<Theirs>.offset(of: \.unit)),
      (MemoryLayout<Own>.offset(of: \.word), MemoryLayout<Theirs>.offset(of: \.word)),
      (MemoryLayout<Own>.offset(of: \.text), MemoryLayout<Theirs>.offset(of: \.text_off)),
      (MemoryLayout<Own>.offset(of: \.text.count), MemoryLayout<Theirs>.offset(of: \.text_len)),
      (MemoryLayout<Own>.offset(of: \.id), MemoryLayout<Theirs>.offset(of: \.id_off)),
      (MemoryLayout<Own>.offset(of: \.id.count), MemoryLayout<Theirs>.offset(of: \.id_len)),
      (MemoryLayout<Own>.offset(of: \.firstAttribute), MemoryLayout<Theirs>.offset(of: \.first_attribute)),
      (MemoryLayout<Own>.offset(of: \.attributeCount), MemoryLayout<Theirs>.offset(of: \.n_attributes)),
      (MemoryLayout<Own>.offset(of: \.place), MemoryLayout<Theirs>.offset(of: \.place)),
    ]
    for (own, theirs) in pairs { #expect(own != nil && own == theirs) }
  }

  @Test("an attribute is the contract's struct") func attribute() {
    typealias Own = ImportAttribute
    typealias Theirs = mh_import_attribute
    #expect(MemoryLayout<Own>.stride == MemoryLayout<Theirs>.stride)
    let pairs: [(Int?, Int?)] = [
      (MemoryLayout<Own>.offset(of: \.mantissa), MemoryLayout<Theirs>.offset(of: \.mantissa)),
      (MemoryLayout<Own>.offset(of: \.key), MemoryLayout<Theirs>.offset(of: \.key)),
      (MemoryLayout<Own>.offset(of: \.unitCode), MemoryLayout<Theirs>.offset(of: \.unit)),
      (MemoryLayout<Own>.offset(of: \.exponent), MemoryLayout<Theirs>.offset(of: \.exponent)),
      (MemoryLayout<Own>.offset(of: \.flags), MemoryLayout<Theirs>.offset(of: \.flags)),
      (MemoryLayout<Own>.offset(of: \.text), MemoryLayout<Theirs>.offset(of: \.text_off)),
      (MemoryLayout<Own>.offset(of: \.reserved), MemoryLayout<Theirs>.offset(of: \.reserved)),
    ]
    for (own, theirs) in pairs { #expect(own != nil && own == theirs) }
  }

  @Test("a name is the contract's struct") func name() {
    typealias Own = ImportName
    typealias Theirs = mh_import_name
    #expect(MemoryLayout<Own>.stride == MemoryLayout<Theirs>.stride)
    let pairs: [(Int?, Int?)] = [
      (MemoryLayout<Own>.offset(of: \.code), MemoryLayout<Theirs>.offset(of: \.kind)),
      (MemoryLayout<Own>.offset(of: \.quantity), MemoryLayout<Theirs>.offset(of: \.quantity)),
      (MemoryLayout<Own>.offset(of: \.index), MemoryLayout<Theirs>.offset(of: \.index)),
      (MemoryLayout<Own>.offset(of: \.flags), MemoryLayout<Theirs>.offset(of: \.flags)),
      (MemoryLayout<Own>.offset(of: \.rank), MemoryLayout<Theirs>.offset(of: \.rank)),
      (MemoryLayout<Own>.offset(of: \.text), MemoryLayout<Theirs>.offset(of: \.text_off)),
      (MemoryLayout<Own>.offset(of: \.key), MemoryLayout<Theirs>.offset(of: \.key_off)),
      (MemoryLayout<Own>.offset(of: \.detail), MemoryLayout<Theirs>.offset(of: \.detail_off)),
    ]
    for (own, theirs) in pairs { #expect(own != nil && own == theirs) }
  }

  @Test("counts and refusals are the contract's structs") func tally() {
    #expect(MemoryLayout<ImportCount>.stride == MemoryLayout<mh_import_count>.stride)
    #expect(MemoryLayout<ImportCount>.offset(of: \.count) == MemoryLayout<mh_import_count>.offset(of: \.count))
    #expect(MemoryLayout<ImportRefusal>.stride == MemoryLayout<mh_import_refusal>.stride)
    #expect(MemoryLayout<ImportRefusal>.offset(of: \.typeCode) == MemoryLayout<mh_import_refusal>.offset(of: \.type))
    #expect(MemoryLayout<ImportRefusal>.offset(of: \.count) == MemoryLayout<mh_import_refusal>.offset(of: \.count))
    #expect(MemoryLayout<ImportRefusal>.offset(of: \.place) == MemoryLayout<mh_import_refusal>.offset(of: \.place))
  }

  @Test("the words are the contract's numbers") func numbers() {
    let pairs: [(ImportQuantity, UInt32)] = [
      (.other, MH_QTY_OTHER), (.steps, MH_QTY_STEPS), (.pushes, MH_QTY_PUSHES), (.standHour, MH_QTY_STAND_HOUR),
      (.mindful, MH_QTY_MINDFUL), (.seriesDay, MH_QTY_SERIES_DAY), (.weight, MH_QTY_WEIGHT), (.waist, MH_QTY_WAIST),
      (.glucose, MH_QTY_GLUCOSE), (.hrvSDNN, MH_QTY_HRV_SDNN), (.hrvRMSSD, MH_QTY_HRV_RMSSD), (.vo2Max, MH_QTY_VO2_MAX),
      (.basalRate, MH_QTY_BASAL_RATE), (.bloodPressure, MH_QTY_BLOOD_PRESSURE), (.meal, MH_QTY_MEAL),
      (.dietEnergy, MH_QTY_DIET_ENERGY), (.dietPotassium, MH_QTY_DIET_POTASSIUM),
      (.menstrualFlow, MH_QTY_MENSTRUAL_FLOW), (.intermenstrualBleeding, MH_QTY_INTERMENSTRUAL_BLEEDING),
      (.activitySummary, MH_QTY_ACTIVITY_SUMMARY),
    ]
    for (own, theirs) in pairs { #expect(UInt32(own.rawValue) == theirs) }
    #expect(ImportQuantity(code: 199) == .other)
    #expect(ImportSleep.session.rawValue == MH_SLEEP_SESSION && ImportSleep.core.rawValue == MH_SLEEP_CORE)
    #expect(ImportSampleFlags.isPart.rawValue == UInt16(MH_SAMPLE_PART))
    #expect(ImportSource.Flags.isManual.rawValue == MH_SOURCE_MANUAL)
    #expect(ImportNameKind.order.rawValue == UInt16(MH_NAME_ORDER))
    #expect(ImportRefusal.Reason.sentinel.rawValue == MH_REFUSED_SENTINEL)
  }

  @Test("what is wanted crosses the contract by its bit, and time by overlap") func wanted() throws {
    let some: ImportQuantities = [.steps, .activitySummary]
    #expect(some.words == [1 << 1, 1 << 56, 0, 0] && some.contains(.steps) && !some.contains(.weight))
    #expect(ImportQuantities(words: [1]) == nil)
    let opening = ImportOpening(source: "lines", since: 1_500_000, until: 5_000_000, wanted: some)
    let batch = try ImportCheck(driver: "d").check(ImportSeeds.unit).batches
    #expect(opening.wants(batch[0].samples[0], .steps) && !opening.wants(batch[0].samples[0], .weight))
    #expect(!opening.wants(batch[1].samples[0], .steps))
    #expect(ImportOpening(source: "lines", since: 5_000_000).wants(batch[1].samples[0], .steps))
    #expect(!ImportOpening(source: "lines", since: 2_000_000).wants(batch[0].samples[0], .steps))
  }
}
