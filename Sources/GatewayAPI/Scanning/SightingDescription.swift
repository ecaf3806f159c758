/// A device in the air as `--json` shows it.
public struct SightingDescription: Codable, Sendable, Hashable {
  /// An entry of the catalogue that the device may be.
  public struct Entry: Codable, Sendable, Hashable {
    /// How it stands with the entry (rule R21). A later version may have more to say: its words are kept.
    public struct Reason: RawRepresentable, Codable, Sendable, Hashable, CaseIterable {
      /// Its rule is the most specific one that holds.
      public static let chosen = Reason(rawValue: "chosen")
      /// Its rule and another entry's tie: a person has to choose.
      public static let ambiguous = Reason(rawValue: "ambiguous")
      /// Only what the meter says once it is connected can tell.
      public static let mayBe = Reason(rawValue: "may_be")
      /// It fits, too; another entry fits better.
      public static let fits = Reason(rawValue: "fits")
      /// It is known by what it advertises, and no driver reads it; the entry's instructions say why.
      public static let notRead = Reason(rawValue: "not_read")
      /// The words that this version knows.
      public static let allCases = [chosen, ambiguous, mayBe, fits, notRead]

      /// The word.
      public let rawValue: String

      /// A word as it is written.
      public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The entry's id.
    public var id: UInt32
    /// What lists call the entry.
    public var name: String
    /// What it measures, in the catalogue's word, such as `glucose_meter`.
    public var type: String
    /// How it stands with it.
    public var reason: Reason

    package init(id: UInt32, name: String, type: String, reason: Reason) {
      self.id = id
      self.name = name
      self.type = type
      self.reason = reason
    }
  }

  /// The device's Bluetooth address, such as `C0:26:DF:00:00:01`.
  public var address: String
  /// `public`, which is the device's for life, or `random`, which may change.
  public var addressKind: String
  /// The strength with which it was heard last, in dBm; nil when the radio does not know it.
  public var rssi: Int?
  /// The advertised name, its control characters as spaces; nil while none was heard.
  public var name: String?
  /// The advertised services, each once: four digits, or the full form.
  public var services: [String]
  /// The company identifiers of its manufacturer data, each once (Assigned Numbers 7.1).
  public var companyIDs: [UInt16]
  /// The entries that it may be, the best first.
  public var entries: [Entry]
  /// Whether a meter with this address is paired with this gateway.
  public var paired: Bool

  enum CodingKeys: String, CodingKey {
    case address, rssi, name, services, entries, paired
    case addressKind = "address_kind"
    case companyIDs = "company_ids"
  }

  package init(
    address: String, addressKind: String, rssi: Int? = nil, name: String? = nil, services: [String],
    companyIDs: [UInt16], entries: [Entry], paired: Bool
  ) {
    self.address = address
    self.addressKind = addressKind
    self.rssi = rssi
    self.name = name
    self.services = services
    self.companyIDs = companyIDs
    self.entries = entries
    self.paired = paired
  }
}
