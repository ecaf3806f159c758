public import MeterCore
public import CurlHTTP

/// Calls to a receiver apart from the queue: what they do is done when they return, and nothing is repeated or kept.
///
/// Both wire formats have the same calls. Where Inform's public description has none, they are MeterHost's own (extension);
/// a receiver without them answers 404 or 405 in JSON, which is ``APIError/Code/missingRecord`` or ``APIError/Code/refused``.
public struct ReceiverClient: Sendable {
  let calls: WireCalls
  let user: SessionUser
  let token: AccessToken
  let transport: any HTTPTransport
  let concurrency: Int

  /// A client for one user at one receiver.
  ///
  /// - Parameters:
  ///   - endpoint: Where the receiver listens.
  ///   - format: The wire format.
  ///   - user: Whose records they are.
  ///   - token: The receiver's token for that user.
  ///   - transport: The way to it.
  ///   - concurrency: Requests at a time, of calls with several records.
  public init(
    endpoint: ReceiverEndpoint, format: WireFormat, user: SessionUser, token: AccessToken,
    transport: any HTTPTransport, concurrency: Int = 4
  ) {
    calls = WireCalls(endpoint: endpoint, format: format)
    self.user = user
    self.token = token
    self.transport = transport
    self.concurrency = max(1, concurrency)
  }

  // MARK: Calls

  /// Stores a new record. One that is there already with the same content is stored once.
  ///
  /// - Throws: ``APIError``: `conflict` or `mismatchedRecordTypes` when its name is another content's, `invalidRecords` when
  ///   it is refused, `invalidRecordType` when the format has none of its type, and those of the transport.
  public func create(_ record: Record) async throws(APIError) -> StoredReference {
    let answer = try await send(try request(for: record, .create)) {
      calls.mixUp($0, with: record, isRefusal: $1)
    }
    return reference(to: record, in: answer)
  }

  /// Stores new records, of any types.
  ///
  /// - Returns: Where each is stored, in their order.
  /// - Throws: ``APIError``: `missingRecord` without any; `invalidRecords` lists those that are refused while all others are
  ///   stored; another code when none was refused and some could not be sent.
  public func create(_ records: [Record]) async throws(APIError) -> [StoredReference] {
    guard !records.isEmpty else {
      throw APIError(.missingRecord, "no record was given", cure: "give one at least")
    }
    return try ManyOutcomes(await outcomes(of: records)).references()
  }

  /// Replaces the content of a record that the receiver has.
  ///
  /// - Parameter recordID: The receiver's own id of the record.
  /// - Throws: ``APIError``: `missingRecordID` without an id, `missingRecord` when the receiver has no record of this id and
  ///   type, `invalidRecords` when the content is refused or has another name than the stored one.
  public func update(_ record: Record, recordID: String?) async throws(APIError) -> StoredReference {
    let id = try Self.checked(recordID, for: "update")
    let answer = try await send(try request(for: record, .replace(recordID: id))) {
      calls.mixUp($0, with: record, isRefusal: $1)
    }
    return reference(to: record, in: answer)
  }

  /// Stores a record under its name, or replaces the content that is there under it.
  ///
  /// - Parameter hasName: Whether the record's name is its own: with one that was made up for this call, nothing could be
  ///   found again.
  /// - Throws: ``APIError``: `missingActivityID` without a name of its own; `mismatchedRecordTypes` when the name is that of a
  ///   record of another type; `conflict` when the receiver does not say what replaces the content that is there.
  public func upsert(_ record: Record, hasName: Bool = true) async throws(APIError) -> StoredReference {
    guard hasName else {
      throw APIError(
        .missingActivityID, "the record has no name of its own",
        cure: "give it a log_id: that is by what a later upsert finds it")
    }
    var next = record
    // Others may write at the same time; whoever is overtaken that often is told.
    for _ in 0..<8 {
      do {
        let stored = try await create(next)
        guard let revision = stored.revision, revision > next.revision else { return stored }
        // What is there is newer: the same content under its revision is no change, another one is a conflict.
        next.revision = revision
      } catch {
        guard error.code == .conflict, let revision = error.storedRevision, revision >= next.revision else {
          throw error
        }
        next.revision = revision + 1
      }
    }
    throw APIError(
      .conflict, "the record is being changed by others all the time", cure: "stop the other writers and try again")
  }

  /// Deletes a record that the receiver has, with its images.
  ///
  /// - Throws: ``APIError``: `missingRecordID` without an id, `missingRecord` when the receiver has no record of this id and
  ///   type, `invalidRecordType` when the format has none of the type.
  public func delete(_ type: RecordType, recordID: String?) async throws(APIError) {
    let id = try Self.checked(recordID, for: "delete")
    guard calls.format == .informV2 || LegacyV1Encoder.types.contains(type) else { throw Self.noSuchType(type) }
    _ = try await send(calls.delete(type, recordID: id, of: user, token: token))
  }

  /// Stores an image of a record that the receiver has.
  ///
  /// - Throws: ``APIError``: `missingRecordID` without an id, `missingRecord` when the receiver has no such record.
  public func upload(_ image: RecordImage, toRecord recordID: String?) async throws(APIError) -> StoredImage {
    let id = try Self.checked(recordID, for: "upload")
    let answer = try await send(calls.store(image, ofRecord: id, token: token)) {
      body, _ in calls.mixUp(body, with: image, ofRecord: id)
    }
    let stored = ReceiverAnswer.image(answer.body, from: calls.endpoint, hiding: token)
    return StoredImage(
      checksum: image.checksum, mediaID: stored.id, url: stored.url, isNew: answer.status == 201)
  }

  private static func checked(_ recordID: String?, for call: String) throws(APIError) -> String {
    guard let recordID, !recordID.isEmpty else {
      throw APIError(
        .missingRecordID, "\(call) needs the receiver's id of the record",
        cure: "give the id that the receiver answered when the record was created")
    }
    return recordID
  }

  // MARK: Exchange

  private func request(for record: Record, _ call: WireCalls.RecordCall) throws(APIError) -> HTTPRequest {
    do {
      return try calls.request(record, call, of: user, token: token)
    } catch {
      guard error.code != .noSuchType else { throw Self.noSuchType(record.type) }
      throw APIError(
        .invalidRecords, "the record cannot be written in \(calls.format.rawValue): \(error.message)",
        cure: "correct the record, or use another format")
    }
  }

  private static func noSuchType(_ type: RecordType) -> APIError {
    APIError(
      .invalidRecordType, "the format has no \(type.rawValue) records",
      cure: "use the format \(WireFormat.informV2.rawValue)")
  }

  /// - Parameter mixUp: What an answer is instead of the one to this request, if it is another.
  private func send(
    _ request: HTTPRequest, mixUp: (_ body: [UInt8], _ isRefusal: Bool) -> MixedAnswer? = { _, _ in nil }
  ) async throws(APIError) -> HTTPResponse {
    let answer: HTTPResponse
    do {
      answer = try await transport.answer(to: request)
    } catch {
      throw APIError(
        .transport, error.message, cure: "bring the receiver into reach and call again", transportError: error)
    }
    if let mixed = mixUp(answer.body, !(200..<300).contains(answer.status)) {
      throw APIError(
        .transport, "\(mixed.words), as of a proxy that mixes answers up",
        cure: "check network and proxy and call again: what was sent may be stored", transportError: mixed.error)
    }
    guard (200..<300).contains(answer.status) else { throw APIError(answer, hiding: token) }
    return answer
  }

  private func reference(to record: Record, in answer: HTTPResponse) -> StoredReference {
    StoredReference(
      logID: record.logID, recordID: calls.recordID(in: answer.body, of: record.type, hiding: token),
      revision: calls.revision(in: answer.body, of: record.type), isNew: answer.status == 201)
  }
}
