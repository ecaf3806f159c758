public import MeterDrivers

/// A catalogue entry as `--json` shows it: all its properties.
public struct PeripheralDescription: Sendable, Codable, Hashable {
  /// A credential that the meter needs.
  public struct Credential: Sendable, Codable, Hashable {
    /// The credential's name.
    public var name: String
    /// Its format.
    public var format: String
    /// What it is valid for.
    public var scope: String
    /// Whether nothing works without it.
    public var required: Bool
  }

  /// A service that the driver uses.
  public struct Service: Sendable, Codable, Hashable {
    /// The service's UUID.
    public var uuid: String
    /// Whether the driver cannot work without it.
    public var required: Bool
    /// The characteristics that the driver uses.
    public var characteristics: [Characteristic]
  }

  /// A characteristic that the driver uses.
  public struct Characteristic: Sendable, Codable, Hashable {
    /// The characteristic's UUID.
    public var uuid: String
    /// Whether the driver cannot work without it.
    public var required: Bool
  }

  /// The stable numeric id; unique within its kind.
  public var id: UInt32
  /// bluetooth, ocr or import.
  public var kind: String
  /// Whether the entry stands for any meter of a Bluetooth SIG profile.
  public var generic: Bool
  /// The name to show.
  public var name: String
  /// The manufacturer.
  public var manufacturer: String
  /// The model.
  public var model: String
  /// glucose_meter, thermometer ...
  public var type: String
  /// Whether the meter must be paired before it is read.
  public var requiresPairing: Bool
  /// How to pair.
  public var pairingInstructions: String
  /// What to do before a read.
  public var instructions: String
  /// What to do when the host is ready.
  public var readingInstructions: String
  /// A picture of the meter.
  public var imageURL: String?
  /// Kept for old records only.
  public var disabled: Bool
  /// connect, advertisement or camera.
  public var connectionKind: String
  /// First version of MeterHost that reads it.
  public var supportedSince: String
  /// alpha, beta or stable.
  public var maturity: String
  /// Whether the meter keeps readings.
  public var storedHistory: Bool
  /// yes, unreliable or no.
  public var passive: String
  /// Whether the meter announces itself before a measurement.
  public var announcesBeforeMeasurement: Bool
  /// Whether the maker must approve first.
  public var approvalNeeded: Bool
  /// Keys and licences.
  public var credentials: [Credential]
  /// The driver that reads it; nil when none is installed.
  public var driver: String?
  /// What the driver uses of the meter's GATT database.
  public var services: [Service]

  enum CodingKeys: String, CodingKey {
    case id, kind, generic, name, manufacturer, model, type, disabled, maturity, passive, credentials, driver, services
    case requiresPairing = "requires_pairing"
    case pairingInstructions = "pairing_instructions"
    case instructions
    case readingInstructions = "reading_instructions"
    case imageURL = "image_url"
    case connectionKind = "connection_kind"
    case supportedSince = "supported_since"
    case storedHistory = "stored_history"
    case announcesBeforeMeasurement = "announces_before_measurement"
    case approvalNeeded = "approval_needed"
  }

  /// Describes an entry of the catalogue.
  public init(_ peripheral: Peripheral) {
    id = peripheral.id
    kind = peripheral.kind.rawValue
    generic = peripheral.isGeneric
    name = peripheral.name
    manufacturer = peripheral.manufacturer
    model = peripheral.model
    type = peripheral.type.rawValue
    requiresPairing = peripheral.requiresPairing
    pairingInstructions = peripheral.pairingInstructions
    instructions = peripheral.instructions
    readingInstructions = peripheral.readingInstructions
    imageURL = peripheral.imageURL
    disabled = peripheral.isDisabled
    connectionKind = peripheral.connectionKind.rawValue
    supportedSince = "\(peripheral.supportedSince)"
    maturity = peripheral.maturity.rawValue
    storedHistory = peripheral.hasStoredHistory
    passive = peripheral.passive.rawValue
    announcesBeforeMeasurement = peripheral.announcesBeforeMeasurement
    approvalNeeded = peripheral.isApprovalNeeded
    credentials = peripheral.credentials.map {
      Credential(name: $0.name, format: $0.format.rawValue, scope: $0.scope.rawValue, required: $0.isRequired)
    }
    driver = peripheral.driverID
    services = peripheral.services.map { service in
      Service(
        uuid: "\(service.uuid)", required: service.isRequired,
        characteristics: service.characteristics.map { Characteristic(uuid: "\($0.uuid)", required: $0.isRequired) })
    }
  }
}

/// Which entries of the catalogue a caller wants to see.
public struct CatalogueFilter: Sendable, Hashable {
  /// Only this catalogue: its ids are what the caller deals in.
  public var kind: PeripheralKind
  /// Only this type.
  public var type: PeripheralType?
  /// Only entries whose name, manufacturer or model contains this text, in any letter case.
  public var text: String?
  /// Disabled entries too.
  public var includesDisabled: Bool

  /// A filter; by default every meter in the air that is not disabled.
  public init(
    kind: PeripheralKind = .bluetooth, type: PeripheralType? = nil, text: String? = nil, includesDisabled: Bool = false
  ) {
    self.kind = kind
    self.type = type
    self.text = text
    self.includesDisabled = includesDisabled
  }

  /// Whether the entry passes.
  public func admits(_ peripheral: Peripheral) -> Bool {
    guard peripheral.kind == kind, includesDisabled || !peripheral.isDisabled, type == nil || peripheral.type == type
    else { return false }
    guard let wanted = text?.lowercased() else { return true }
    return [peripheral.name, peripheral.manufacturer, peripheral.model].contains { $0.lowercased().contains(wanted) }
  }
}
