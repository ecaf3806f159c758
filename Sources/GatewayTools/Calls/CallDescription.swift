package import MeterDrivers

/// What a call has brought, as `--json` shows it.
package struct CallDescription: Sendable, Encodable, Hashable {
  /// The driver's id.
  package var driver: String
  /// The function's name.
  package var function: String
  /// The outputs in their order.
  package var outputs: [Output]
  /// What the function logged.
  package var log: [Line]

  package struct Output: Sendable, Hashable {
    package var name: String
    /// Its unit, when it has one.
    package var unit: String?
    package var value: FunctionValue
  }

  /// One line of the log.
  package struct Line: Sendable, Codable, Hashable {
    /// `error`, `warning`, `info` or `debug`.
    package var level: String
    /// The words.
    package var message: String
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
  package func encode(to encoder: any Encoder) throws {
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
