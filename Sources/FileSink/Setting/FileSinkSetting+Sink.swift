import FoundationEssentials
public import MeterCore

extension FileSinkSetting: SinkSetting {
  /// `file`.
  public static let kind = "file"
  public static let summary = "files in a folder, as JSON Lines or CSV"
  public static let credentialUse = CredentialUse.none
  public static let members = [
    SinkMember(Member.folder.rawValue, .path, isRequired: true, help: "the folder; it is made where it is missing"),
    SinkMember(Member.format.rawValue, .word(Format.allCases.map(\.rawValue)), help: "the form of the files"),
    SinkMember(Member.rotateBytes.rawValue, .number, help: "how many bytes a file has at most"),
    SinkMember(
      Member.rotate.rawValue, .word(Rotation.allCases.map(\.rawValue)), help: "when a new file is begun besides, in UTC"
    ),
    SinkMember(Member.keep.rawValue, .number, help: "how many finished files are kept; all without it"),
  ]

  public var address: String { folder }

  /// Readings that arrive together are put on disk together.
  public var capabilities: SinkCapabilities { SinkCapabilities(batchSize: FileSink.batchSize) }

  /// One batch at a time: the lines of a file have one order.
  public var deliverySettings: DeliverySettings {
    var settings = DeliverySettings()
    settings.concurrency = 1
    return settings
  }

  public func checked(in place: SinkPlace) throws -> FileSinkSetting {
    try checked(stateFolder: place.stateFolder.path)
  }

  public func sink() throws -> any Sink { FileSink(self) }
}
