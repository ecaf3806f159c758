import BluetoothWire
import Testing

@Suite("UUIDs and addresses")
struct BluetoothUUIDTests {
  @Test("the forms of one UUID are equal")
  func forms() throws {
    let uuid: BluetoothUUID = 0x2A18
    #expect(BluetoothUUID("2a18") == uuid)
    #expect(BluetoothUUID("0x2A18") == uuid)
    #expect(BluetoothUUID("00002A18") == uuid)
    #expect(BluetoothUUID("00002a18-0000-1000-8000-00805f9b34fb") == uuid)
    #expect(BluetoothUUID("00002A1800001000800000805F9B34FB") == uuid)
    #expect(BluetoothUUID(littleEndian: [0x18, 0x2A]) == uuid)
    #expect(BluetoothUUID(littleEndian: uuid.fullLittleEndianBytes) == uuid)
    #expect(BluetoothUUID(bytes: uuid.bytes) == uuid)
    #expect(uuid.bytes.prefix(4) == [0, 0, 0x2A, 0x18])
    #expect(uuid.littleEndianBytes == [0x18, 0x2A])
    #expect(uuid.description == "2A18")
    #expect(Set([uuid, try #require(BluetoothUUID(uuid.fullDescription))]).count == 1)
  }

  @Test("a vendor's UUID has no short form")
  func vendor() throws {
    let text = "AF9DF7A1-E595-11E3-96B4-0002A5D5C51B"
    let uuid = try #require(BluetoothUUID(text))
    #expect(uuid.uint16 == nil && uuid.uint32 == nil)
    #expect(uuid.description == text)
    #expect(uuid.littleEndianBytes.first == 0x1B && uuid.littleEndianBytes.count == 16)
    #expect(BluetoothUUID("12345678")?.description == "12345678")
    #expect(BluetoothUUID("12345678")?.littleEndianBytes.count == 16)
  }

  @Test(
    "what is no UUID is refused",
    arguments: [
      "", "2A1", "2A1G", "2A180", "00002A18-0000-1000-8000-00805F9B34F", "00002A18-0000-1000-800000-805F9B34FB",
      "-2A18",
      "2A-18", "ＡＢＣＤ",
    ])
  func refused(text: String) { #expect(BluetoothUUID(text) == nil) }

  @Test("addresses are read and printed")
  func addresses() throws {
    let address = try #require(BluetoothAddress("aa:bb:cc:00:11:22"))
    #expect(address.description == "AA:BB:CC:00:11:22")
    #expect(address.digits == "AABBCC001122")
    #expect(address.littleEndianBytes == [0x22, 0x11, 0, 0xCC, 0xBB, 0xAA])
    #expect(BluetoothAddress("AABBCC001122") == address)
    #expect(BluetoothAddress(littleEndian: address.littleEndianBytes) == address)
    #expect(BluetoothAddress("AABBCC001122", kind: .random) != address)
  }

  @Test(
    "what is no address is refused",
    arguments: ["", "AA:BB:CC:DD:EE", "AA:BB:CC:DD:EE:FF:00", "A:ABB:CC:DD:EE:FF", "AABBCCDDEEF", "GG:BB:CC:DD:EE:FF"])
  func refusedAddress(text: String) { #expect(BluetoothAddress(text) == nil) }
}
