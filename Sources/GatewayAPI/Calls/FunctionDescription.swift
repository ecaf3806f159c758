/// A function of a driver, as `driver call ID` lists it.
public struct FunctionDescription: Sendable, Codable, Hashable {
  /// An argument or an output.
  public struct Value: Sendable, Codable, Hashable {
    /// The name that the registry gives it; `argument_1` or `output_1` where it gives none.
    public var name: String
    /// Its type in the signature, such as `i64`; an output without `out_`.
    public var type: String
    /// What it means, for people, as the registry has it; may be empty.
    public var summary: String
    /// The unit of a number as people write it, such as `us`; nil where the registry names none.
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

  /// What `driver call ID FUNCTION` takes.
  public var name: String
  /// The types in the contract's notation, such as `i32(bytes,f64,out_bytes)` (rule R19).
  public var signature: String
  /// What it does, for people, as the registry has it.
  public var summary: String
  /// What the caller gives, in the signature's order.
  public var arguments: [Value]
  /// What comes back, in the signature's order.
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
