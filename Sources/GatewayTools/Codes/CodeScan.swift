import GatewayAPI
package import GatewayEngine
import DriverContract
import MeterDrivers
import MeterOCR

/// Looks for the one code that a camera or pictures show.
package struct CodeScan: Sendable {
  /// What is looked at.
  package enum Source: Sendable, Hashable {
    /// A camera, until it has shown the same code twice; nil is the first one that may be used.
    case camera(String?)
    /// Photographs of one code.
    case pictures([String])
  }

  private let gateway: Gateway

  /// Scans with this gateway's decoder of pictures.
  package init(_ gateway: Gateway) { self.gateway = gateway }

  /// The code.
  ///
  /// - Parameter patience: How long a camera may show none.
  /// - Throws: ``GatewayError`` with code `code_no_library`, `no_code`, `several_codes`, `code_too_much`, or that of a decoder that does not
  ///   start; `FrameSourceError` of the camera or the pictures.
  package func code(from source: Source, patience: Duration = .seconds(60)) async throws -> ScannedCode {
    let decoder: ImageCodec
    do throws(DriverFault) { decoder = try await gateway.drivers.imageCodec(in: gateway.registry) } catch {
      throw GatewayError(display: error)
    }
    let frames: any FrameSource =
      switch source {
      case .camera(let device): CameraSource(device: device, decoder: decoder)
      case .pictures(let files): ImageFileSource(files: files, decoder: decoder)
      }
    let found = await Self.outcome { try await Self.look(at: frames, patience: patience) }
    await frames.close()
    await decoder.close()
    return try found.get()
  }

  private static func outcome(_ body: () async throws -> ScannedCode) async -> Result<ScannedCode, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }

  private static func look(at frames: any FrameSource, patience: Duration) async throws -> ScannedCode {
    var search = CodeSearch(patience: patience)
    while let frame = try await frames.nextFrame() {
      try Task.checkCancellation()
      let codes = try CodeReader.codes(in: frame.image)
      if let code = try search.take(codes, moment: frame.moment, isStill: frame.isStill) { return code }
    }
    if Task.isCancelled { throw CancellationError() }
    throw CodeSearch.nothing
  }
}
