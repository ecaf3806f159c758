/// The signature of an extension function, such as `i32(bytes,f64,out_bytes)` (rule R19).
///
/// The result is always `i32`, an `MH_*` status. The text has no spaces, and every signature has one spelling.
public struct FunctionSignature: Sendable, Hashable, CustomStringConvertible {
  /// What an argument or an output is.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// `int32_t`.
    case i32
    /// `uint32_t`.
    case u32
    /// `int64_t`.
    case i64
    /// `uint64_t`.
    case u64
    /// `double`, never infinite or NaN.
    case f64
    /// `mh_str`; as an output `char *buffer, uint64_t *n`: in, the room; out, the length. UTF-8 both ways.
    case text
    /// `mh_bytes`; as an output `uint8_t *buffer, uint64_t *n`: in, the room; out, the length.
    case bytes
  }

  /// One place between the parentheses.
  public struct Parameter: Sendable, Hashable, CustomStringConvertible {
    /// What it is.
    public let kind: Kind
    /// Whether the function fills it in.
    public let isOutput: Bool

    /// A parameter.
    public init(_ kind: Kind, isOutput: Bool = false) { (self.kind, self.isOutput) = (kind, isOutput) }

    /// `f64` or `out_f64`.
    public var description: String { (isOutput ? Self.outputPrefix : "") + kind.rawValue }

    static let outputPrefix = "out_"

    init?(_ word: Substring) {
      let isOutput = word.hasPrefix(Self.outputPrefix)
      guard let kind = Kind(rawValue: String(isOutput ? word.dropFirst(Self.outputPrefix.count) : word)) else {
        return nil
      }
      self.init(kind, isOutput: isOutput)
    }
  }

  /// A text is no signature, and why.
  public struct ParseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with it.
    public let description: String
  }

  /// How many places a signature may have, inputs and outputs together (rule R19).
  public static let mostParameters = 16
  /// The most bytes of a signature's text, as of `mh_extension_function.signature`.
  public static let longest = 256
  /// The most bytes of one text or of one run of bytes, in and out.
  public static let mostBytes = 1 << 16
  /// Every word that may stand between the parentheses.
  public static let words =
    Kind.allCases.map { Parameter($0).description } + Kind.allCases.map { Parameter($0, isOutput: true).description }

  /// What stands between the parentheses.
  public let parameters: [Parameter]

  /// A signature with these parameters, nil for more than ``mostParameters``.
  public init?(parameters: [Parameter]) {
    guard parameters.count <= Self.mostParameters else { return nil }
    self.parameters = parameters
  }

  /// Reads a signature.
  ///
  /// - Throws: ``ParseError``.
  public init(_ text: String) throws(ParseError) {
    guard text.utf8.count <= Self.longest else {
      throw ParseError(description: "a signature has at most \(Self.longest) bytes, this one has \(text.utf8.count)")
    }
    guard text.hasPrefix("i32("), text.hasSuffix(")") else {
      throw ParseError(description: "it does not have the form i32(...): a function returns an MH_ status")
    }
    let inside = text.dropFirst(4).dropLast()
    let words = inside.isEmpty ? [] : inside.split(separator: ",", omittingEmptySubsequences: false)
    guard words.count <= Self.mostParameters else {
      throw ParseError(description: "it has \(words.count) parameters; \(Self.mostParameters) are the most")
    }
    var parameters: [Parameter] = []
    for (index, word) in words.enumerated() {
      guard let parameter = Parameter(word) else {
        throw ParseError(description: "parameter \(index + 1) is none of \(Self.listed)")
      }
      parameters.append(parameter)
    }
    self.parameters = parameters
  }

  /// What the caller gives.
  public var inputs: [Kind] { parameters.filter { !$0.isOutput }.map(\.kind) }
  /// What the function fills in.
  public var outputs: [Kind] { parameters.filter(\.isOutput).map(\.kind) }

  /// The text that it is read from.
  public var description: String { "i32(\(parameters.map(\.description).joined(separator: ",")))" }

  private static let listed = words.joined(separator: ", ")
}
