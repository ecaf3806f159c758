/// The codes of metrics and units that only this host makes: what people enter, and what health exports and receivers
/// know and no meter reports.
///
/// They stand in a range of their own that the contract's dictionary leaves free (decision 13), so that a code of a later
/// dictionary never meets one of them on disk. A code never gets another meaning.
package enum HostCodes {
  /// All of them, metrics and units alike; vendor codes begin behind them.
  package static let all: ClosedRange<UInt16> = 0x7000...0x7FFF
  /// Metrics with measured values.
  package static let measured: ClosedRange<UInt16> = 0x7000...0x7EFF
  /// Facts about a record and its texts.
  package static let facts: ClosedRange<UInt16> = 0x7F00...0x7FFF
}

extension MetricUnit {
  /// The host's own units, by code.
  package static let host: [MetricUnit] = [
    MetricUnit(code: 0x7001, name: "count", ucum: "{count}"),
    MetricUnit(code: 0x7002, name: "kilocalorie", ucum: "kcal"),
    MetricUnit(code: 0x7003, name: "litre", ucum: "L"),
    MetricUnit(code: 0x7004, name: "litre_per_minute", ucum: "L/min"),
    MetricUnit(code: 0x7005, name: "international_unit", ucum: "[iU]"),
    MetricUnit(code: 0x7006, name: "ug_per_l", ucum: "ug/L"),
    MetricUnit(code: 0x7007, name: "ng_per_ml", ucum: "ng/mL"),
    MetricUnit(code: 0x7008, name: "meq_per_l", ucum: "meq/L"),
    MetricUnit(code: 0x7009, name: "pg_per_ml", ucum: "pg/mL"),
    MetricUnit(code: 0x700A, name: "ug_per_dl", ucum: "ug/dL"),
    MetricUnit(code: 0x700B, name: "unit_per_l", ucum: "U/L"),
    MetricUnit(code: 0x700C, name: "mg_per_l", ucum: "mg/L"),
    MetricUnit(code: 0x700D, name: "ng_per_dl", ucum: "ng/dL"),
    MetricUnit(code: 0x700E, name: "miu_per_l", ucum: "m[iU]/L"),
    MetricUnit(code: 0x700F, name: "cells_per_ul", ucum: "{cells}/uL"),
    MetricUnit(code: 0x7010, name: "hour", ucum: "h"),
    MetricUnit(code: 0x7011, name: "umol_per_l", ucum: "umol/L"),
  ]
}

/// Units in UCUM, each with its plausible range.
typealias HostUnits = [(String, ClosedRange<Double>)]

extension Metric {
  /// The host's own metrics, by code.
  package static let host: [Metric] =
    hostVitalSigns + hostLaboratory + hostActivity + hostSleep + hostNutrition + hostFacts

  /// The contract's dictionary and the host's own metrics.
  public static let all: [Metric] = dictionary + host

  /// Whether only this host makes values of this metric; a driver's record that has one is not understood.
  package var isHostsOwn: Bool { HostCodes.all.contains(code) }

  /// One quantity of the host's tables.
  ///
  /// - Parameter others: Record types beside `type` that it may stand in.
  static func host(
    _ code: UInt16, _ name: String, _ units: HostUnits, loinc: String? = nil, type: RecordType,
    others: Set<RecordType> = []
  ) -> Metric {
    Metric(
      code: code, name: name, kind: .quantity,
      units: units.map { AllowedUnit(ucum: $0.0, plausible: $0.1, loinc: loinc.map { [$0] } ?? []) },
      recordType: type, otherTypes: others)
  }

  /// One text of the host's tables.
  static func hostText(_ code: UInt16, _ name: String, type: RecordType, others: Set<RecordType> = []) -> Metric {
    Metric(code: code, name: name, kind: .text, recordType: type, otherTypes: others)
  }
}
