import GatewayAPI
import HostPrimitives

/// A form with a file, as it comes: first the token that shows that it is ours, then the file.
struct Upload {
  private var reader: MultipartReader
  private let token: String
  private let folder: String
  private var isOurs = false
  private var file: UploadFile?
  private var hasFile = false
  private var isOver = false

  /// The file when the form is whole.
  var whole: UploadFile? { isOver && hasFile ? file : nil }

  init(_ reader: MultipartReader, token: String, folder: String) {
    (self.reader, self.token, self.folder) = (reader, token, folder)
  }

  /// Takes a piece.
  ///
  /// - Returns: Always true: what follows the end of the form is read over.
  /// - Throws: ``BadForm`` for what is no form of ours; ``GatewayError`` with code `upload`.
  mutating func take(_ piece: some Sequence<UInt8>) throws -> Bool {
    let parts: [MultipartReader.Part]
    do { parts = try reader.take(piece) } catch { throw BadForm() }
    for part in parts {
      switch part {
      case .field(let name, let value):
        guard name == "token", RandomSecret.equal(token, value) else { throw BadForm() }
        isOurs = true
      case .file(_, let name):
        guard isOurs, file == nil else { throw BadForm() }
        file = try UploadFile(in: folder, named: name)
      case .bytes(let bytes): try file?.append(bytes)
      case .fileEnd: hasFile = true
      case .end: isOver = true
      }
    }
    return true
  }
}
