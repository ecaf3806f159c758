import BluetoothWire
import TestSupport
import Testing

@Suite("ATT PDUs")
struct ATTPDUTests {
  static let examples: [(ATTPDU, [UInt8])] = [
    (.errorResponse(request: .readRequest, handle: 0x0102, code: .insufficientEncryption), [1, 0x0A, 2, 1, 0x0F]),
    (.exchangeMTURequest(clientMTU: 517), [2, 5, 2]),
    (.exchangeMTUResponse(serverMTU: 23), [3, 23, 0]),
    (.findInformationRequest(range: .init(first: 1, last: 0xFFFF)), [4, 1, 0, 0xFF, 0xFF]),
    (
      .findInformationResponse([.init(handle: 3, type: 0x2902), .init(handle: 4, type: 0x2803)]),
      [5, 1, 3, 0, 0x02, 0x29, 4, 0, 0x03, 0x28]
    ),
    (.findByTypeValueRequest(range: .all, type: 0x2800, value: [8, 0x18]), [6, 1, 0, 255, 255, 0, 0x28, 8, 0x18]),
    (.findByTypeValueResponse([.init(first: 1, last: 5)]), [7, 1, 0, 5, 0]),
    (.readByTypeRequest(range: .all, type: 0x2803), [8, 1, 0, 255, 255, 3, 0x28]),
    (.readByTypeResponse([.init(handle: 2, value: [1]), .init(handle: 3, value: [2])]), [9, 3, 2, 0, 1, 3, 0, 2]),
    (.readRequest(handle: 0x1234), [0x0A, 0x34, 0x12]),
    (.readResponse(value: [1, 2]), [0x0B, 1, 2]),
    (.readBlobRequest(handle: 1, offset: 22), [0x0C, 1, 0, 22, 0]),
    (.readBlobResponse(value: []), [0x0D]),
    (.readMultipleRequest(handles: [1, 2]), [0x0E, 1, 0, 2, 0]),
    (.readMultipleResponse(values: [9]), [0x0F, 9]),
    (.readByGroupTypeRequest(range: .all, type: 0x2800), [0x10, 1, 0, 255, 255, 0, 0x28]),
    (
      .readByGroupTypeResponse([.init(range: .init(first: 1, last: 9), value: [8, 0x18])]),
      [0x11, 6, 1, 0, 9, 0, 8, 0x18]
    ),
    (.writeRequest(handle: 7, value: [1, 0]), [0x12, 7, 0, 1, 0]),
    (.writeResponse, [0x13]),
    (.writeCommand(handle: 7, value: []), [0x52, 7, 0]),
    (.signedWriteCommand(handle: 7, value: [1], signature: Array(1...12)), [0xD2, 7, 0, 1] + Array(1...12)),
    (.prepareWriteRequest(handle: 7, offset: 3, value: [1]), [0x16, 7, 0, 3, 0, 1]),
    (.prepareWriteResponse(handle: 7, offset: 3, value: [1]), [0x17, 7, 0, 3, 0, 1]),
    (.executeWriteRequest(commit: true), [0x18, 1]),
    (.executeWriteResponse, [0x19]),
    (.handleValueNotification(handle: 7, value: [1]), [0x1B, 7, 0, 1]),
    (.handleValueIndication(handle: 7, value: [1]), [0x1D, 7, 0, 1]),
    (.handleValueConfirmation, [0x1E]),
  ]

  @Test("the bytes are those of the specification", arguments: examples)
  func bytes(pdu: ATTPDU, bytes: [UInt8]) throws {
    #expect(pdu.encoded == bytes)
    #expect(try ATTPDU(decoding: bytes) == pdu)
    #expect(pdu.opcode.rawValue == bytes[0])
  }

  @Test("a truncated PDU is refused or is a whole, shorter PDU of the same kind", arguments: examples)
  func truncations(pdu: ATTPDU, bytes: [UInt8]) {
    for length in 0..<bytes.count {
      do throws(ATTDecodingError) {
        let shorter = try ATTPDU(decoding: Array(bytes.prefix(length)))
        #expect(shorter.opcode == pdu.opcode)
        #expect(shorter.encoded == Array(bytes.prefix(length)))
      } catch {
        #expect(length == 0 ? error.opcode == nil : error.opcode == pdu.opcode)
        #expect(error.code == .empty || error.code == .wrongLength || error.code == .wrongListLength)
      }
    }
  }

  @Test("random PDUs survive the round trip", arguments: 0..<4)
  func roundTrip(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<2000 {
      let pdu = random.pdu()
      #expect(try ATTPDU(decoding: pdu.encoded) == pdu)
    }
  }

  @Test("random and mutated bytes decode to a PDU that says the same, or to a typed error", arguments: 0..<4)
  func fuzz(seed: Int) {
    var random = SeededGenerator(seed: 1000 + UInt64(seed))
    for round in 0..<5000 {
      var bytes = round % 2 == 0 ? random.bytes(0...40) : random.pdu().encoded
      if round % 2 == 1, !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let pdu = try? ATTPDU(decoding: bytes) else { continue }
      #expect((try? ATTPDU(decoding: pdu.encoded)) == pdu)
    }
  }

  @Test(
    "malformed PDUs name the opcode and what is wrong",
    arguments: [
      ([], .empty), ([0x7F], .unknownOpcode), ([0x00, 1], .unknownOpcode), ([0x02, 1], .wrongLength),
      ([0x02, 1, 2, 3], .wrongLength), ([0x05], .wrongLength), ([0x05, 3, 1, 0, 1, 0], .invalidField),
      ([0x05, 1], .wrongListLength), ([0x05, 1, 1, 0, 1], .wrongListLength), ([0x07, 1, 0, 2], .wrongListLength),
      ([0x08, 1, 0, 255, 255, 3], .wrongLength), ([0x09, 0], .wrongListLength), ([0x09, 1, 5], .wrongListLength),
      ([0x09, 7, 1, 0, 2], .wrongListLength), ([0x11, 3, 1, 0, 2], .wrongListLength),
      ([0x0E, 1, 0], .wrongLength), ([0x0E, 1, 0, 2, 0, 3], .wrongListLength), ([0x18, 2], .invalidField),
      ([0x1E, 0], .wrongLength), ([0xD2] + Array(repeating: 0, count: 13), .wrongLength),
    ] as [([UInt8], ATTDecodingError.Code)])
  func malformed(bytes: [UInt8], code: ATTDecodingError.Code) {
    let error = #expect(throws: ATTDecodingError.self) { try ATTPDU(decoding: bytes) }
    #expect(error?.code == code)
    #expect(error?.opcode?.rawValue == bytes.first)
    #expect(error?.message.isEmpty == false)
  }

  @Test("error codes have names in every range")
  func errorCodes() {
    #expect(ATTErrorCode.cccdImproperlyConfigured.name == "cccd-improperly-configured")
    #expect(ATTErrorCode(rawValue: 0x85).name == "application-error-85")
    #expect(ATTErrorCode(rawValue: 0xE1).message == "profile error 0xe1")
    #expect(ATTErrorCode(rawValue: 0x40).name == "reserved-error-40")
    #expect(ATTErrorCode.insufficientEncryption.asksForSecurity)
    #expect(Set((UInt8.min...UInt8.max).map { ATTErrorCode(rawValue: $0).name }).count == 256)
  }
}

extension SeededGenerator {
  mutating func range() -> ATTHandleRange { ATTHandleRange(first: uint16(), last: uint16()) }

  mutating func uuid() -> BluetoothUUID {
    Bool.random(using: &self) ? BluetoothUUID(uint16()) : BluetoothUUID(bytes: bytes(16...16)) ?? 0
  }

  mutating func pdu() -> ATTPDU {
    let count = Int.random(in: 1...5, using: &self)
    let size = Int.random(in: 0...20, using: &self)
    switch Int.random(in: 0..<17, using: &self) {
    case 0: return .errorResponse(request: .init(rawValue: bytes(1...1)[0]), handle: uint16(), code: .invalidPDU)
    case 1: return .exchangeMTURequest(clientMTU: uint16())
    case 2: return .findInformationResponse((0..<count).map { _ in .init(handle: uint16(), type: uuid()) })
    case 3: return .findByTypeValueRequest(range: range(), type: uint16(), value: bytes(0...20))
    case 4: return .findByTypeValueResponse((0..<count).map { _ in range() })
    case 5: return .readByTypeRequest(range: range(), type: uuid())
    case 6: return .readByTypeResponse((0..<count).map { _ in .init(handle: uint16(), value: bytes(size...size)) })
    case 7: return .readByGroupTypeResponse((0..<count).map { _ in .init(range: range(), value: bytes(size...size)) })
    case 8: return .readBlobRequest(handle: uint16(), offset: uint16())
    case 9: return .readMultipleRequest(handles: (0...count).map { _ in uint16() })
    case 10: return .writeRequest(handle: uint16(), value: bytes(0...512))
    case 11: return .signedWriteCommand(handle: uint16(), value: bytes(0...20), signature: bytes(12...12))
    case 12: return .prepareWriteRequest(handle: uint16(), offset: uint16(), value: bytes(0...20))
    case 13: return .executeWriteRequest(commit: .random(using: &self))
    case 14: return .handleValueNotification(handle: uint16(), value: bytes(0...20))
    case 15: return .handleValueIndication(handle: uint16(), value: bytes(0...20))
    default: return .readResponse(value: bytes(0...22))
    }
  }
}
