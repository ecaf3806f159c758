import HTTPServing
import HTTPTypes
import Hummingbird
import StrictJSON

extension Request {
  /// Reads the body as JSON.
  ///
  /// - Throws: `Refusal`: 415 for another content type or an encoding, 413 for a body over the limit, 400 for text that
  ///   is not JSON or nested too deep.
  func json(limit: Int, context: ConnectionContext) async throws -> JSONValue {
    guard mediaType == "application/json" else {
      throw Refusal(.unsupportedMediaType, "The body must have the content type application/json")
    }
    guard isUncompressed else {
      throw Refusal(.unsupportedMediaType, "The body must not be compressed")
    }
    let bytes = try await bytes(limit: limit, context: context)
    do {
      return try JSONValue.parse(bytes)
    } catch {
      throw Refusal(.badRequest, "The body is not valid JSON: \(error.problem) (byte \(error.offset))")
    }
  }

  /// The content type without its parameters, in lower case.
  var mediaType: Substring? {
    headers[.contentType]?.split(separator: ";").first?
      .trimmingPrefix { $0 == " " }.lowercased().split(separator: " ").first
  }

  var isUncompressed: Bool {
    headers[.contentEncoding].map { $0.lowercased() == "identity" } ?? true
  }

  /// Collects the body.
  ///
  /// - Throws: `Refusal` 413 for a body over the limit.
  func bytes(limit: Int, context: ConnectionContext) async throws -> [UInt8] {
    var request = self
    guard let bytes = try await request.collect(limit: limit, context: context) else {
      throw Refusal(.contentTooLarge, "The body is longer than the \(limit) bytes that this receiver takes")
    }
    return bytes
  }
}
