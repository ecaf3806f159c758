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

    package init(name: String, format: String, scope: String, required: Bool) {
      self.name = name
      self.format = format
      self.scope = scope
      self.required = required
    }
  }

  /// A service that the driver uses.
  public struct Service: Sendable, Codable, Hashable {
    /// The service's UUID.
    public var uuid: String
    /// Whether the driver cannot work without it.
    public var required: Bool
    /// The characteristics that the driver uses.
    public var characteristics: [Characteristic]

    package init(uuid: String, required: Bool, characteristics: [Characteristic]) {
      self.uuid = uuid
      self.required = required
      self.characteristics = characteristics
    }
  }

  /// A characteristic that the driver uses.
  public struct Characteristic: Sendable, Codable, Hashable {
    /// The characteristic's UUID.
    public var uuid: String
    /// Whether the driver cannot work without it.
    public var required: Bool

    package init(uuid: String, required: Bool) {
      self.uuid = uuid
      self.required = required
    }
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

  package init(
    id: UInt32, kind: String, generic: Bool, name: String, manufacturer: String, model: String, type: String,
    requiresPairing: Bool, pairingInstructions: String, instructions: String, readingInstructions: String,
    imageURL: String? = nil, disabled: Bool, connectionKind: String, supportedSince: String, maturity: String,
    storedHistory: Bool, passive: String, announcesBeforeMeasurement: Bool, approvalNeeded: Bool,
    credentials: [Credential], driver: String? = nil, services: [Service]
  ) {
    self.id = id
    self.kind = kind
    self.generic = generic
    self.name = name
    self.manufacturer = manufacturer
    self.model = model
    self.type = type
    self.requiresPairing = requiresPairing
    self.pairingInstructions = pairingInstructions
    self.instructions = instructions
    self.readingInstructions = readingInstructions
    self.imageURL = imageURL
    self.disabled = disabled
    self.connectionKind = connectionKind
    self.supportedSince = supportedSince
    self.maturity = maturity
    self.storedHistory = storedHistory
    self.passive = passive
    self.announcesBeforeMeasurement = announcesBeforeMeasurement
    self.approvalNeeded = approvalNeeded
    self.credentials = credentials
    self.driver = driver
    self.services = services
  }
}
