/// CRC-16/CCITT with initial value FFFF, neither reflected nor inverted: what ends a LifeScan frame (LifeScan shared
/// binary protocol; the frames of tidepool-org/uploader's oneTouchVerioBLE.js).
func frameChecksum(_ bytes: ArraySlice<UInt8>) -> UInt16 {
  var remainder: UInt16 = 0xffff
  for byte in bytes {
    remainder ^= UInt16(byte) << 8
    for _ in 0..<8 {
      remainder = remainder & 0x8000 != 0 ? remainder << 1 ^ 0x1021 : remainder << 1
    }
  }
  return remainder
}
