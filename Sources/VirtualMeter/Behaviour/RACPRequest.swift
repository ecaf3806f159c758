import BluetoothWire
import HostPrimitives

/// Values of the Record Access Control Point (Glucose Service 1.0.1, 3.4; GATT Specification Supplement 3.186).
enum RACP {
  enum Opcode {
    static let report: UInt8 = 1
    static let delete: UInt8 = 2
    static let abort: UInt8 = 3
    static let count: UInt8 = 4
    static let countResponse: UInt8 = 5
    static let response: UInt8 = 6
  }

  enum Response: UInt8 {
    case success = 1
    case opcodeNotSupported = 2
    case invalidOperator = 3
    case operatorNotSupported = 4
    case invalidOperand = 5
    case noRecordsFound = 6
    case abortUnsuccessful = 7
    case procedureNotCompleted = 8
    case operandNotSupported = 9
  }

  /// Which records a request means.
  enum Selection: Equatable {
    case all
    case sequence(ClosedRange<UInt16>)
    case first
    case last
  }

  /// A request whose op code is report, delete or count.
  static func selection(_ request: [UInt8]) -> Result<Selection, RefusedRequest> {
    let operand = request.dropFirst(2)
    switch request.count > 1 ? request[1] : 0 {
    case 0: return .failure(.init(.invalidOperator))
    case 1: return operand.isEmpty ? .success(.all) : .failure(.init(.invalidOperand))
    case 2: return filter(operand, count: 1).map { .sequence(0...$0[0]) }
    case 3: return filter(operand, count: 1).map { .sequence($0[0]...UInt16.max) }
    case 4:
      return filter(operand, count: 2).flatMap { values in
        values[0] <= values[1] ? .success(.sequence(values[0]...values[1])) : .failure(.init(.invalidOperand))
      }
    case 5: return operand.isEmpty ? .success(.first) : .failure(.init(.invalidOperand))
    case 6: return operand.isEmpty ? .success(.last) : .failure(.init(.invalidOperand))
    default: return .failure(.init(.operatorNotSupported))
    }
  }

  /// Filter type 1, sequence number, and its values; type 2, user-facing time, is optional and not offered.
  private static func filter(_ operand: ArraySlice<UInt8>, count: Int) -> Result<[UInt16], RefusedRequest> {
    guard let type = operand.first else { return .failure(.init(.invalidOperand)) }
    guard type == 1 else { return .failure(.init(.operandNotSupported)) }
    let bytes = Array(operand.dropFirst())
    guard bytes.count == 2 * count else { return .failure(.init(.invalidOperand)) }
    return .success((0..<count).map { UInt16(littleEndianBytes: bytes[(2 * $0)..<(2 * $0 + 2)]) })
  }

  /// Why a request is refused.
  struct RefusedRequest: Error {
    let response: Response

    init(_ response: Response) { self.response = response }
  }
}
