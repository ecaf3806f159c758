import FoundationEssentials
import StrictJSON

extension MeterScript {
  /// The most bytes that a script may have.
  public static let maximumLength = 16 << 20

  /// Reads a script from a file.
  ///
  /// - Throws: ``MeterScriptError`` with file and JSON path of what is wrong.
  public static func load(file: String) throws(MeterScriptError) -> MeterScript {
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: file))
    } catch {
      throw MeterScriptError(
        .unreadable, path: "", message: "cannot be read; does the file exist, and may you read it?", file: file)
    }
    return try decode(data, file: file)
  }

  /// Reads a script from JSON text.
  ///
  /// - Parameter file: what errors call the text's origin.
  /// - Throws: ``MeterScriptError`` with the JSON path of what is wrong.
  public static func parse(json: String, file: String = "") throws(MeterScriptError) -> MeterScript {
    try decode(Data(json.utf8), file: file)
  }

  private static func decode(_ data: Data, file: String) throws(MeterScriptError) -> MeterScript {
    guard data.count <= maximumLength else {
      throw MeterScriptError(
        .unreadable, path: "", message: "has \(data.count) bytes; a script has at most \(maximumLength)", file: file)
    }
    try refuseDoubledKeys(data, file: file)
    do {
      return try JSONDecoder().decode(MeterScript.self, from: data)
    } catch var error as MeterScriptError {
      error.file = file
      throw error
    } catch let error as DecodingError {
      throw MeterScriptError(error, file: file)
    } catch {
      throw MeterScriptError(.notJSON, path: "$", message: "\(error)", file: file)
    }
  }
  /// Of a key that stands twice the decoder takes either, without a word.
  private static func refuseDoubledKeys(_ data: Data, file: String) throws(MeterScriptError) {
    do {
      _ = try JSONDocument([UInt8](data), rules: JSONRules(size: maximumLength, depth: JSONRules.greatestDepth))
    } catch  where error.code == .duplicateKey {
      throw MeterScriptError(.invalidValue, path: "$", message: error.description, file: file)
    } catch {
      throw MeterScriptError(.notJSON, path: "$", message: error.description, file: file)
    }
  }
}
