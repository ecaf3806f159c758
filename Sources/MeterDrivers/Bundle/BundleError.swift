public import HostErrors

/// A bundle that is not loaded, and why.
public struct BundleError: HostError, Hashable {
  /// What is wrong. The raw value is stable.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    case unreadable
    case notRegularFile = "not_regular_file"
    case tooLarge = "too_large"
    case notELF = "not_elf"
    case malformed
    case wrongArchitecture = "wrong_architecture"
    case notSharedObject = "not_shared_object"
    case forbiddenLibrary = "forbidden_library"
    case forbiddenSearchPath = "forbidden_search_path"
    case forbiddenImport = "forbidden_import"
    case missingSymbol = "missing_symbol"
    case extraSymbol = "extra_symbol"
    case missingNote = "missing_note"
    case wrongContract = "wrong_contract"
    case executableStack = "executable_stack"
    case writableCode = "writable_code"
    case missingHash = "missing_hash"
    case wrongHash = "wrong_hash"
    case notSealed = "not_sealed"
    case unsigned
    case badSignature = "bad_signature"
    case untrustedKey = "untrusted_key"
    case revokedKey = "revoked_key"
    case publisherNotAllowed = "publisher_not_allowed"
    case belowFloor = "below_floor"
    case trustList = "trust_list"
  }

  /// What is wrong.
  public var code: Code
  /// The bundle's file.
  public var path: String
  /// The rule of the contract, when one is broken.
  public var rule: String?
  /// What happened, and what to do.
  public var message: String
  /// The system's own words, when there are some.
  public var cause: String?

  /// Makes an error.
  package init(_ code: Code, path: String, rule: String? = nil, message: String, cause: String? = nil) {
    (self.code, self.path, self.rule, self.message, self.cause) = (code, path, rule, message, cause)
  }

  /// A bundle that is refused is no worse than that.
  public var kind: HostErrorKind { .failed }

  /// One line for people.
  public var fullMessage: String { fullMessage(at: path, rule: rule, cause: cause) }
}
