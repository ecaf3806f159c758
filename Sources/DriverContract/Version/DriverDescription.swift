import CMeterDriver
import HostPrimitives

/// A version of the driver contract and the fingerprint of its layout (rule R4).
public struct ContractVersion: Sendable, Hashable, CustomStringConvertible {
  /// Differs: refused.
  public var major: UInt16
  /// While the major is 0, every minor is a contract of its own.
  public var minor: UInt16
  /// `MH_LAYOUT_HASH`.
  public var layoutHash: UInt64

  /// Makes a version.
  public init(major: UInt16, minor: UInt16, layoutHash: UInt64) {
    self.major = major
    self.minor = minor
    self.layoutHash = layoutHash
  }

  /// "0.1 (layout 535503fa75acbc34)".
  public var description: String {
    "\(major).\(minor) (layout \(layoutHash.hexadecimal(digits: 16)))"
  }
}

extension ContractVersion {
  /// The contract that this host was built with.
  public static var host: ContractVersion {
    ContractVersion(major: mh_abi_major(), minor: mh_abi_minor(), layoutHash: mh_layout_hash())
  }
}

/// What a driver can do (`MH_CAP_*`).
public struct DriverCapabilities: OptionSet, Sendable, Hashable {
  /// The bits as they cross the contract.
  public let rawValue: UInt64

  /// Capabilities from their bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Reads meters over a connection.
  public static let connect = DriverCapabilities(rawValue: 0x1)
  /// Reads meters from advertisements alone.
  public static let advertisementOnly = DriverCapabilities(rawValue: 0x2)
  /// Decodes single characteristic values.
  public static let decode = DriverCapabilities(rawValue: 0x4)
}

/// Tables beyond the frozen contract, by the ids of rule R5. The word draft is in an id as long as its table may change.
public enum DriverExtension: String, Sendable, Hashable, CaseIterable {
  /// Reads displays (rule R17, `draft/ocr.h`).
  case ocr = "meterhost.ocr/1-draft"
  /// Turns files of pictures into pixels and back (`draft/image.h`).
  case image = "meterhost.image/1-draft"
  /// Reads what does not come over the air (rule R18, `draft/conversation.h`).
  case conversation = "meterhost.conversation/1-draft"
  /// Reads the exports of health stores (rule R18, `draft/import.h`).
  case `import` = "meterhost.import/1-draft"
}

/// A function that tools call by name (rule R19).
public struct DriverFunction: Sendable, Hashable {
  /// What tools and the registry call it by.
  public var name: String
  /// Its signature: "i32(bytes,f64,out_bytes)".
  public var signature: String

  /// Makes a function.
  public init(name: String, signature: String) {
    self.name = name
    self.signature = signature
  }
}

/// One driver of a bundle, as its table says.
public struct DriverDescription: Sendable, Hashable {
  /// The id in the registry.
  public var id: String
  /// A semantic version.
  public var version: String
  /// Who made it.
  public var vendor: String
  /// What it can do.
  public var capabilities: DriverCapabilities
  /// Functions that tools call by name.
  public var functions: [DriverFunction]
  /// The extensions that it offers, of those that this host knows (rule R5).
  public var extensions: [DriverExtension]

  /// Makes a description.
  public init(
    id: String, version: String, vendor: String, capabilities: DriverCapabilities, functions: [DriverFunction],
    extensions: [DriverExtension] = []
  ) {
    self.id = id
    self.version = version
    self.vendor = vendor
    self.capabilities = capabilities
    self.functions = functions
    self.extensions = extensions
  }
}
