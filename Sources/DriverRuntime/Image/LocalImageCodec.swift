import HostPrimitives
public import DriverContract
import CMeterDriver

/// Decodes and encodes pictures with a driver in this process. Not thread-safe.
public final class LocalImageCodec {
  private let tables: any ExtensionTables
  private let driver: String
  private let table: Functions
  private let call = CallContext(peer: nil, storage: [:], assets: AssetTable([:]))

  /// The table's functions, all there.
  private struct Functions {
    let measure: @convention(c) (mh_bytes, UnsafeMutablePointer<mh_image>?) -> Int32
    let decode:
      @convention(c) (
        mh_bytes, UnsafeMutablePointer<mh_image>?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt64>?
      ) -> Int32
    let encode:
      @convention(c) (
        UnsafePointer<mh_image>?, mh_bytes, UInt32, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt64>?
      ) -> Int32
  }

  /// - Throws: `DriverFault` `unknownDriver` when the driver has no such table.
  public convenience init(library: DriverLibrary, driver: String) throws(DriverFault) {
    try self.init(tables: library, driver: driver)
  }

  init(tables: any ExtensionTables, driver: String) throws(DriverFault) {
    let table = try tables.table(driver, .image, empty: mh_image_codec())
    guard let measure = table.measure, let decode = table.decode, let encode = table.encode else {
      throw DriverFault(
        .brokeRule, driver: driver, rule: "R17",
        message: "its table lacks a function; the driver must be repaired by its author")
    }
    self.tables = tables
    self.driver = driver
    self.table = Functions(measure: measure, decode: decode, encode: encode)
  }

  private func inTurn(_ body: () -> Int32) -> Int32 { tables.inTurn { call.inCall(body) } }

  /// What the file's head says.
  public func measure(_ file: [UInt8]) throws(ImageCodecError) -> ImageSize {
    try ImageCheck.checkFile(file.count)
    let raw: RawPicture
    do throws(DriverFault) { raw = try rawSize(file) } catch { throw error.asCodecError }
    return try ImageCheck(driver: driver).size(raw)
  }

  /// Decodes a file.
  ///
  /// - Parameter atLeast: The least width and height that are enough; nil: all of it.
  public func decode(
    _ file: [UInt8], format: DecodedImage.Format, atLeast: (width: Int, height: Int)? = nil
  ) throws(ImageCodecError) -> DecodedImage {
    try ImageCheck.checkFile(file.count)
    let request = ImageRequest(format, atLeast: atLeast)
    let decoded: (RawPicture, [UInt8])
    do throws(DriverFault) { decoded = try rawPicture(file, request) } catch { throw error.asCodecError }
    let size = try ImageCheck(driver: driver).decoded(decoded.0, count: decoded.1.count, for: request)
    return DecodedImage(size, pixels: decoded.1)
  }

  /// Encodes a picture as JPEG of a quality from 1 to 100.
  public func encodeJPEG(_ image: DecodedImage, quality: Int) throws(ImageCodecError) -> [UInt8] {
    if let problem = image.problem { throw .invalid(problem) }
    let raw: (RawPicture, [UInt8])
    do throws(DriverFault) { raw = try rawFile(image, quality: UInt32(clamping: max(1, min(100, quality)))) } catch {
      throw error.asCodecError
    }
    return try ImageCheck(driver: driver).encoded(raw.0, raw.1)
  }

  // MARK: - Unchecked: a worker's part

  func rawSize(_ file: [UInt8]) throws(DriverFault) -> RawPicture {
    let room = Guarded(Self.empty)
    let status = file.withUnsafeBufferPointer { bytes in
      inTurn { table.measure(mh_bytes(p: bytes.baseAddress, n: UInt64(bytes.count)), room.value) }
    }
    return try picture(status, room)
  }

  /// What came of decoding, and the pixels, which are at most as many as the file's head announced.
  func rawPicture(_ file: [UInt8], _ request: ImageRequest) throws(DriverFault) -> (RawPicture, [UInt8]) {
    let head = try rawSize(file)
    let size: ImageSize
    do throws(ImageCodecError) { size = try ImageCheck(driver: driver).size(head) } catch {
      if case .fault(let fault) = error { throw fault }
      return (head, [])
    }
    let count = size.width * size.height * request.format.bytesPerPixel
    let room = Guarded(Self.empty)
    room.value.pointee.format = request.format.rawValue
    room.value.pointee.width = request.width
    room.value.pointee.height = request.height
    var length = UInt64(count)
    var pixels = [UInt8](repeating: 0, count: count)
    let status = file.withUnsafeBufferPointer { bytes in
      pixels.withUnsafeMutableBufferPointer { target in
        inTurn {
          table.decode(
            mh_bytes(p: bytes.baseAddress, n: UInt64(bytes.count)), room.value, target.baseAddress, &length)
        }
      }
    }
    guard length <= UInt64(count) else { throw lied("decode says that it wrote more than its room holds") }
    pixels.removeLast(count - (status == MH_OK ? Int(length) : 0))
    return (try picture(status, room), pixels)
  }

  /// What came of encoding, and the file.
  func rawFile(_ image: DecodedImage, quality: UInt32) throws(DriverFault) -> (RawPicture, [UInt8]) {
    var given = Self.empty
    (given.width, given.height) = (UInt32(image.width), UInt32(image.height))
    (given.format, given.orientation) = (image.format.rawValue, UInt32(image.orientation))
    let count = min(Int(MH_IMAGE_FILE_MAX), 2 * image.pixels.count + 64 << 10)
    var length = UInt64(count)
    var file = [UInt8](repeating: 0, count: count)
    let status = image.pixels.withUnsafeBufferPointer { pixels in
      file.withUnsafeMutableBufferPointer { target in
        inTurn {
          table.encode(
            &given, mh_bytes(p: pixels.baseAddress, n: UInt64(pixels.count)), quality, target.baseAddress, &length)
        }
      }
    }
    guard status != MH_OK || length <= UInt64(count) else {
      throw lied("encode says that it wrote more than its room holds")
    }
    file.removeLast(count - (status == MH_OK ? Int(length) : 0))
    return (RawPicture(status: status, words: words()), file)
  }

  private static var empty: mh_image {
    mh_image(
      struct_size: UInt32(MemoryLayout<mh_image>.size), width: 0, height: 0, format: 0, orientation: 1, reserved: 0)
  }

  private func picture(_ status: Int32, _ room: Guarded<mh_image>) throws(DriverFault) -> RawPicture {
    guard room.isIntact else { throw lied("it wrote behind the end of its struct") }
    let image = room.value.pointee
    guard status == MH_OK else { return RawPicture(status: status, words: words()) }
    return RawPicture(
      status: status, width: image.width, height: image.height, format: image.format, orientation: image.orientation,
      words: words())
  }

  private func words() -> String {
    call.log.take().map(\.message).joined(separator: "; ").oneLine(atMost: 256)
  }

  private func lied(_ what: String) -> DriverFault {
    DriverFault(
      .brokeRule, driver: driver, rule: "R17", message: "\(what); the driver must be repaired by its author")
  }
}

extension DriverFault {
  /// The fault where a picture's own errors are thrown, too.
  package var asCodecError: ImageCodecError { .fault(self) }
}

extension ImageRequest {
  init(_ format: DecodedImage.Format, atLeast: (width: Int, height: Int)?) {
    self.init(
      format: format, width: UInt32(clamping: max(0, atLeast?.width ?? 0)),
      height: UInt32(clamping: max(0, atLeast?.height ?? 0)))
  }
}

extension DecodedImage {
  init(_ size: ImageSize, pixels: [UInt8]) {
    self.init(
      width: size.width, height: size.height, format: size.format, orientation: size.orientation, pixels: pixels)
  }
}
