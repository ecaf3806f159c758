import DriverContract
import MeterCore
public import MeterDrivers
public import MeterOCR

/// Where the pictures of a display come from.
public enum Pictures: Sendable {
  /// A camera by its device file; nil: the first one that may be used.
  case camera(String?)
  /// A drawn meter whose rows show these texts, for trying a program out without a meter and a camera.
  case drawn([String])

  /// What a command line says: `/dev/video2`, the texts `120/80/64`, or nothing, which is the first camera.
  public init(_ argument: String?) {
    guard let argument, !argument.hasPrefix("/dev/") else {
      self = .camera(argument)
      return
    }
    self = .drawn(argument.split(separator: "/", omittingEmptySubsequences: false).map(String.init))
  }
}

/// A meter whose display is read: its driver and the decoder of pictures, each in a worker of its own.
public struct DisplayMeter: Sendable {
  /// The meter, with its layout and overlay.
  public let peripheral: OCRPeripheral
  /// Reads frames, and says what texts mean.
  public let reader: DisplayReader
  /// Decodes pictures' files and makes them.
  public let codec: ImageCodec

  let entry: Peripheral
  let driver: DriverEntry
  let pictures: Pictures
  let unit: MetricUnit?
  let store: MeterStore
  /// Whose reading it is stands before it begins: when somebody else has signed in meanwhile, the commit is refused.
  let session: Session

  /// Opens the driver of a meter.
  ///
  /// - Parameter unit: In UCUM; nil is the meter's default.
  public static func open(
    _ id: UInt32, unit: String? = nil, pictures: Pictures, in installation: Installation
  ) async throws -> DisplayMeter {
    let (registry, drivers) = (installation.registry, installation.drivers)
    guard let entry = registry.ocrPeripheral(id: id), !entry.isDisabled,
      let driver = entry.driverID.flatMap({ registry.driver(id: $0) })
    else { throw ExampleError("there is no meter \(id) whose display can be read") }
    if let unit, !entry.units.contains(unit) { throw ExampleError("\(entry.name) does not show \(unit)") }
    let session = try installation.store.currentSession()
    let reader = try await drivers.displayReader(for: entry, in: registry)
    do {
      return DisplayMeter(
        peripheral: try await OCRPeripheral(entry, reader), reader: reader,
        codec: try await drivers.imageCodec(in: registry), entry: entry, driver: driver, pictures: pictures,
        unit: unit.flatMap { MetricUnit.withUCUM($0) }, store: installation.store, session: session)
    } catch {
      await reader.close()
      throw error
    }
  }

  /// A controller for one reading, at rest.
  public func controller() throws -> OCRController {
    guard unit != nil || !peripheral.needsStatedUnit else {
      throw ExampleError("what \(peripheral.name) shows does not tell its unit; say which one it is set to")
    }
    var options = OCROptions(unit: unit?.code)
    options.isClockSynchronized = HostClockTrust.kernel.isSynchronized
    return OCRController(peripheral: peripheral, recogniser: reader, source: try source(), options: options)
  }

  private func source() throws -> any FrameSource {
    let options = FrameOptions(wantsPreview: true)
    switch pictures {
    case .camera(let device): return CameraSource(device: device, decoder: codec, options: options)
    case .drawn(let texts):
      let rows = peripheral.layout.rows.count
      guard texts.count == rows else { throw ExampleError("the display has \(rows) rows, not \(texts.count)") }
      return SyntheticSource(layout: peripheral.layout, texts: texts, isLive: true, options: options)
    }
  }

  /// Ends the workers.
  public func close() async {
    await reader.close()
    await codec.close()
  }
}
