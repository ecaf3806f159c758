public import Foundation

/// How a sink of one kind is reached and what it is told, as its own JSON: what `meterhost sink add` makes and the store keeps.
///
/// The type of a setting is all that the host knows of a kind. It holds no secret: a credential is kept apart, encrypted.
public protocol SinkSetting: Codable, Sendable, Hashable {
  /// The stable name of the kind: a to z, 0 to 9 and -.
  static var kind: String { get }
  /// What it does with readings, in one line for people.
  static var summary: String { get }
  /// Whether its receivers want to know whose readings they are.
  static var credentialUse: CredentialUse { get }
  /// What a setting says, for whoever has to write one.
  static var members: [SinkMember] { get }
  /// Whether its receivers say whose readings they would take them for, which a person confirms.
  static var confirmsSubject: Bool { get }

  /// Where readings go, for people: an address, a folder.
  var address: String { get }
  /// What is nobody else's affair, as a support report must not show it.
  var privateTexts: [String] { get }
  /// What a sink with this setting takes, and how much at a time.
  var capabilities: SinkCapabilities { get }
  /// How many deliveries there may be at a time.
  var deliverySettings: DeliverySettings { get }

  /// The setting with whole paths and every part checked.
  ///
  /// - Parameter place: Where it is checked.
  /// - Throws: A `HostError` with its cure.
  func checked(in place: SinkPlace) throws -> Self
  /// Looks at a credential before it is kept; the receiver is not asked. One that can be of no receiver's is refused.
  func check(_ token: AccessToken) throws(SinkSettingError)
  /// A sink with this setting, of a kind to which all gateways are one.
  ///
  /// - Throws: A `HostError` with its cure.
  func sink() throws -> any Sink
  /// A sink with this setting. What ``sink()`` gives, unless the kind tells gateways apart.
  ///
  /// - Parameter gateway: Which gateway sends.
  /// - Throws: A `HostError` with its cure.
  func sink(of gateway: SinkGateway) throws -> any Sink

  /// Whether a sink with this setting wants a credential, of a kind of which some do.
  var credentialNeed: CredentialUse { get }
  /// Asks the receiver whose readings it would take them for. Nil for kinds of which the credential says that.
  ///
  /// - Throws: A `HostError` with its cure.
  func subject(with credential: SinkCredential, of gateway: SinkGateway) async throws -> SinkSubject?
  /// The setting once a person has confirmed whose readings they are.
  func confirmed(_ subject: SinkSubject) -> Self
}

extension SinkSetting {
  /// They say nothing: the credential does.
  public static var confirmsSubject: Bool { false }
  /// What ``sink()`` gives.
  public func sink(of gateway: SinkGateway) throws -> any Sink { try sink() }
  /// What the kind says.
  public var credentialNeed: CredentialUse { Self.credentialUse }
  /// Nobody: the credential says it.
  public func subject(with credential: SinkCredential, of gateway: SinkGateway) async throws -> SinkSubject? { nil }
  /// The setting itself.
  public func confirmed(_ subject: SinkSubject) -> Self { self }
  /// The defaults of ``DeliverySettings``.
  public var deliverySettings: DeliverySettings { DeliverySettings() }
  /// Takes every credential.
  public func check(_ token: AccessToken) throws(SinkSettingError) {}
  /// Where readings go and nothing else, of a setting that names no proxy and no file.
  public var privateTexts: [String] { [address] }
}

/// Whether receivers of a kind want to know whose readings they are.
public enum CredentialUse: String, Sendable, Hashable, Codable, CaseIterable {
  /// Nothing is taken without one.
  case required
  /// Some receivers want one.
  case optional
  /// There is nobody who could ask for one.
  case none
}

/// One member of a sink's setting.
public struct SinkMember: Sendable, Hashable, Codable {
  /// What its value is.
  public enum Form: Sendable, Hashable, Codable {
    /// Any text.
    case text
    /// A path of this machine; a relative one is counted from where the command runs.
    case path
    /// A JSON number.
    case number
    /// One of some words.
    case word([String])
  }

  /// Its name in the setting's JSON.
  package var name: String
  /// What its value is.
  package var form: Form
  /// Whether a setting without it is none.
  package var isRequired: Bool
  /// What it says, in one line for people.
  package var help: String

  /// A member of a setting.
  public init(_ name: String, _ form: Form = .text, isRequired: Bool = false, help: String) {
    (self.name, self.form, self.isRequired, self.help) = (name, form, isRequired, help)
  }
}

/// Where a sink's setting is checked.
public struct SinkPlace: Sendable, Hashable {
  /// The state folder, in which no sink writes.
  public let stateFolder: URL

  /// A place.
  public init(stateFolder: URL) { self.stateFolder = stateFolder }
}

/// A kind of sink that a program knows.
public struct SinkKind: Sendable {
  /// The stable name.
  public let name: String
  /// What it does with readings, in one line for people.
  package let summary: String
  /// Whether its receivers want to know whose readings they are.
  package let credentialUse: CredentialUse
  /// What a setting says.
  package let members: [SinkMember]
  /// Whether a person confirms whose readings its receivers would take them for.
  package let confirmsSubject: Bool
  private let decode: @Sendable (Data) throws -> any SinkSetting

  /// The kind of sinks that are set up by a type of settings.
  public init<Setting: SinkSetting>(_ type: Setting.Type) {
    name = type.kind
    summary = type.summary
    credentialUse = type.credentialUse
    members = type.members
    confirmsSubject = type.confirmsSubject
    decode = { try JSONDecoder().decode(type, from: $0) }
  }

  /// The setting that stands in JSON.
  ///
  /// - Throws: ``SinkSettingError`` with code `sink_setting`; what the setting's type throws for a value that it does not take.
  package func setting(_ json: [UInt8]) throws -> any SinkSetting {
    do {
      return try decode(Data(json))
    } catch let error as DecodingError {
      throw SinkSettingError(reading: error, kind: self)
    }
  }
}

extension SinkSetting {
  /// The setting as the store keeps it. Equal settings are equal bytes, by which a delivery that runs knows that it is still the
  /// right one.
  ///
  /// - Throws: ``SinkSettingError`` with code `sink_setting`.
  public func stored() throws(SinkSettingError) -> SinkTarget {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do {
      return SinkTarget(kind: Self.kind, setting: Array(try encoder.encode(self)))
    } catch {
      throw SinkSettingError(.setting, "the setting of the receiver cannot be written", cause: "\(error)")
    }
  }
}
