import GatewayEngine
import HTTPServing
import HTTPTypes
import Hummingbird
import NIOCore

/// A posted body on its way to the spool: nothing of it is held in memory but the piece that comes.
struct IngestBody: Sendable {
  /// The most bytes of a body, as it comes and inflated.
  static let limit = 64 << 20

  /// What a body may call itself; the content decides what it is.
  private static let types: Set<String> = [
    "application/json", "text/json", "application/zip", "application/x-zip-compressed", "application/xml", "text/xml",
    "application/vnd.sqlite3", "application/x-sqlite3", "application/octet-stream",
  ]

  /// Whether it comes in gzip.
  private let isGzip: Bool
  private let limit: Int

  /// - Throws: ``IngestRefusal`` 415 for what calls itself something else, or comes in another coding.
  init(_ headers: HTTPFields, limit: Int = IngestBody.limit) throws(IngestRefusal) {
    self.limit = limit
    let type = headers[.contentType]?.split(separator: ";").first.map(Self.word)
    guard type.map({ Self.types.contains($0) }) ?? true else {
      throw IngestRefusal(
        .unsupportedMediaType, "media_type", "the content type has to be application/json, or that of an export's file")
    }
    switch headers[.contentEncoding].map({ Self.word($0[...]) }) {
    case nil, "identity"?: isGzip = false
    case "gzip"?, "x-gzip"?: isGzip = true
    default: throw IngestRefusal(.unsupportedMediaType, "content_coding", "no other coding than gzip is understood")
    }
  }

  /// Writes it.
  ///
  /// - Throws: ``IngestRefusal`` 413 for one that is too long, 400 for one that is no gzip or ends in the middle of it; `SpoolError`; what
  ///   reading a request throws.
  func write(_ request: Request, _ context: ConnectionContext, to writer: SpoolWriter) async throws {
    let gzip = try isGzip ? GzipStream() : nil
    var isTooLong = false
    let keep = { (bytes: UnsafeRawBufferPointer) throws -> Bool in
      guard writer.written + bytes.count <= limit else {
        isTooLong = true
        return false
      }
      try writer.append(bytes)
      return true
    }
    let isWithin: Bool
    do {
      isWithin = try await request.stream(limit: limit, context: context) { piece in
        try piece.withUnsafeReadableBytes { bytes in
          guard let gzip else { return try keep(bytes) }
          return try gzip.inflate(bytes, keep)
        }
      }
    } catch GzipStream.Failure.damaged {
      throw Self.damaged
    }
    guard isWithin, !isTooLong else { throw IngestRefusal.tooLarge }
    guard gzip?.isWhole ?? true else { throw Self.damaged }
    guard writer.written > 0 else { throw IngestRefusal(.badRequest, "empty", "the body is empty") }
  }

  private static let damaged = IngestRefusal(
    .badRequest, "bad_gzip", "the body is no gzip, is damaged, or ends in the middle")

  private static func word(_ text: Substring) -> String {
    text.lowercased().split(separator: " ").joined(separator: " ")
  }
}
