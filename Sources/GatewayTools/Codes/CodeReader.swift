import CZBar
import DriverContract
import GatewayAPI
import Glibc

/// Finds codes in a grey picture, by libzbar.
enum CodeReader {
  /// More than a card, a box or a meter's back carries.
  private static let mostCodes = 16
  /// A QR code holds 7,089 characters at most.
  private static let mostBytes = 16 << 10

  /// The codes of a picture, each once.
  ///
  /// - Throws: ``GatewayError`` with code `code_no_library` where libzbar is not there, `code_too_much` for more than is looked at.
  static func codes(in image: GreyImage) throws(GatewayError) -> [ScannedCode] {
    if let reason = mh_zbar_load() {
      throw GatewayError(
        .unavailable, code: "code_no_library",
        "codes need libzbar, which cannot be loaded: \(String(cString: reason))",
        hint: "install the package libzbar0, or type the key in")
    }
    guard image.width > 0, image.height > 0, image.pixels.count == image.width * image.height,
      let width = UInt32(exactly: image.width), let height = UInt32(exactly: image.height)
    else { return [] }
    var found = [mh_zbar_code](repeating: mh_zbar_code(), count: mostCodes)
    var content = [UInt8](repeating: 0, count: mostBytes)
    let count = mh_zbar_find(
      image.pixels, width, height, &found, UInt32(mostCodes), &content, UInt32(mostBytes))
    guard count >= 0 else {
      throw count == -E2BIG
        ? GatewayError(
          .failed, code: "code_too_much", "the picture has more codes than are looked at",
          hint: "show one code only")
        : GatewayError(.failed, code: "code_failed", "libzbar could not look at the picture (error \(-count))")
    }
    var codes: [ScannedCode] = []
    for code in found.prefix(Int(count)) {
      let bytes = Array(content[Int(code.offset)..<Int(code.offset + code.count)])
      let scanned = ScannedCode(Int(code.kind) == Int(MH_ZBAR_QR) ? .qr : .code128, bytes)
      if !codes.contains(scanned) { codes.append(scanned) }
    }
    return codes
  }
}
