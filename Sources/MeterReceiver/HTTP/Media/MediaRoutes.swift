import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging

/// Images of records: MeterHost's extension, because the call that Inform's own clients use is not public.
struct MediaRoutes: Sendable {
  let configuration: ReceiverConfiguration
  let store: any ReceiverStorage
  let faults: ReceiverFaults
  let logger: Logger

  private var authentication: Authentication { Authentication(store: store) }

  func add(to router: Router<ConnectionContext>) {
    router.group("connect/provider/records/:record/media")
      .add(middleware: FaultMiddleware(faults: faults, endpoint: .media))
      .post(use: upload)
    router.group("organizations/:organization/users/:uid/media")
      .add(middleware: FaultMiddleware(faults: faults, endpoint: .reads))
      .get(":media", use: download)
  }

  /// Stores an image once for each record and checksum: what is sent again is there already.
  @Sendable private func upload(request: Request, context: ConnectionContext) async throws -> Response {
    let account = try await authentication.user(request)
    let bytes = try await request.bytes(limit: configuration.mediaLimit, context: context)
    guard !bytes.isEmpty else { throw Refusal(.badRequest, "The body is empty; it must be the image") }
    guard let type = MediaType(bytes) else {
      throw Refusal(.unsupportedMediaType, "The body is neither a JPEG nor a PNG image")
    }
    guard request.mediaType == Substring(type.rawValue) else {
      throw Refusal(.unsupportedMediaType, "The body is \(type.rawValue), and the content type does not say so")
    }
    guard request.isUncompressed else { throw Refusal(.unsupportedMediaType, "The body must not be compressed") }
    let record = context.parameters.get("record")?.removingPercentEncoding ?? ""
    let outcome = try await store.addMedia(
      bytes, type: type, toRecord: record, of: account, limit: configuration.mediaPerRecord)
    switch outcome {
    case .created(let media): return answer(.created, "created", media, record, account)
    case .unchanged(let media): return answer(.ok, "unchanged", media, record, account)
    case .noRecord: throw Refusal(.notFound, "There is no such record; an image follows its record")
    case .tooMany:
      throw Refusal(
        .unprocessableContent, "The record has \(configuration.mediaPerRecord) images already, which is all it may")
    }
  }

  private func answer(
    _ status: HTTPResponse.Status, _ outcome: String, _ media: StoredMedia, _ record: String,
    _ account: ReceiverAccount
  ) -> Response {
    logger.info("image", metadata: ["outcome": "\(outcome)"])
    var data = media.json(of: account, at: configuration.publicAddress)
    data["record_id"] = .string(record)
    data["outcome"] = .string(outcome)
    return Response(status: status, json: ["data": .object(data)])
  }

  @Sendable private func download(request: Request, context: ConnectionContext) async throws -> Response {
    let account = try await authentication.account(request, context: context)
    let id = context.parameters.get("media")?.removingPercentEncoding ?? ""
    guard let (type, bytes) = try await store.mediaContent(id: id, of: account) else {
      throw Refusal(.notFound, "There is no such image")
    }
    var headers: HTTPFields = [.contentType: type.rawValue, .cacheControl: "private, no-store"]
    // A browser must not make anything else of bytes that a client chose.
    headers[.xContentTypeOptions] = "nosniff"
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}

extension StoredMedia {
  /// The image as the receiver tells of it, with the address where the organisation reads it.
  func json(of account: ReceiverAccount, at address: String) -> JSONObject {
    [
      "id": .string(id),
      "url": .string("\(address)/organizations/\(account.organization)/users/\(account.uid)/media/\(id)"),
      "content_type": .string(contentType), "size": .integer(size), "checksum": .string(checksum),
      "created_at": .string(createdAt),
    ]
  }
}
