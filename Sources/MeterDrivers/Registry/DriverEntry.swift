package import DriverContract

/// A line of drivers that share what they stored for a meter: the namespace of rule R23, which outlives a driver's id.
public struct DriverFamily: Sendable, Hashable, Identifiable {
  /// Lower-case name such as `sig-glucose`.
  public let id: String
  /// What the family reads, for people.
  public let name: String
}

/// A driver as the registry describes it: enough to choose and check one without loading it.
public struct DriverEntry: Sendable, Hashable, Identifiable {
  /// What a driver can do; the bits of `mh_driver.capabilities`.
  public enum Capability: String, Sendable, Hashable, CaseIterable {
    /// Reads over a connection (`MH_CAP_CONNECT`).
    case connect
    /// Reads advertisements (`MH_CAP_ADVERTISEMENT_ONLY`).
    case advertisementOnly = "advertisement_only"
    /// Decodes values apart from a session (`MH_CAP_DECODE`).
    case decode
  }

  /// The reverse-DNS name.
  public let id: String
  /// The driver's version.
  package let version: SemanticVersion
  /// Who made it.
  public let vendor: String
  /// An SPDX licence expression.
  public let license: String
  /// What the driver stored belongs to this family.
  public let familyID: String
  /// The bundle, relative to ``folder``.
  package let library: String
  /// The folder of the file that the entry stands in; ``Registry/libraryPath(of:)`` joins and checks.
  package let folder: String
  /// The file that the entry stands in, as it was named to the loader.
  package let file: String
  /// The bundle's SHA-256; nil only in a registry marked `development` (rule R20).
  public let sha256: BundleHash?
  /// Publishers' words for the bundle; several while a publisher changes its key.
  package let signatures: [DriverSignature]
  /// The bundle's files beside the library.
  package let assets: [Asset]
  /// The contract that the bundle was compiled with.
  package let abi: ABIVersion
  /// What it can do.
  public let capabilities: Set<Capability>
  /// The tables beyond the frozen contract that it offers (rule R5).
  package let extensions: Set<DriverExtension>
  /// What it may use up.
  package let limits: Limits
  /// Metrics of its own, codes from 0x8000 on.
  package let metrics: [Metric]
  /// Parameters of its own, codes from 0x8000 on.
  package let parameters: [Parameter]
  /// Functions that tools call by name.
  package let functions: [Function]

  /// What a driver may use up; never above what rule R16 grants.
  package typealias Limits = DriverLimits

  /// A file that goes with the bundle and that the driver asks for by name (`mh_host.asset`).
  package struct Asset: Sendable, Hashable {
    /// The name that the driver knows.
    package let name: String
    /// The file, relative to the folder of the entry's file.
    package let file: String
    /// The file's SHA-256; nil only in a registry marked `development` (rule R20).
    package let sha256: BundleHash?

    /// Most bytes of one driver's files together: they go to every session, and into its recording; a net that
    /// reads displays has about one MiB.
    package static let sizeLimit = 4 << 20
  }

  /// A metric outside the dictionary, known to this driver's records only.
  package struct Metric: Sendable, Hashable {
    /// What its values are.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
      /// A number with a unit.
      case quantity
      /// A number that stands for a meaning.
      case code
      case text
    }

    /// 0x8000 or above.
    package let code: UInt16
    /// The name in records and tools.
    package let name: String
    /// What its values are.
    package let kind: Kind
    /// UCUM units of the dictionary that it may come in.
    package let units: [String]
    /// The meaning of codes.
    package let codes: [Int: String]
  }

  /// A parameter that a session of this driver understands, beside those of the contract.
  package struct Parameter: Sendable, Hashable {
    /// How the value is written.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
      /// A whole number.
      case integer
      /// UTF-8 text.
      case text
    }

    /// 0x8000 or above.
    package let code: UInt16
    /// The name that quirks use.
    package let name: String
    /// How the value is written.
    package let kind: Kind
    /// What it does.
    package let summary: String
  }

  /// A function that tools call by name, checked against the bundle before it is called (rule R19).
  package struct Function: Sendable, Hashable {
    /// An argument or an output.
    package struct Value: Sendable, Hashable {
      /// The name; `argument_1` or `output_1` where the entry gives none.
      package let name: String
      /// What it is.
      package let kind: FunctionSignature.Kind
      /// What it means; empty where the entry does not say.
      package let summary: String
      /// The unit of a number, as people write it.
      package let unit: String?
    }

    package let name: String
    /// The signature as in `mh_extension_function`, such as `i32(bytes,f64,out_bytes)`.
    package let signature: FunctionSignature
    /// What it does.
    package let summary: String
    /// What the caller gives, in the signature's order.
    package let arguments: [Value]
    /// What the function fills in, in the signature's order.
    package let outputs: [Value]
  }
}

extension DriverEntry {
  /// The first file whose hash the entry does not say, for people; nil: it says all of them.
  var fileWithoutHash: String? {
    if sha256 == nil { return "the driver \(id)" }
    return assets.first { $0.sha256 == nil }.map { "the asset \"\($0.name)\" of \(id)" }
  }
}

/// A version of the driver contract.
package struct ABIVersion: Sendable, Hashable, CustomStringConvertible {
  /// Differs: refused (rule R4).
  package let major: UInt16
  /// While the major is 0 every minor is a contract of its own.
  package let minor: UInt16

  /// Names a version.
  package init(major: UInt16, minor: UInt16) {
    self.major = major
    self.minor = minor
  }

  /// For example `0.1`.
  package var description: String { "\(major).\(minor)" }
}
