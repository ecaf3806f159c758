import CMeterDriver
import Foundation
import Glibc

@testable import DriverTestBench

/// The bundle's table, called as a worker calls it. Used on one thread by one test.
final class CodecBench {
  struct Picture: Equatable {
    var width = 0
    var height = 0
    var format = MH_IMAGE_GREY
    var orientation = 1
    var pixels: [UInt8] = []

    /// The channels of a pixel.
    func at(_ x: Int, _ y: Int) -> [UInt8] {
      let channels = Int(format)
      return Array(pixels[((y * width) + x) * channels..<((y * width) + x + 1) * channels])
    }
  }

  private let state = HostState()
  private let host = UnsafeMutablePointer<mh_host>.allocate(capacity: 1)
  private let table: mh_image_codec

  init() throws {
    let path = bundleFolder().appendingPathComponent("libmh-image-codec.so").path
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
      throw TestFailure("cannot load \(path): \(String(cString: dlerror()))")
    }
    guard let symbol = dlsym(library, "mh_driver_entry") else { throw TestFailure("\(path) has no mh_driver_entry") }
    typealias Entry =
      @convention(c) (
        UnsafePointer<mh_host>?, UInt32, UnsafeMutablePointer<UnsafePointer<mh_driver>?>?,
        UnsafeMutablePointer<mh_str>?
      ) -> Int32
    host.initialize(to: makeHost(state))
    var driver: UnsafePointer<mh_driver>?
    var why = mh_str()
    guard unsafeBitCast(symbol, to: Entry.self)(host, 0, &driver, &why) == MH_OK,
      let found = driver?.pointee.extension(MH_EXT_IMAGE_DRAFT)
    else { throw TestFailure("the bundle has no codec") }
    table = found.assumingMemoryBound(to: mh_image_codec.self).pointee
  }

  deinit { host.deallocate() }

  func measure(_ file: [UInt8]) -> (status: Int32, head: Picture) {
    var image = mh_image()
    image.struct_size = UInt32(MemoryLayout<mh_image>.size)
    let status = file.withUnsafeBufferPointer {
      table.measure(mh_bytes(p: $0.baseAddress, n: UInt64($0.count)), &image)
    }
    return (status, picture(image, []))
  }

  /// - Parameters:
  ///   - least: What is enough; 0 is all of it.
  ///   - room: Bytes for pixels; nil is more than enough. Bytes behind it must stay as they are.
  func decode(
    _ file: [UInt8], _ format: UInt32 = MH_IMAGE_GREY, least: (Int, Int) = (0, 0), room: Int? = nil
  ) -> (status: Int32, picture: Picture) {
    var image = mh_image()
    image.struct_size = UInt32(MemoryLayout<mh_image>.size)
    (image.format, image.width, image.height) = (format, UInt32(least.0), UInt32(least.1))
    let head = measure(file)
    let most = room ?? max(head.head.width * head.head.height * 3, 1)
    var pixels = [UInt8](repeating: 0xA5, count: most + 16)
    var length = UInt64(most)
    let status = file.withUnsafeBufferPointer { file in
      pixels.withUnsafeMutableBufferPointer {
        table.decode(mh_bytes(p: file.baseAddress, n: UInt64(file.count)), &image, $0.baseAddress, &length)
      }
    }
    guard pixels.suffix(16).allSatisfy({ $0 == 0xA5 }), length <= UInt64(most) else { return (.min, Picture()) }
    return (status, picture(image, status == MH_OK ? Array(pixels.prefix(Int(length))) : []))
  }

  func encode(_ picture: Picture, quality: Int = 95, room: Int = 1 << 20) -> (status: Int32, file: [UInt8]) {
    var image = mh_image()
    image.struct_size = UInt32(MemoryLayout<mh_image>.size)
    (image.width, image.height) = (UInt32(picture.width), UInt32(picture.height))
    (image.format, image.orientation) = (picture.format, UInt32(picture.orientation))
    var file = [UInt8](repeating: 0xA5, count: room + 16)
    var length = UInt64(room)
    let status = picture.pixels.withUnsafeBufferPointer { pixels in
      file.withUnsafeMutableBufferPointer {
        table.encode(
          &image, mh_bytes(p: pixels.baseAddress, n: UInt64(pixels.count)), UInt32(quality), $0.baseAddress, &length)
      }
    }
    guard file.suffix(16).allSatisfy({ $0 == 0xA5 }), length <= UInt64(room) else { return (.min, []) }
    return (status, status == MH_OK ? Array(file.prefix(Int(length))) : [])
  }

  private func picture(_ image: mh_image, _ pixels: [UInt8]) -> Picture {
    Picture(
      width: Int(image.width), height: Int(image.height), format: image.format, orientation: Int(image.orientation),
      pixels: pixels)
  }
}

extension CodecBench.Picture {
  /// Soft slopes, which JPEG keeps nearly as they are.
  static func slopes(_ width: Int, _ height: Int, _ format: UInt32 = MH_IMAGE_GREY, orientation: Int = 1) -> Self {
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let grey = UInt8(20 + x * 200 / max(width, 2))
        pixels += format == MH_IMAGE_GREY ? [grey] : [grey, UInt8(20 + y * 200 / max(height, 2)), 90]
      }
    }
    return Self(width: width, height: height, format: format, orientation: orientation, pixels: pixels)
  }

  /// The largest difference of a byte; more than any for another size.
  func distance(_ other: Self) -> Int {
    guard width == other.width, height == other.height, pixels.count == other.pixels.count else { return 256 }
    return zip(pixels, other.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 0
  }
}
