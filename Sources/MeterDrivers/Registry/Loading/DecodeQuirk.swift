import MeterCore
import StrictJSON

/// What sets one model apart from the others of its entry.
extension RegistryDecoder {
  mutating func quirks(_ value: JSONElement?, own: [DriverEntry.Parameter]) throws(RegistryError) -> [Quirk] {
    try list(value, RegistryLimits.quirks) { (decoder, value) throws(RegistryError) in
      var object = try ObjectReader<QuirkKey>(value)
      let reason = try object.required(.reason).text()
      let conditions = try decoder.list(object.optional(.match), RegistryLimits.rules) {
        (decoder, value) throws(RegistryError) in try decoder.condition(value)
      }
      let settings = try object.optional(.parameters).map { value throws(RegistryError) in
        try decoder.settings(value, own: own)
      }
      let ranges = try decoder.list(object.optional(.ranges), 32) { (decoder, value) throws(RegistryError) in
        try decoder.range(value)
      }
      let modelDecides = try object.optional(.modelDecides)?.bool() ?? false
      try object.finish(&decoder.warnings)
      guard !modelDecides || conditions.contains(where: { $0.entry.modelPrefix != nil }) else {
        throw value.error(
          .missingKey, "lets the model decide and names none", cure: "add a \"model_prefix\" to \"match\"")
      }
      guard settings != nil || !ranges.isEmpty else {
        throw value.error(.missingKey, "says nothing", cure: "add \"parameters\" or \"ranges\"")
      }
      return Quirk(
        conditions: conditions.map(\.entry), modelDecides: modelDecides, parameters: settings ?? [],
        ranges: ranges.map(\.entry), reason: reason)
    }.map(\.entry)
  }

  /// What a model can show: decimal numbers as its manual writes them.
  private mutating func range(_ value: JSONElement) throws(RegistryError) -> ReportableRange {
    var object = try ObjectReader<RangeKey>(value)
    let (metricPlace, unitPlace) = (try object.required(.metric), try object.required(.unit))
    let name = try metricPlace.word("_")
    guard let metric = Metric.dictionary.first(where: { $0.name == name }) else {
      throw metricPlace.error(
        .unknownReference, "is no metric of the dictionary", cure: "write one of `dictionary.metrics`")
    }
    let ucum = try unitPlace.string(limit: 32)
    guard metric.units.contains(where: { $0.ucum == ucum }), let unit = MetricUnit.withUCUM(ucum) else {
      throw unitPlace.error(
        .unknownReference, "is no unit of \(name)",
        cure: "write one of \(metric.units.map(\.ucum).joined(separator: ", "))")
    }
    let (low, high) = (try bound(object.optional(.low)), try bound(object.optional(.high)))
    try object.finish(&warnings)
    guard low != nil || high != nil, (low?.doubleValue ?? -.infinity) < (high?.doubleValue ?? .infinity) else {
      throw value.error(.invalidValue, "is no range", cure: "give \"low\", \"high\" or both, the smaller one first")
    }
    return ReportableRange(metric: metric.code, unit: unit.code, low: low, high: high)
  }

  private func bound(_ value: JSONElement?) throws(RegistryError) -> ReportedNumber? {
    guard let value else { return nil }
    guard let number = value.numeral.flatMap({ ReportedNumber(decimal: $0) }) else {
      throw value.error(.invalidValue, "is no decimal number", cure: "write it as the meter shows it, such as 33.3")
    }
    return number.normalized
  }

  private mutating func condition(_ value: JSONElement) throws(RegistryError) -> Quirk.Condition {
    var object = try ObjectReader<QuirkConditionKey>(value)
    let condition = Quirk.Condition(
      namePrefix: try object.optional(.namePrefix)?.name(limit: RegistryLimits.pattern),
      manufacturerPrefix: try object.optional(.manufacturerPrefix)?.name(limit: RegistryLimits.pattern),
      modelPrefix: try object.optional(.modelPrefix)?.name(limit: RegistryLimits.pattern))
    try object.finish(&warnings)
    guard condition.namePrefix != nil || condition.manufacturerPrefix != nil || condition.modelPrefix != nil else {
      throw value.error(
        .missingKey, "holds no condition",
        cure: "add a prefix, or leave \"match\" out when the quirk is for every meter of the entry")
    }
    return condition
  }

  private func settings(
    _ value: JSONElement, own: [DriverEntry.Parameter]
  ) throws(RegistryError) -> [ParameterSetting] {
    var settings: [ParameterSetting] = []
    for (key, value) in try value.members(atMost: 32) {
      let name = key.anyText
      if let standard = Quirk.standardParameters.first(where: { $0.name == name }) {
        settings.append(ParameterSetting(name: standard.code, value: .integer(try value.integer(0...0xffff))))
      } else if let parameter = own.first(where: { $0.name == name }) {
        let content: ParameterSetting.Value =
          switch parameter.kind {
          case .integer: .integer(try value.integer(Int64.min...Int64.max))
          case .text: .text(try value.string(limit: RegistryLimits.text))
          }
        settings.append(ParameterSetting(name: parameter.code, value: content))
      } else {
        let known = Quirk.standardParameters.map(\.name) + own.map(\.name)
        throw key.error(
          .unknownReference, "\"\(shown(name))\" is no parameter of the contract or of the driver",
          cure: "write one of \(known.joined(separator: ", ")), or declare it in the driver's \"parameters\"")
      }
    }
    guard !settings.isEmpty else {
      throw value.error(.invalidValue, "is empty", cure: "set at least one parameter")
    }
    return settings.sorted { $0.name < $1.name }
  }
}
