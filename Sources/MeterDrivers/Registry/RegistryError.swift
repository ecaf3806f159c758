public import HostErrors

/// Why a registry, a fragment or one entry of them is refused.
///
/// The text names the file, the place in it and the cure, because the reader is a person with an editor open.
public struct RegistryError: HostError, Hashable {
  /// What kind of refusal it is; the raw value is stable and meant for programs.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The file cannot be opened or read, is no regular file, or is over the size limit.
    case unreadableFile = "unreadable_file"
    /// The bytes are no strict JSON (RFC 8259 and UTF-8, no duplicate keys, bounded depth).
    case invalidJSON = "invalid_json"
    /// `registry_version` is one that this host does not know (rule R22).
    case unknownVersion = "unknown_version"
    /// A required key is absent.
    case missingKey = "missing_key"
    /// A value has another JSON type than the schema says.
    case wrongType = "wrong_type"
    /// A value has the right type and is not allowed: range, length, pattern, enumeration.
    case invalidValue = "invalid_value"
    /// Two entries claim one id.
    case duplicateID = "duplicate_id"
    /// An entry names another that does not exist.
    case unknownReference = "unknown_reference"
    /// A path is absolute or leaves the folder of its file (rule R22).
    case escapingPath = "escaping_path"
    /// A driver has no hash and the registry is not marked `development` (rule R20).
    case missingHash = "missing_hash"
    /// A fragment changes what only the base registry may say.
    case forbiddenOverride = "forbidden_override"
    /// The registry describes another driver contract than the one compiled in (rule R19).
    case abiMismatch = "abi_mismatch"
  }

  /// What kind of refusal it is.
  public let code: Code
  /// The file as it was named to the loader.
  public let file: String
  /// The place as a JSON path such as `$.drivers[3].library`; `$` for the file as a whole.
  public let path: String
  /// Line and column (from 1, in bytes) of that place; nil when the file could not be read.
  public let position: RegistryPosition?
  /// What is wrong, with the offending value shortened and made printable.
  public let problem: String
  /// What to do about it.
  public let cure: String

  /// `file:line:column`, or the file alone.
  public var place: String { position.map { "\(file):\($0.line):\($0.column)" } ?? file }

  /// The whole sentence for a person: `file:line:column: path: problem; cure`.
  public var message: String {
    "\(place): \(path): \(problem); \(cure)"
  }

  /// Nothing works without a registry.
  public var kind: HostErrorKind { .unavailable }
}

/// A place in a text file, counted from 1; the column counts bytes.
public struct RegistryPosition: Sendable, Hashable {
  /// How many line feeds are before the place, and one.
  public let line: Int
  /// The byte within the line.
  public let column: Int
}

/// Something that the loader noticed and could live with (rule R22: unknown keys warn).
public struct RegistryWarning: Sendable, Hashable, CustomStringConvertible {
  /// The file as it was named to the loader.
  public let file: String
  /// The place as a JSON path.
  public let path: String
  /// Line and column of that place.
  public let position: RegistryPosition?
  /// What was noticed, and the likely intention.
  public let message: String

  /// `file:line:column: path: message`.
  public var description: String {
    let place = position.map { "\(file):\($0.line):\($0.column)" } ?? file
    return "\(place): \(path): \(message)"
  }
}
