package import CurlHTTP
package import MeterDrivers

/// Fetches files of a source, bounded and without following anybody elsewhere.
package struct UpdateFetcher: Sendable {
  /// What there is.
  package enum Fetched: Sendable, Hashable {
    /// The same as the last time.
    case unchanged
    /// This, under this tag.
    case content([UInt8], tag: String?)
  }

  private let settings: CurlTransport.Settings

  /// - Parameter settings: Limits of a request; how much an answer may have is each file's own.
  package init(settings: CurlTransport.Settings = CurlTransport.Settings()) { self.settings = settings }

  /// Fetches a file.
  ///
  /// - Parameters:
  ///   - limit: Bytes that it may have.
  ///   - timeout: For all of it.
  ///   - tag: The tag of what was fetched before; nil: nothing was.
  /// - Throws: `PackageError` with code `indexUnreachable`.
  package func fetch(
    _ file: String, of source: DriverSource, atMost limit: Int, within timeout: Duration = .seconds(60),
    tag: String? = nil
  ) async throws(PackageError) -> Fetched {
    let address = source.address(of: file)
    switch source.place {
    case .folder: return .content(try UpdateFile.read(address, limit: limit), tag: nil)
    case .web:
      var settings = settings
      settings.responseLimit = limit
      settings.timeout = timeout
      // One that has changed under way is not what is signed.
      var headers: [(name: String, value: String)] = [(name: "Accept-Encoding", value: "identity")]
      if let tag { headers.append((name: "If-None-Match", value: tag)) }
      let response: HTTPResponse
      do throws(TransportError) {
        response = try await CurlTransport(settings: settings)
          .send(HTTPRequest(method: "GET", url: address, headers: headers))
      } catch { throw Self.failure(error, file, address, limit) }
      return try Self.fetched(response, address, asked: tag)
    }
  }

  /// Fetches a package that an index names, and holds it against what the index says before anything of it is read.
  ///
  /// - Throws: `PackageError`: `indexUnreachable`, `packageMismatch`, or that the file is no package.
  package func package(
    _ name: String, version: String, file: String, size: Int, sha256: String, of source: DriverSource
  ) async throws(PackageError) -> PackageContent {
    guard size > 0, size <= PackageContent.sizeLimit, UpdateIndex.Package.isFileName(file) else {
      throw PackageError(.packageMismatch, "\(name) \(version) has no size or name that a package can have")
    }
    let found = try await fetch(file, of: source, atMost: size, within: .seconds(900))
    guard case .content(let bytes, _) = found, bytes.count == size, "\(BundleHash(of: bytes))" == sha256.lowercased()
    else {
      throw PackageError(
        .packageMismatch,
        "\(source.address(of: file)) is not what the index says: its length or its SHA-256 is another",
        cure: "try again later, and tell its publisher if it stays so")
    }
    let content = try PackageContent(bytes, name: source.address(of: file))
    guard content.manifest.id == name, "\(content.manifest.version)" == version else {
      throw PackageError(
        .packageMismatch,
        "\(file) is \(content.manifest.id) \(content.manifest.version), and the index calls it \(name) \(version)",
        cure: "tell its publisher")
    }
    return content
  }

  /// What an answer comes to: a pure function of it.
  static func fetched(
    _ response: HTTPResponse, _ address: String, asked tag: String?
  ) throws(PackageError) -> Fetched {
    switch response.status {
    case 200: return .content(response.body, tag: response.header("ETag").flatMap { isTag($0) ? $0 : nil })
    case 304 where tag != nil: return .unchanged
    case 300...399:
      throw PackageError(
        .indexUnreachable, "\(address) leads elsewhere (\(response.status)), and nobody is followed",
        cure: "name the address itself as a source")
    case 404, 410:
      throw PackageError(
        .indexUnreachable, "there is no \(address)", cure: "check the source's address, or ask its publisher")
    default:
      throw PackageError(
        .indexUnreachable, "\(address) answers with status \(response.status)", cure: "try again later")
    }
  }

  /// A tag goes back into a header as it came: one that is long or has anything but plain characters does not.
  private static func isTag(_ text: String) -> Bool {
    text.utf8.count <= 256 && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
  }

  private static func failure(
    _ error: TransportError, _ file: String, _ address: String, _ limit: Int
  ) -> PackageError {
    guard error.code == .responseTooLarge else {
      return PackageError(
        .indexUnreachable, "\(address) cannot be fetched", cure: "check network and address, and try again",
        cause: error.message)
    }
    let isIndex = [UpdateIndex.name, UpdateIndex.signatureName].contains(file)
    return PackageError(
      isIndex ? .indexDamaged : .packageMismatch, "\(address) has more than the \(limit) bytes that it may have",
      cure: "tell its publisher")
  }
}
