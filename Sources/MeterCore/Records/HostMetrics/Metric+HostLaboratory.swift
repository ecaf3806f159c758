extension Metric {
  private static let glucose: HostUnits = [("mg/dL", 10...1000), ("mmol/L", 0.5...55.5)]

  /// Blood chemistry that people enter from a laboratory's report, in the units in which health platforms exchange it.
  static let hostLaboratory: [Metric] = [
    host(0x7100, "blood_calcium", [("mg/dL", 1...30)], type: .biometrics),
    host(0x7101, "blood_chromium", [("ug/L", 0...100)], type: .biometrics),
    host(0x7102, "blood_folic_acid", [("ng/mL", 0...200)], type: .biometrics),
    host(0x7103, "blood_magnesium", [("mg/dL", 0.1...20)], type: .biometrics),
    host(0x7104, "blood_potassium", [("meq/L", 0.5...15)], type: .biometrics),
    host(0x7105, "blood_sodium", [("meq/L", 80...220)], type: .biometrics),
    host(0x7106, "blood_vitamin_b12", [("pg/mL", 10...20_000)], type: .biometrics),
    host(0x7107, "blood_zinc", [("ug/dL", 1...1000)], type: .biometrics),
    host(0x7108, "creatine_kinase", [("U/L", 0...500_000)], type: .biometrics),
    host(0x7109, "crp", [("mg/L", 0...1000)], type: .biometrics),
    host(0x710A, "ferritin", [("ng/mL", 0...100_000)], type: .biometrics),
    host(0x710B, "hdl", [("mg/dL", 1...300)], type: .biometrics),
    host(0x710C, "hscrp", [("mg/L", 0...1000)], type: .biometrics),
    host(0x710D, "il6", [("pg/mL", 0...100_000)], type: .biometrics),
    host(0x710E, "ldl", [("mg/dL", 1...1000)], type: .biometrics),
    host(0x710F, "testosterone", [("ng/dL", 0...10_000)], type: .biometrics),
    host(0x7110, "tsh", [("m[iU]/L", 0...1000)], type: .biometrics),
    host(0x7111, "vitamin_d", [("ng/mL", 0...500)], type: .biometrics),
    host(0x7112, "white_cell_count", [("{cells}/uL", 10...1_000_000)], type: .biometrics),
    host(0x7120, "c_peptide", [("ng/mL", 0...100)], type: .diabetes),
    host(0x7121, "fasting_plasma_glucose_test", glucose, type: .diabetes),
    host(0x7122, "oral_glucose_tolerance_test", glucose, type: .diabetes),
    host(0x7123, "random_plasma_glucose_test", glucose, type: .diabetes),
    host(0x7124, "triglyceride", [("mg/dL", 5...15_000), ("mmol/L", 0.05...170)], type: .diabetes),
    host(0x7125, "insulin", [("[iU]", 0...1000)], type: .diabetes),
    host(0x7126, "avg_blood_glucose", glucose, type: .diabetes, others: [.routine]),
    host(0x7127, "gmi", [("%", 3...25)], type: .diabetes, others: [.routine]),
    host(0x7128, "pt", [("s", 1...300)], type: .biometrics),
  ]
}
