public import DriverContract
import DriverRuntime

/// Decodes pictures' files and encodes pictures, in a worker of its own or in this process as configured: a file from
/// anywhere meets no decoder in this process.
///
/// A damaged file is an error of its own, after which the codec goes on. A worker that dies, hangs or talks nonsense is a
/// `fault`, and this codec is over: open another.
public actor ImageCodec {
  private enum Engine {
    case worker(ExtensionWorker)
    case local(LocalImageCodec)
    case closed
  }

  private let executor = BlockingExecutor(label: "meterhost.images")
  private let driver: String
  private var engine = Engine.closed

  /// A thread of its own: a worker is asked and waited for.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The worker's process, while there is one.
  var process: WorkerProcess? { if case .worker(let worker) = engine { worker.connection.process } else { nil } }

  private init(_ driver: String) { self.driver = driver }

  /// Loads a driver that decodes pictures.
  ///
  /// - Parameters:
  ///   - host: Where drivers run.
  ///   - bundle: Its verified bundle.
  ///   - entry: Its entry; what the bundle says of itself must agree with it.
  public static func open(
    host: DriverHost, bundle: VerifiedBundle, entry: DriverEntry
  ) async throws(DriverFault) -> ImageCodec {
    let codec = ImageCodec(entry.id)
    try await codec.load(host, bundle, entry)
    return codec
  }

  private func load(_ host: DriverHost, _ bundle: VerifiedBundle, _ entry: DriverEntry) throws(DriverFault) {
    try entry.expect(.image)
    guard host.configuration.isolation == .worker else {
      let library = try DriverHost.library(bundle)
      try entry.expectAgreement(with: library.drivers)
      engine = .local(try LocalImageCodec(library: library, driver: entry.id))
      return
    }
    let worker = try ExtensionWorker(host, bundle, entry, ImageClient.kind, opening: ExtensionPayload())
    engine = .worker(worker)
  }

  /// What the head of a file says.
  public func measure(_ file: [UInt8]) async throws(ImageCodecError) -> ImageSize {
    try checkFile(file)
    return try await ask(
      { client, limit throws(WorkerFailure) in try client.measure(file, within: limit) },
      { codec throws(ImageCodecError) in try codec.measure(file) })
  }

  /// Decodes a file.
  ///
  /// - Parameters:
  ///   - file: JPEG or PNG, 32 MiB and 50 million pixels at most.
  ///   - format: What is wanted.
  ///   - atLeast: The least width and height that are enough; nil: all of it.
  public func decode(
    _ file: [UInt8], format: DecodedImage.Format, atLeast: (width: Int, height: Int)? = nil
  ) async throws(ImageCodecError) -> DecodedImage {
    try checkFile(file)
    return try await ask(
      isStopped: true,
      { client, limit throws(WorkerFailure) in
        try client.decode(file, format: format, atLeast: atLeast, within: limit)
      }, { codec throws(ImageCodecError) in try codec.decode(file, format: format, atLeast: atLeast) })
  }

  /// Encodes a picture as JPEG of a quality from 1 to 100.
  public func encodeJPEG(_ image: DecodedImage, quality: Int) async throws(ImageCodecError) -> [UInt8] {
    if let problem = image.problem { throw .invalid(problem) }
    return try await ask(
      { client, limit throws(WorkerFailure) in try client.encode(image, quality: quality, within: limit) },
      { codec throws(ImageCodecError) in try codec.encodeJPEG(image, quality: quality) })
  }

  /// Ends the worker. Harmless when it has ended already.
  public func close() {
    if case .worker(let worker) = engine { worker.close() }
    engine = .closed
  }

  private func checkFile(_ file: [UInt8]) throws(ImageCodecError) {
    guard file.count <= DecodedImage.mostFile else {
      throw .tooLarge("the file has \(file.count) bytes; at most \(DecodedImage.mostFile) are read")
    }
  }

  /// - Parameter isStopped: Whether a caller that gives up ends the worker. What is soon over goes on: others use the worker.
  private func ask<Success: Sendable>(
    isStopped: Bool = false,
    _ remote: @Sendable (ImageClient, Duration) throws(WorkerFailure) -> Result<Success, ImageCodecError>,
    _ local: (LocalImageCodec) throws(ImageCodecError) -> Success
  ) async throws(ImageCodecError) -> Success {
    switch engine {
    case .closed: throw .fault(ExtensionWorker.closed(driver))
    case .local(let codec):
      guard !Task.isCancelled else { throw .fault(ExtensionWorker.cancelled(driver)) }
      return try local(codec)
    case .worker(let worker):
      let process = worker.connection.process
      try expectUnstopped(process)
      guard !Task.isCancelled else { throw .fault(ExtensionWorker.cancelled(driver)) }
      let result = await withTaskCancellationHandler {
        exchange(worker, remote)
      } onCancel: {
        if isStopped { process.kill() }
      }
      switch result {
      case .success(let outcome): return try outcome.get()
      case .failure(let fault):
        close()
        let gaveUp = isStopped && Task.isCancelled
        throw .fault(gaveUp ? ExtensionWorker.cancelled(driver) : fault.ofExtension)
      }
    }
  }

  /// A caller may have given up when its answer was there already: the worker is gone then, and nobody has failed.
  private func expectUnstopped(_ process: WorkerProcess) throws(ImageCodecError) {
    guard process.wasStopped else { return }
    close()
    throw .fault(ExtensionWorker.cancelled(driver))
  }

  private func exchange<Success>(
    _ worker: ExtensionWorker,
    _ remote: (ImageClient, Duration) throws(WorkerFailure) -> Result<Success, ImageCodecError>
  ) -> Result<Result<Success, ImageCodecError>, DriverFault> {
    do throws(DriverFault) {
      return .success(
        try worker.connection.exchange { client throws(WorkerFailure) in
          try remote(ImageClient(client), worker.limit)
        })
    } catch { return .failure(error) }
  }
}
