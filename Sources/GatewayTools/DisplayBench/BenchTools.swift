import GatewayEngine
import GatewayAPI
import DriverContract
import MeterDrivers
import MeterOCR

/// The readers and the decoder of a run. What breaks with one picture is opened again for the next one.
actor BenchTools {
  private let gateway: Gateway
  private var codec: ImageCodec?
  private var readers: [UInt32: DisplayReader] = [:]

  init(_ gateway: Gateway) { self.gateway = gateway }

  /// A picture.
  ///
  /// - Throws: `BenchProblem`; ``GatewayError`` when there is no decoder.
  func frame(_ path: String) async throws -> CapturedFrame {
    let codec = try await openCodec()
    do {
      guard let frame = try await ImageFileSource(files: [path], decoder: codec).nextFrame() else {
        throw BenchProblem("\(path) has no picture")
      }
      return frame
    } catch let error as FrameSourceError {
      if !error.concernsOneImage {
        // The picture has taken the decoder along, or it may have.
        await codec.close()
        self.codec = nil
      }
      throw BenchProblem(error.description)
    }
  }

  private func openCodec() async throws(GatewayError) -> ImageCodec {
    if let codec { return codec }
    do {
      let opened = try await gateway.drivers.imageCodec(in: gateway.registry)
      codec = opened
      return opened
    } catch { throw GatewayError(display: error) }
  }

  /// The reader of a meter, and its rows.
  func reader(_ id: UInt32) async throws -> (DisplayReader, DisplayLayout) {
    let reader = try await open(try gateway.display(id))
    do { return (reader, try await reader.layout(meter: id)) } catch { throw GatewayError(display: error) }
  }

  /// Any reader: all of them read rows of digits whose boxes are given.
  func genericReader(_ id: UInt32?) async throws -> DisplayReader {
    if let id { return try await open(try gateway.display(id)) }
    let found = gateway.registry.peripherals.first { $0.kind == .ocr && !$0.isDisabled && $0.driverID != nil }
    guard let found else {
      throw GatewayError(
        .unavailable, code: "driver_unavailable", "no driver of the registry reads displays",
        hint: "`meterhost doctor` says which registry is used")
    }
    return try await open(found)
  }

  private func open(_ peripheral: Peripheral) async throws(GatewayError) -> DisplayReader {
    if let reader = readers[peripheral.id] { return reader }
    do {
      let opened = try await gateway.drivers.displayReader(for: peripheral, in: gateway.registry)
      readers[peripheral.id] = opened
      return opened
    } catch { throw GatewayError(display: error) }
  }

  /// Asks a reader.
  ///
  /// - Throws: `BenchProblem` when it breaks or refuses, so that the next picture is still read.
  func asking<Value: Sendable>(
    _ reader: DisplayReader, _ body: @Sendable (DisplayReader) async throws -> Value
  ) async throws -> Value {
    do { return try await body(reader) } catch let fault as DriverFault {
      if Task.isCancelled { throw CancellationError() }
      if fault.code != .refused {
        await reader.close()
        readers = readers.filter { $0.value !== reader }
      }
      throw BenchProblem("\(fault)")
    }
  }

  func close() async {
    await codec?.close()
    for reader in readers.values { await reader.close() }
    (codec, readers) = (nil, [:])
  }
}
