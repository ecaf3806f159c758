/// A function of a driver, as `driver call ID` lists it.
public struct FunctionDescription: Sendable, Codable, Hashable {
  /// An argument or an output.
  public struct Value: Sendable, Codable, Hashable {
    /// Its name.
    public var name: String
    /// Its type in the signature, such as `i64`; an output without `out_`.
    public var type: String
    /// What it means.
    public var summary: String
    /// The unit of a number.
    public var unit: String?
    /// How an argument is written, with an example; nil for outputs.
    public var form: String?

    package init(name: String, type: String, summary: String, unit: String? = nil, form: String? = nil) {
      self.name = name
      self.type = type
      self.summary = summary
      self.unit = unit
      self.form = form
    }
  }

  /// The name.
  public var name: String
  /// The signature.
  public var signature: String
  /// What it does.
  public var summary: String
  /// What the caller gives.
  public var arguments: [Value]
  /// What comes back.
  public var outputs: [Value]

  package init(name: String, signature: String, summary: String, arguments: [Value], outputs: [Value]) {
    self.name = name
    self.signature = signature
    self.summary = summary
    self.arguments = arguments
    self.outputs = outputs
  }

  /// The command line of a call, such as `clock_time BYTES`.
  public var usage: String { ([name] + arguments.map { $0.name.uppercased() }).joined(separator: " ") }
}
