import MeterCore

/// What a measured value is called at a FHIR server.
///
/// The codes of a metric are the dictionary's (`Metric.mdc`, `AllowedUnit.loinc`). Here is what the dictionary cannot say: which
/// code goes with a sample, a site or a way of measuring, what FHIR calls a vital sign, and which units its profiles take.
struct MetricCodes: Sendable {
  let mdc: Coding?
  let loinc: [Coding]
  /// The profile of a vital sign that the value satisfies.
  let vitalSign: VitalSign?
  /// Whether it is of the category of vital signs.
  let isVitalSign: Bool
  /// How it was measured, where one metric is measured in several ways.
  let modality: Coding?
  /// The unit that it is written in, where that is not the one of the record.
  let unit: String?

  /// Whether somebody beside this host knows what it is.
  var isCoded: Bool { mdc != nil || !loinc.isEmpty }

  init(_ metric: Metric, ucum: String, in circumstances: Circumstances) {
    let form = Self.forms[metric.name] ?? Form()
    // Of a unit that is converted, the codes are those of the unit that it becomes.
    let unit = form.unit(from: ucum)
    let written = unit ?? ucum
    self.unit = unit
    mdc = (Self.term(metric, form, circumstances)).map(Coding.mdc)
    loinc = Self.loinc(metric, written, form, circumstances).map(Coding.loinc)
    vitalSign = form.vitalSign
    isVitalSign = form.vitalSign != nil || form.isVitalSign
    modality = form.modality.map(Coding.mdc)
  }

  /// What the dictionary does not say of a metric.
  private struct Form {
    var vitalSign: VitalSign?
    var isVitalSign = false
    /// The metric whose codes it has, of one that is measured in a way of its own.
    var codesOf: String?
    var modality: Int?
    /// Units that become another one.
    var converted: [String: String] = [:]

    func unit(from ucum: String) -> String? { converted[ucum] }
  }

  private static let pressure = Form(isVitalSign: true, converted: ["kPa": "mm[Hg]"])

  private static let forms: [String: Form] = [
    "systolic": pressure, "diastolic": pressure, "mean_arterial_pressure": pressure,
    "pulse": Form(vitalSign: .heartRate), "heart_rate": Form(vitalSign: .heartRate),
    "pulse_rate_fast": Form(vitalSign: .heartRate, codesOf: "pulse", modality: 150580),
    "pulse_rate_slow": Form(vitalSign: .heartRate, codesOf: "pulse", modality: 150584),
    "spo2": Form(vitalSign: .oxygenSaturation),
    "spo2_fast": Form(vitalSign: .oxygenSaturation, codesOf: "spo2", modality: 150580),
    "spo2_slow": Form(vitalSign: .oxygenSaturation, codesOf: "spo2", modality: 150584),
    "body_temperature": Form(vitalSign: .bodyTemperature), "body_weight": Form(vitalSign: .bodyWeight),
    "body_height": Form(vitalSign: .bodyHeight), "bmi": Form(vitalSign: .bodyMassIndex),
    "respiratory_rate": Form(vitalSign: .respiratoryRate), "resting_heart_rate": Form(isVitalSign: true),
    "rr_interval": Form(converted: ["s": "ms"]), "context_hba1c": Form(codesOf: "hba1c"),
  ]

  private static func term(_ metric: Metric, _ form: Form, _ circumstances: Circumstances) -> Int? {
    switch form.codesOf ?? metric.name {
    case "blood_glucose": glucose(circumstances.word("sample_type")).mdc
    case "body_temperature": circumstances.word("temperature_site").flatMap { sites[$0]?.mdc } ?? metric.mdc
    // The pulse of an oximeter has a term of its own.
    case "pulse" where form.codesOf != nil || circumstances.has("spo2"): 149530
    case let name: Metric.named(name).first?.mdc
    }
  }

  private static func loinc(
    _ metric: Metric, _ ucum: String, _ form: Form, _ circumstances: Circumstances
  ) -> [String] {
    let named = form.codesOf.flatMap { Metric.named($0).first } ?? metric
    let general = named.units.first { $0.ucum == ucum }?.loinc ?? []
    switch named.name {
    case "blood_glucose":
      let sample = glucose(circumstances.word("sample_type"))
      let isMolar = ucum == "mmol/L"
      let own = sample.loinc.map { isMolar ? $0.molar : $0.mass }
      let byMeter =
        sample.isCapillaryBlood && circumstances.isOfMeter ? [isMolar ? "14743-9" : "41653-7"] : []
      return (own.map { [$0] } ?? general) + byMeter
    case "body_temperature":
      return general + (circumstances.word("temperature_site").flatMap { sites[$0]?.loinc }.map { [$0] } ?? [])
    default: return general
    }
  }

  // MARK: Samples and sites

  private struct Sample {
    let mdc: Int
    /// In place of the dictionary's codes, which are those of blood.
    var loinc: (mass: String, molar: String)?
    var isCapillaryBlood = false
  }

  private static let plasma = (mass: "2345-7", molar: "14749-6")

  /// A sample that nobody has named is blood, and of which kind is not known.
  private static func glucose(_ sample: String?) -> Sample {
    switch sample {
    case "capillary_whole_blood": Sample(mdc: 160184, isCapillaryBlood: true)
    case "capillary_plasma": Sample(mdc: 160188, loinc: plasma)
    case "venous_whole_blood": Sample(mdc: 160192)
    case "venous_plasma": Sample(mdc: 160196, loinc: plasma)
    case "arterial_whole_blood": Sample(mdc: 160200)
    case "arterial_plasma": Sample(mdc: 160204, loinc: plasma)
    case "undetermined_plasma": Sample(mdc: 160368, loinc: plasma)
    case "interstitial_fluid": Sample(mdc: 160212, loinc: (mass: "99504-3", molar: "105272-9"))
    default: Sample(mdc: 160364)
    }
  }

  private static let sites: [String: (mdc: Int, loinc: String?)] = [
    "armpit": (188452, "8328-7"), "body": (150364, nil), "ear": (188428, nil), "finger": (188432, nil),
    "gastro_intestinal_tract": (188456, nil), "mouth": (188424, "8331-1"), "rectum": (188420, "8332-9"),
    "toe": (188448, nil), "tympanum": (150392, "8333-7"),
  ]
}
