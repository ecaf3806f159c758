package import StrictJSON

/// A value of a TOML document, with the place of its first byte.
package struct TOMLValue: Sendable, Hashable {
  /// What it is.
  package enum Content: Sendable, Hashable {
    case string(String)
    case integer(Int64)
    case float(Double)
    case boolean(Bool)
    case array([TOMLValue])
  }

  package let content: Content
  package let position: TextPosition

  /// What it is, as a message calls it.
  package var kindName: String {
    switch content {
    case .string: "a string"
    case .integer: "an integer"
    case .float: "a float"
    case .boolean: "a boolean"
    case .array: "an array"
    }
  }
}

/// A document: its values in the order in which they are written, each under the path of its tables and its key.
package struct TOMLDocument: Sendable, Hashable {
  /// A key with its value.
  package struct Entry: Sendable, Hashable {
    /// The names of the tables around it, outermost first, and its own.
    package let path: [String]
    /// The place of the key.
    package let position: TextPosition
    package let value: TOMLValue

    /// The path as people write it: `radio.adapters`.
    package var name: String { path.joined(separator: ".") }
  }

  /// The header of a table.
  package struct Table: Sendable, Hashable {
    package let path: [String]
    /// The place of its first name.
    package let position: TextPosition

    /// The path as people write it.
    package var name: String { path.joined(separator: ".") }
  }

  package internal(set) var tables: [Table] = []
  package internal(set) var entries: [Entry] = []

  /// Reads a document.
  ///
  /// - Throws: ``TOMLSyntaxError`` with the place of the first mistake.
  package init(_ bytes: [UInt8], limits: TOMLLimits = TOMLLimits()) throws(TOMLSyntaxError) {
    var parser = TOMLParser(bytes, limits)
    self = try parser.parse()
  }

  init() {}
}

/// How large a document may be.
package struct TOMLLimits: Sendable, Hashable {
  /// In bytes.
  package var size = 256 << 10
  /// How deep arrays lie in arrays.
  package var depth = 8
  /// How many names a table's header has.
  package var tableDepth = 8

  package init() {}
}
