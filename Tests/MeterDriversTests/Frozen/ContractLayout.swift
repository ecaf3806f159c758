import Foundation

/// Structs, constants and codes of a version: the ABI section of registry.json as scripts/generate writes it with the
/// dictionary, and layout.json of a frozen version.
struct ContractLayout: Decodable {
  struct Field: Decodable, Equatable {
    var name: String
    var type: String
    var offset: Int
  }
  struct Struct: Decodable {
    var name: String
    var size: Int
    var align: Int
    var fields: [Field]

    /// Begins with its size, so it may grow at its end (rule R3).
    var grows: Bool { fields.first?.name == "struct_size" }
  }
  struct Function: Decodable, Equatable {
    var name: String
    var signature: String
  }

  var major: Int
  var minor: Int
  var layoutHash: String
  var structs: [Struct]
  var constants: [String: Int64]
  var functions: [Function]
  /// Set after decoding in `today`: registry.json has it beside the ABI section, and with more in it.
  var dictionary: FrozenCodes?

  enum CodingKeys: String, CodingKey {
    case major, minor, structs, constants, functions, dictionary
    case layoutHash = "layout_hash"
  }

  /// Elements of arrays: a bundle walks them with the size it was compiled with, so they never change.
  static let arrayElements: Set<String> = [
    "mh_value", "mh_record", "mh_text", "mh_slice", "mh_service", "mh_characteristic", "mh_param", "mh_str", "mh_bytes",
    "mh_uuid", "mh_extension_function",
  ]

  /// The contract of the headers of this tree.
  static func today() throws -> ContractLayout {
    struct File: Decodable {
      let abi: ContractLayout
      let dictionary: FrozenCodes
    }
    let file = try JSONDecoder().decode(
      File.self, from: Data(contentsOf: URL(filePath: RegistryFixture.repositoryFile)))
    var layout = file.abi
    layout.dictionary = file.dictionary
    return layout
  }

  /// What of a frozen version is not as it was; empty when everything that was is as it was (rules R2 to R4).
  func violations(of frozen: ContractLayout) -> [String] {
    var found: [String] = []
    for old in frozen.structs {
      guard let new = structs.first(where: { $0.name == old.name }) else {
        found.append("\(old.name) is gone")
        continue
      }
      if Array(new.fields.prefix(old.fields.count)) != old.fields { found.append("\(old.name) begins otherwise") }
      if new.align != old.align { found.append("\(old.name) is aligned otherwise") }
      let added = new.fields.dropFirst(old.fields.count)
      if old.grows {
        if new.size < old.size || added.contains(where: { $0.offset < old.size }) {
          found.append("\(old.name) has not grown at its end")
        }
      } else if new.size != old.size || !added.isEmpty {
        found.append("\(old.name) has changed, and may not even grow")
      }
    }
    for (name, value) in frozen.constants where name != "MH_ABI_MINOR" {
      if constants[name] != value { found.append("\(name) is no longer \(value)") }
    }
    for function in frozen.functions where !functions.contains(function) { found.append("\(function.name) is another") }
    if let old = frozen.dictionary { found += dictionary?.violations(of: old) ?? ["the dictionary is gone"] }
    return found.sorted()
  }
}
