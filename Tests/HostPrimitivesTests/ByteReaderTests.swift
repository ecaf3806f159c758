import HostPrimitives
import Testing

@Suite("Bytes")
struct ByteReaderTests {
  @Test("numbers are read in either order, and what follows them")
  func reads() {
    var reader = ByteReader([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
    #expect(reader.uint8() == 1)
    #expect(reader.uint16() == 0x0302)
    #expect(reader.uint16(.big) == 0x0405)
    #expect(reader.uint32(.big) == 0x0607_0809)
    #expect(reader.number(as: Int16.self) == 0x0B0A)
    #expect(reader.offset == 11)
    #expect(reader.take(2) == [12, 13])
    #expect(reader.rest == [14, 15, 16])
    #expect(reader.count == 3 && !reader.isEmpty)
  }

  @Test("what is not whole is not read")
  func short() {
    var reader = ByteReader([1, 2, 3])
    #expect(reader.uint32() == nil)
    #expect(reader.uint64(.big) == nil)
    #expect(reader.take(4) == nil)
    #expect(reader.take(-1) == nil)
    #expect(reader.offset == 0)
    #expect(reader.take(3) == [1, 2, 3])
    #expect(reader.isEmpty)
    #expect(reader.uint8() == nil)
    #expect(reader.take(0) == [])
  }

  @Test("a part of an array is read from its own first byte on")
  func slices() {
    let bytes: [UInt8] = [9, 9, 1, 2, 3, 4, 9]
    var reader = ByteReader(bytes[2..<6])
    #expect(reader.uint16() == 0x0201)
    #expect(reader.rest == [3, 4])
    #expect(reader.uint32() == nil)
    #expect(bytes[2..<6].number(at: 2, .big) == UInt16(0x0304))
    #expect(bytes[2..<6].number(at: 3, as: UInt16.self) == nil)
    #expect(bytes[2..<6].number(at: -1, as: UInt8.self) == nil)
    #expect(bytes[2..<6].number(at: .max, as: UInt8.self) == nil)
  }

  @Test("numbers and their bytes are the same in either order")
  func numbers() {
    #expect(UInt32(0x0102_0304).littleEndianBytes == [4, 3, 2, 1])
    #expect(UInt32(0x0102_0304).bigEndianBytes == [1, 2, 3, 4])
    #expect(UInt32(littleEndianBytes: [4, 3, 2, 1]) == 0x0102_0304)
    #expect(UInt64(bigEndianBytes: [1, 2, 3]) == 0x01_0203)
    #expect(UInt16(bigEndianBytes: [1, 2, 3]) == 0x0203)
    #expect(UInt16(littleEndianBytes: [1, 2, 3]) == 0x0201)
    var bytes: [UInt8] = [7]
    bytes.append(littleEndian: UInt16(0x0201))
    #expect(bytes == [7, 1, 2])
  }

  @Test("a short number in two's complement keeps its sign")
  func signs() {
    #expect(Int64(twosComplement: [0xFF]) == -1)
    #expect(Int64(twosComplement: [0x7F, 0xFF]) == 32_767)
    #expect(Int64(twosComplement: [0x80, 0, 0]) == -8_388_608)
    #expect(Int64(twosComplement: [0x80, 0, 0, 0, 0, 0, 0, 0]) == .min)
    #expect(Int64(twosComplement: [UInt8]()) == 0)
  }
}
