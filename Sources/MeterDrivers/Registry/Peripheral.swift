/// Which of the three catalogues an entry belongs to. Ids are unique within one kind only.
public enum PeripheralKind: String, Sendable, Hashable, CaseIterable {
  /// A meter that speaks Bluetooth LE.
  case bluetooth
  /// A meter whose display is read by a camera.
  case ocr
  /// An export file of another program.
  case `import`
}

/// What a peripheral measures.
public enum PeripheralType: String, Sendable, Hashable, CaseIterable {
  /// Nothing that the catalogue has a word for.
  case none
  /// Body temperature.
  case thermometer
  /// Systolic and diastolic pressure, mostly with the pulse.
  case bloodPressure = "blood_pressure"
  /// Beats a minute, as a strap sends them.
  case heartRate = "heart_rate"
  /// Blood glucose or ketone.
  case glucoseMeter = "glucose_meter"
  /// Body weight and composition.
  case weightScale = "weight_scale"
  /// Oxygen saturation.
  case pulseOximeter = "pulse_oximeter"
  /// Prothrombin time as INR.
  case inr
  /// Peak expiratory flow.
  case peakFlow = "peak_flow"
  /// Spirometry.
  case spirometer
}

/// Names one catalogue entry: the id is unique within its kind.
public struct PeripheralKey: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The catalogue.
  public let kind: PeripheralKind
  /// The stable number within the catalogue.
  public let id: UInt32

  /// Names the entry `id` of the catalogue `kind`.
  public init(kind: PeripheralKind = .bluetooth, id: UInt32) {
    self.kind = kind
    self.id = id
  }

  /// The id alone: kinds share few of them, and the hash of their names costs more than the rest.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
  }

  /// Orders by kind, then by id.
  public static func < (left: Self, right: Self) -> Bool {
    left.kind == right.kind ? left.id < right.id : left.kind.rawValue < right.kind.rawValue
  }

  /// For example `bluetooth 1000`.
  public var description: String { "\(kind.rawValue) \(id)" }
}

/// A catalogue entry: everything that is known of a meter model before one is in the air.
public struct Peripheral: Sendable, Hashable, Identifiable {
  /// How the meter hands over its readings.
  public enum ConnectionKind: String, Sendable, Hashable, CaseIterable {
    /// The host connects.
    case connect
    /// The readings are in the advertisements.
    case advertisement
    /// A camera reads its display; the kind `ocr` and no other.
    case camera
  }

  /// How far the entry has been proven.
  public enum Maturity: String, Sendable, Hashable, CaseIterable {
    /// Made from public facts, not seen with a real meter.
    case alpha
    /// Decodes bytes of a real meter; few have used it.
    case beta
    /// In use.
    case stable
  }

  /// Whether the meter can be read without a person asking for it.
  public enum PassiveReading: String, Sendable, Hashable, CaseIterable {
    /// It advertises by itself after each measurement.
    case yes
    /// Sometimes it is missed.
    case unreliable
    /// It must be set to transfer by hand.
    case no
  }

  /// What the pairing asks of the person.
  public enum PairingMethod: String, Sendable, Hashable, CaseIterable {
    /// No secret is shown or typed.
    case justWorks = "just_works"
    /// The meter shows or carries a 6-digit number that is typed at the host.
    case passkey
  }

  /// The catalogue and the number within it.
  public let key: PeripheralKey
  /// The number that programs know the meter by; unique within ``kind``.
  public var id: UInt32 { key.id }
  /// The catalogue.
  public var kind: PeripheralKind { key.kind }
  /// Any meter of a Bluetooth SIG profile rather than one model; fragments may override its texts.
  public let isGeneric: Bool
  /// The name for pickers.
  public internal(set) var name: String
  /// Who makes it; empty for generic entries.
  public let manufacturer: String
  /// The maker's model name; empty for generic entries.
  public let model: String
  /// What it measures.
  public let type: PeripheralType
  /// True when the meter gives nothing to a host that it is not bonded with.
  public let requiresPairing: Bool
  /// What pairing asks of the person; nil when the meter decides.
  public let pairingMethod: PairingMethod?
  /// What to do to pair.
  public internal(set) var pairingInstructions: String
  /// What to do to start a reading.
  public internal(set) var instructions: String
  /// What to do at the moment the meter is ready.
  public internal(set) var readingInstructions: String
  /// A picture: an https URL, or a path relative to the registry's folder; nil when there is none.
  public internal(set) var imageURL: String?
  /// The folder of the file that names ``imageURL``.
  var imageFolder = "."
  /// Kept for old records, left out of pickers and of matching.
  public internal(set) var isDisabled: Bool
  /// How the meter hands over its readings.
  public let connectionKind: ConnectionKind
  /// The first host version that knew the entry.
  package let supportedSince: SemanticVersion
  /// How far the entry has been proven.
  public let maturity: Maturity
  /// True when the meter keeps readings and can send them later.
  public let hasStoredHistory: Bool
  /// Whether it can be read passively.
  public let passive: PassiveReading
  /// True when the meter is in the air before the measurement, so that the host can say when to measure.
  public let announcesBeforeMeasurement: Bool
  /// True when its maker must approve the integrator first.
  public let isApprovalNeeded: Bool
  /// Keys and licences that must be present before connecting (rule R22).
  public let credentials: [Credential]
  /// The driver that reads it; nil for entries that are only kept for old records.
  public let driverID: String?
  /// How it is recognised: any one of the rules.
  package let matchRules: [MatchRule]
  /// UCUM units that the display may show its value in, the meter's default first; a person says which. Empty: it has one.
  public internal(set) var units: [String] = []
  /// The services and characteristics that discovery may look at, in the driver's order (rule R22).
  public let services: [ServiceUse]
  /// The driver's quirks, then this entry's own: what is special about some meters, as data.
  package internal(set) var quirks: [Quirk]
}

/// A key or licence that a meter needs.
public struct Credential: Sendable, Hashable {
  /// How the content is written; checked on entry.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// A file `{"key": "<hex>"}`: any number of hex digits.
    case authKeyFile = "auth_key_file"
    /// Exactly 32 hex digits.
    case hex32 = "hex_32"
    /// A licence file, opaque to the host.
    case licenseFile = "license_file"
    /// A text such as a password.
    case text
  }

  /// What one stored value serves.
  public enum Scope: String, Sendable, Hashable, CaseIterable {
    /// All meters of the gateway.
    case gateway
    /// All meters of this catalogue entry.
    case peripheral
    /// The one meter that it was entered for.
    case meter
  }

  /// What a driver may do with it.
  public enum Exposure: String, Sendable, Hashable, CaseIterable {
    /// Name it in `meterhost.crypto/1`; its bytes stay in the host.
    case use
    /// Read its bytes, for licences and protocols that send the key itself.
    case read
  }

  /// The name under which it is stored, such as `encryption-key`.
  public let name: String
  /// How it is written.
  public let format: Format
  /// What it serves.
  public let scope: Scope
  /// False when the meter can be read without it.
  public let isRequired: Bool
  /// What a driver may do with it.
  public let exposure: Exposure
}

/// A service that a driver uses, with its characteristics.
public struct ServiceUse: Sendable, Hashable {
  /// The service.
  public let uuid: UUIDString
  /// False when a meter without it can be read all the same.
  public let isRequired: Bool
  /// The characteristics used.
  public let characteristics: [CharacteristicUse]
  /// By what number `decode` names its service data; nil: the entry does not say.
  public let decodeCode: UInt16?
}

/// A characteristic that a driver uses.
public struct CharacteristicUse: Sendable, Hashable {
  /// The characteristic.
  public let uuid: UUIDString
  /// False when a meter without it can be read all the same.
  public let isRequired: Bool
  /// By what number `decode` names it; nil: the entry does not say.
  public let decodeCode: UInt16?
}
