import StrictJSON

/// How much a rule says: what Device Information says counts most, then the name, the company, the services.
///
/// The order of rule R21: model prefix, manufacturer prefix, name prefix (each by its length in bytes), company, number of
/// services with data, number of services; the first difference decides.
package struct Specificity: Comparable, Sendable {
  private let model: Int
  private let manufacturer: Int
  private let name: Int
  private let company: Int
  private let serviceData: Int
  private let services: Int

  /// How much this rule says.
  package init(_ rule: MatchRule) {
    model = rule.modelPrefix?.utf8.count ?? 0
    manufacturer = rule.manufacturerPrefix?.utf8.count ?? 0
    name = rule.namePrefix?.utf8.count ?? 0
    company = rule.companyID == nil ? 0 : 1
    serviceData = rule.serviceData.count
    services = rule.services.count
  }

  private var order: (Int, Int, Int, Int, Int, Int) { (model, manufacturer, name, company, serviceData, services) }

  /// The one that says less comes first.
  package static func < (left: Self, right: Self) -> Bool { left.order < right.order }
}

/// What a rule makes of a device.
enum RuleOutcome {
  case holds
  /// Everything seen fits; this part of Device Information is not known yet.
  case undecided(String)
  case fails(String, cure: String)
}

extension MatchRule {
  /// Tries the conditions in the order in which they become known.
  func outcome(for seen: SeenDevice) -> RuleOutcome {
    for service in services where !seen.services.contains(service) {
      return .fails("the service \(service) is not advertised", cure: "wake the meter up in its transfer mode")
    }
    for service in serviceData where !seen.dataServices.contains(service) {
      return .fails("no data of the service \(service) is advertised", cure: "wake the meter up, or step on it")
    }
    if let companyID, !seen.companyIDs.contains(companyID) {
      return .fails("no data of company \(companyID) is advertised", cure: "check that this is the meter meant")
    }
    if let namePrefix, !(seen.name?.utf8.starts(with: namePrefix.utf8) ?? false) {
      let name = seen.name.map { "the name \"\(shown($0))\"" } ?? "a device without a name"
      return .fails(
        "\(name) does not start with \"\(namePrefix)\"", cure: "choose the entry by hand if it is this meter")
    }
    return deviceInformation(manufacturerPrefix, seen.manufacturer, "manufacturer")
      ?? deviceInformation(modelPrefix, seen.model, "model") ?? .holds
  }

  private func deviceInformation(_ prefix: String?, _ fact: String?, _ what: String) -> RuleOutcome? {
    guard let prefix else { return nil }
    guard let fact else { return .undecided("the \(what) is known only after a connection") }
    if fact.hasASCIICaseInsensitivePrefix(prefix) { return nil }
    return .fails(
      "the \(what) \"\(shown(fact))\" does not start with \"\(prefix)\"",
      cure: "choose the entry by hand if it is this meter")
  }
}
