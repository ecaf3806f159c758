import FoundationEssentials
public import MeterCore

extension FileSinkSetting: SinkSetting {
  /// The kind's name in the store and for `sink add --kind`.
  public static let kind = "file"
  /// What is shown beside the kind.
  public static let summary = "files in a folder, as JSON Lines or CSV"
  /// Whether it wants a token.
  public static let credentialUse = CredentialUse.none
  /// What its JSON says.
  public static let members = [
    SinkMember(Member.folder.rawValue, .path, isRequired: true, help: "the folder; it is made where it is missing"),
    SinkMember(Member.format.rawValue, .word(Format.allCases.map(\.rawValue)), help: "the form of the files"),
    SinkMember(Member.rotateBytes.rawValue, .number, help: "how many bytes a file has at most"),
    SinkMember(
      Member.rotate.rawValue, .word(Rotation.allCases.map(\.rawValue)), help: "when a new file is begun besides, in UTC"
    ),
    SinkMember(Member.keep.rawValue, .number, help: "how many finished files are kept; all without it"),
  ]

  /// Where readings go.
  public var address: String { folder }

  /// Readings that arrive together are put on disk together.
  public var capabilities: SinkCapabilities { SinkCapabilities(batchSize: FileSink.batchSize, acknowledgement: .disk) }

  /// One batch at a time: the lines of a file have one order.
  public var deliverySettings: DeliverySettings {
    var settings = DeliverySettings()
    settings.concurrency = 1
    return settings
  }

  /// The setting with every part checked, the machine as well.
  public func checked(in place: SinkPlace) throws -> FileSinkSetting {
    try checked(stateFolder: place.stateFolder.path)
  }

  /// A sink that is reached by it.
  public func sink() throws -> any Sink { FileSink(self) }
}
