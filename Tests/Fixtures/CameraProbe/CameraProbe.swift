import DriverContract
import Glibc
import MeterDrivers
import MeterOCR

// Takes pictures from a camera and says what came, one JSON object a line; a program for tests on the kernel's virtual
// camera.
//
// Usage: camera-probe list | camera-probe DEVICE COUNT [yuyv|grey]

/// No camera of the tests sends compressed pictures.
struct NoDecoder: ImageDecoding {
  func measure(_ file: [UInt8]) async throws(ImageCodecError) -> ImageSize { throw .unsupported }
  func decode(
    _ file: [UInt8], format: DecodedImage.Format, atLeast: (width: Int, height: Int)?
  ) async throws(ImageCodecError) -> DecodedImage { throw .unsupported }
}

func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

/// CRC-32 of ISO 3309, as zlib computes it.
func crc32(_ bytes: [UInt8], _ table: [UInt32]) -> UInt32 {
  ~bytes.reduce(~UInt32(0)) { $0 >> 8 ^ table[Int(($0 ^ UInt32($1)) & 0xFF)] }
}

func quoted(_ text: String) -> String {
  "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
}

let words = Array(CommandLine.arguments.dropFirst())
if words == ["list"] {
  for camera in CameraList.cameras() {
    say("{\"camera\":\(quoted(camera.device)),\"name\":\(camera.name.map(quoted) ?? "null")}")
  }
  exit(0)
}
let formats: [String: [CameraFormat]] = ["yuyv": [.yuyv], "grey": [.grey]]
guard (2...3).contains(words.count), let count = Int(words[1]), words.count == 2 || formats[words[2]] != nil else {
  say("camera-probe: give a device and how many pictures")
  exit(64)
}
let table = (0..<UInt32(256)).map { byte in
  (0..<8).reduce(byte) { word, _ in word >> 1 ^ (word & 1 == 1 ? 0xEDB8_8320 : 0) }
}
let source =
  if let chosen = words.count > 2 ? formats[words[2]] : nil {
    CameraSource(device: words[0], decoder: NoDecoder(), formats: chosen)
  } else {
    CameraSource(device: words[0], decoder: NoDecoder())
  }
do {
  for _ in 0..<count {
    guard let frame = try await source.nextFrame() else { break }
    say(
      "{\"width\":\(frame.image.width),\"height\":\(frame.image.height),\"crc\":\(crc32(frame.image.pixels, table)),"
        + "\"moment\":\(frame.moment)}")
  }
  await source.close()
  say("{\"closed\":true}")
} catch {
  say("{\"code\":\(quoted(error.code.rawValue)),\"message\":\(quoted("\(error)"))}")
  exit(1)
}
