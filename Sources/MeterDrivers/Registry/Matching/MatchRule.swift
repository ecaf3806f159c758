/// One way to recognise a meter: every condition given must hold (rule R21's closed language).
package struct MatchRule: Sendable, Hashable {
  /// All of these are advertised.
  package let services: [UUIDString]
  /// The advertisement carries data of all of these services.
  package var serviceData: [UUIDString] = []
  /// The advertisement carries manufacturer data of this Bluetooth company.
  package let companyID: UInt16?
  /// Start of the advertised name, compared byte by byte.
  package let namePrefix: String?
  /// Start of the Manufacturer Name String (2A29), letters without case (ASCII).
  package let manufacturerPrefix: String?
  /// Start of the Model Number String (2A24), letters without case (ASCII).
  package let modelPrefix: String?
}

/// A meter in the air, as far as it is known.
package struct SeenDevice: Sendable, Hashable {
  /// The services of the advertisement and scan response.
  package var services: Set<UUIDString>
  /// The services that have data in the advertisement or scan response.
  package var dataServices: Set<UUIDString>
  /// The companies of the manufacturer data.
  package var companyIDs: Set<UInt16>
  /// The advertised name, or the GAP name once it was read; nil while there is none.
  package var name: String?
  /// The address as text, for messages.
  package var address: String
  /// Manufacturer Name String (2A29); nil before it was read, empty when the meter has none.
  package var manufacturer: String?
  /// Model Number String (2A24); nil before it was read, empty when the meter has none.
  package var model: String?

  /// Collects what was seen.
  package init(
    services: Set<UUIDString> = [], dataServices: Set<UUIDString> = [], companyIDs: Set<UInt16> = [],
    name: String? = nil, address: String = "", manufacturer: String? = nil, model: String? = nil
  ) {
    self.services = services
    self.dataServices = dataServices
    self.companyIDs = companyIDs
    self.name = name
    self.address = address
    self.manufacturer = manufacturer
    self.model = model
  }

  /// The facts that quirks ask for.
  package var facts: DeviceFacts { DeviceFacts(name: name, manufacturer: manufacturer, model: model) }
}

/// Which catalogue entry a seen device is (rule R21).
package enum MatchResult: Sendable, Hashable {
  /// This one.
  case chosen(Match)
  /// Rules of these entries tie: none of them may be used passively until the user chooses.
  case ambiguous([Match])
  /// Only what Device Information says can tell whether it is one of these: match again once it has been read.
  case needsDeviceInformation([PeripheralKey])
  /// Nothing fits, or the user's choice cannot be used; ``Registry/candidates(for:)`` says why.
  case none
}

/// A catalogue entry that a seen device fits.
package struct Match: Sendable, Hashable {
  /// Why it was chosen.
  package enum Reason: Sendable, Hashable {
    /// The user said so.
    case userChoice
    /// This rule of the entry is the most specific one that holds.
    case rule(MatchRule)
  }

  /// The catalogue entry.
  package let peripheral: Peripheral
  /// The driver that reads it.
  package let driver: DriverEntry
  /// Why it was chosen.
  package let reason: Reason
  /// More specific entries that only Device Information can confirm: match again once it has been read.
  package let mayBecome: [PeripheralKey]
}

/// A catalogue entry that was tried for a seen device.
package struct MatchCandidate: Sendable, Hashable {
  /// What came of it.
  package enum Verdict: Sendable, Hashable {
    /// This is it.
    case chosen
    /// It fits, and another fits better or as well.
    case outranked
    /// It would fit if Device Information, which was not read yet, says so.
    case undecided
    /// It does not fit.
    case failed
  }

  /// The catalogue entry.
  package let peripheral: PeripheralKey
  package let name: String
  package let driverID: String?
  /// What came of it.
  package let verdict: Verdict
  /// The first condition that failed, or why another was preferred; for `chosen` why it was chosen.
  package let explanation: String
  /// What would make it the chosen one; empty for `chosen`.
  package let cure: String
}
