public import MeterDrivers

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

    init(_ value: DriverEntry.Function.Value, form: String? = nil) {
      (name, type, summary, unit) = (value.name, value.kind.rawValue, value.summary, value.unit)
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

  /// Describes a function of the registry.
  public init(_ function: DriverEntry.Function) {
    name = function.name
    signature = function.signature.description
    summary = function.summary
    arguments = function.arguments.map { Value($0, form: $0.form) }
    outputs = function.outputs.map { Value($0) }
  }

  /// The command line of a call, such as `clock_time BYTES`.
  public var usage: String { ([name] + arguments.map { $0.name.uppercased() }).joined(separator: " ") }
}

/// What a call has brought, as `--json` shows it.
public struct CallDescription: Sendable, Encodable, Hashable {
  /// The driver's id.
  public var driver: String
  /// The function's name.
  public var function: String
  /// The outputs in their order.
  public var outputs: [Output]
  /// What the function logged.
  public var log: [Line]

  /// One output.
  public struct Output: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its unit, when it has one.
    public var unit: String?
    /// Its value.
    public var value: FunctionValue
  }

  /// One line of the log.
  public struct Line: Sendable, Codable, Hashable {
    /// `error`, `warning`, `info` or `debug`.
    public var level: String
    /// The words.
    public var message: String
  }

  private enum Key: String, CodingKey {
    case driver, function, outputs, log
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// An object whose `outputs` are members by their names; bytes are hex digits.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(driver, forKey: .driver)
    try object.encode(function, forKey: .function)
    try object.encode(log, forKey: .log)
    var values = object.nestedContainer(keyedBy: Name.self, forKey: .outputs)
    for output in outputs {
      let key = Name(stringValue: output.name)
      switch output.value {
      case .i32(let number): try values.encode(number, forKey: key)
      case .u32(let number): try values.encode(number, forKey: key)
      case .i64(let number): try values.encode(number, forKey: key)
      case .u64(let number): try values.encode(number, forKey: key)
      case .f64(let number): try values.encode(number, forKey: key)
      case .text, .bytes: try values.encode(output.value.text, forKey: key)
      }
    }
  }
}
