import MeterCore

/// Which of IEEE 11073's kinds of device a meter is, by what a record of it holds: the catalogue is no part of a record.
enum DeviceKind {
  private static let composition: Set<String> = [
    "body_fat", "body_muscle_percent", "body_muscle_mass", "fat_free_mass", "soft_lean_mass", "body_water_mass",
    "body_impedance", "basal_metabolism", "body_bone_mass",
  ]
  private static let kinds: [(term: Int, metrics: Set<String>)] = [
    (528401, ["blood_glucose", "blood_ketone", "hba1c"]), (528402, ["inr"]), (528391, ["systolic", "diastolic"]),
    (528388, ["spo2"]), (528392, ["body_temperature"]), (528404, composition),
  ]
  private static let scale = 528399
  private static let heartRate = 528525
  private static let generic = 528457

  /// One kind at least, each of them once.
  static func terms(of record: Record) -> [Int] {
    let metrics = Set(record.values.map(\.metricName))
    var found = kinds.filter { !$0.metrics.isDisjoint(with: metrics) }.map(\.term)
    if metrics.contains("body_weight"), metrics.isDisjoint(with: composition) { found.append(scale) }
    if found.isEmpty, metrics.contains("heart_rate") { found.append(heartRate) }
    return found.isEmpty ? [generic] : found
  }
}
