/// A catalogue entry as `--json` shows it: all its properties.
public struct PeripheralDescription: Sendable, Codable, Hashable {
  /// A credential that the meter needs.
  public struct Credential: Sendable, Codable, Hashable {
    /// The name in the registry, which `key set` takes and the driver asks for.
    public var name: String
    /// What a person enters: `auth_key_file`, `hex_32`, `license_file` or `text`.
    public var format: String
    /// What one stored value serves: `gateway`, `peripheral` or `meter`.
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

  /// A picture of the meter that is a file of this machine.
  public struct Picture: Sendable, Codable, Hashable {
    /// The file. It may be missing or refused: `peripherals show` says so.
    public var file: String
    /// `image/svg+xml`, `image/png` or `image/jpeg`.
    public var mediaType: String

    private enum CodingKeys: String, CodingKey {
      case file
      case mediaType = "media_type"
    }

    package init(file: String, mediaType: String) {
      self.file = file
      self.mediaType = mediaType
    }
  }

  /// A service that the driver uses.
  public struct Service: Sendable, Codable, Hashable {
    /// The service's UUID: four digits for one of the Bluetooth SIG, else the full form.
    public var uuid: String
    /// Whether the driver cannot work without it.
    public var required: Bool
    /// The characteristics that the driver uses; discovery looks for no others.
    public var characteristics: [Characteristic]

    package init(uuid: String, required: Bool, characteristics: [Characteristic]) {
      self.uuid = uuid
      self.required = required
      self.characteristics = characteristics
    }
  }

  /// A characteristic that the driver uses.
  public struct Characteristic: Sendable, Codable, Hashable {
    /// The characteristic's UUID: four digits for one of the Bluetooth SIG, else the full form.
    public var uuid: String
    /// Whether the driver cannot work without it.
    public var required: Bool

    package init(uuid: String, required: Bool) {
      self.uuid = uuid
      self.required = required
    }
  }

  /// The stable number that people and programs know the entry by; unique within its kind.
  public var id: UInt32
  /// What reads it: `bluetooth` (a radio), `ocr` (a camera) or `import`.
  public var kind: String
  /// Whether the entry stands for any meter of a Bluetooth SIG profile.
  public var generic: Bool
  /// The name to show.
  public var name: String
  /// The maker's name, to show; empty for a generic entry.
  public var manufacturer: String
  /// What the maker calls it, to show; empty for a generic entry.
  public var model: String
  /// What it measures: `thermometer`, `blood_pressure`, `heart_rate`, `glucose_meter`, `weight_scale`,
  /// `pulse_oximeter`, `inr`, `peak_flow`, `spirometer` or `none`.
  public var type: String
  /// Whether the meter gives nothing to a gateway that it is not paired with.
  public var requiresPairing: Bool
  /// What the person does to pair, shown when pairing begins; may be empty.
  public var pairingInstructions: String
  /// What the person does to start a reading, shown when a read begins.
  public var instructions: String
  /// What the person does when the meter is ready; may be empty.
  public var readingInstructions: String
  /// A picture of the meter: an https URL, or a path below the registry's folder; nil where there is none.
  public var imageURL: String?
  /// The file that ``imageURL`` names; nil where it names none of this machine, or none that is shown.
  public var picture: Picture?
  /// Whether the entry is kept for old records only: nothing matches or reads it.
  public var disabled: Bool
  /// Where its readings are: behind a connection (`connect`), in its `advertisement`, or on its display (`camera`).
  public var connectionKind: String
  /// The first version of MeterHost or of the bundle that reads it.
  public var supportedSince: String
  /// How far it is proven: `alpha` (never tried with a real meter), `beta` (decodes a real one's bytes) or `stable` (in
  /// use).
  public var maturity: String
  /// Whether the meter keeps readings and can send them later.
  public var storedHistory: Bool
  /// Whether it can be read without anybody asking: `yes`, `unreliable` (sometimes missed) or `no`.
  public var passive: String
  /// Whether the meter announces itself before a measurement.
  public var announcesBeforeMeasurement: Bool
  /// Whether the maker must approve first: without it a read ends with `approval_needed`.
  public var approvalNeeded: Bool
  /// The keys and licences that the driver may need to read it.
  public var credentials: [Credential]
  /// The id of the driver that reads it; nil when none is installed.
  public var driver: String?
  /// What the driver uses of the meter's GATT database, in the driver's order.
  public var services: [Service]

  enum CodingKeys: String, CodingKey {
    case id, kind, generic, name, manufacturer, model, type, disabled, maturity, passive, credentials, driver, services
    case picture
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
    imageURL: String? = nil, picture: Picture? = nil, disabled: Bool, connectionKind: String, supportedSince: String,
    maturity: String,
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
    self.picture = picture
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
