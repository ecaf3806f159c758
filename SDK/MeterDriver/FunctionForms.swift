import CMeterDriver

/// The body of a declared function in the one form that all of them fit: a number and bytes go in, a number and what is put
/// into the output come out.
final class FunctionBody {
  typealias Body = (Int64, RawSpan, inout FunctionOutput) throws(FunctionError) -> Int64

  let body: Body

  init(_ body: @escaping Body) { self.body = body }
}

/// C functions for declared functions: a C function carries nothing, so each place of a form has one of its own.
enum FunctionForms {
  typealias Words = UnsafeMutablePointer<CChar>
  typealias Bytes = UnsafeMutablePointer<UInt8>
  typealias Length = UnsafeMutablePointer<UInt64>
  typealias Number = UnsafeMutablePointer<Int64>
  typealias Address = @convention(c) () -> Void

  /// A signature, and where its bodies begin.
  enum Form: Int {
    case report = 0
    case encoder = 8
    case decoder = 16
    case description = 24

    var signature: StaticString {
      switch self {
      case .report: "i32(out_text)"
      case .encoder: "i32(i64,out_bytes)"
      case .decoder: "i32(bytes,out_i64)"
      case .description: "i32(bytes,out_text)"
      }
    }
  }

  static var places: Int { 8 }

  // Written under mh_swift_once before anything reads them, constant for the rest of the process.
  nonisolated(unsafe) static let bodies: UnsafeMutablePointer<FunctionBody?> = {
    let bodies = UnsafeMutablePointer<FunctionBody?>.allocate(capacity: 32)
    bodies.initialize(repeating: nil, count: 32)
    return bodies
  }()

  /// Keeps a body; nil when every place of its form is taken.
  static func add(_ form: Form, _ body: FunctionBody) -> Address? {
    for place in 0..<places where bodies[form.rawValue + place] == nil {
      bodies[form.rawValue + place] = body
      return switch form {
      case .report: unsafeBitCast(report(place), to: Address.self)
      case .encoder: unsafeBitCast(encoder(place), to: Address.self)
      case .decoder: unsafeBitCast(decoder(place), to: Address.self)
      case .description: unsafeBitCast(description(place), to: Address.self)
      }
    }
    return nil
  }

  private static func report(_ place: Int) -> @convention(c) (Words?, Length?) -> Int32 {
    switch place {
    case 0: { FunctionForms.text(0, mh_bytes(), $0, $1) }
    case 1: { FunctionForms.text(1, mh_bytes(), $0, $1) }
    case 2: { FunctionForms.text(2, mh_bytes(), $0, $1) }
    case 3: { FunctionForms.text(3, mh_bytes(), $0, $1) }
    case 4: { FunctionForms.text(4, mh_bytes(), $0, $1) }
    case 5: { FunctionForms.text(5, mh_bytes(), $0, $1) }
    case 6: { FunctionForms.text(6, mh_bytes(), $0, $1) }
    default: { FunctionForms.text(7, mh_bytes(), $0, $1) }
    }
  }

  private static func encoder(_ place: Int) -> @convention(c) (Int64, Bytes?, Length?) -> Int32 {
    switch place {
    case 0: { FunctionForms.run(8, $0, mh_bytes(), $1, $2, nil) }
    case 1: { FunctionForms.run(9, $0, mh_bytes(), $1, $2, nil) }
    case 2: { FunctionForms.run(10, $0, mh_bytes(), $1, $2, nil) }
    case 3: { FunctionForms.run(11, $0, mh_bytes(), $1, $2, nil) }
    case 4: { FunctionForms.run(12, $0, mh_bytes(), $1, $2, nil) }
    case 5: { FunctionForms.run(13, $0, mh_bytes(), $1, $2, nil) }
    case 6: { FunctionForms.run(14, $0, mh_bytes(), $1, $2, nil) }
    default: { FunctionForms.run(15, $0, mh_bytes(), $1, $2, nil) }
    }
  }

  private static func decoder(_ place: Int) -> @convention(c) (mh_bytes, Number?) -> Int32 {
    switch place {
    case 0: { FunctionForms.run(16, 0, $0, nil, nil, $1) }
    case 1: { FunctionForms.run(17, 0, $0, nil, nil, $1) }
    case 2: { FunctionForms.run(18, 0, $0, nil, nil, $1) }
    case 3: { FunctionForms.run(19, 0, $0, nil, nil, $1) }
    case 4: { FunctionForms.run(20, 0, $0, nil, nil, $1) }
    case 5: { FunctionForms.run(21, 0, $0, nil, nil, $1) }
    case 6: { FunctionForms.run(22, 0, $0, nil, nil, $1) }
    default: { FunctionForms.run(23, 0, $0, nil, nil, $1) }
    }
  }

  private static func description(_ place: Int) -> @convention(c) (mh_bytes, Words?, Length?) -> Int32 {
    switch place {
    case 0: { FunctionForms.text(24, $0, $1, $2) }
    case 1: { FunctionForms.text(25, $0, $1, $2) }
    case 2: { FunctionForms.text(26, $0, $1, $2) }
    case 3: { FunctionForms.text(27, $0, $1, $2) }
    case 4: { FunctionForms.text(28, $0, $1, $2) }
    case 5: { FunctionForms.text(29, $0, $1, $2) }
    case 6: { FunctionForms.text(30, $0, $1, $2) }
    default: { FunctionForms.text(31, $0, $1, $2) }
    }
  }

  private static func text(_ index: Int, _ bytes: mh_bytes, _ words: Words?, _ length: Length?) -> Int32 {
    run(index, 0, bytes, UnsafeMutableRawPointer(words)?.assumingMemoryBound(to: UInt8.self), length, nil)
  }

  /// Runs a body and hands over what it has put out; also what a failing one says, which counts in a text only.
  @inline(never)
  private static func run(
    _ index: Int, _ number: Int64, _ bytes: mh_bytes, _ buffer: Bytes?, _ length: Length?, _ out: Number?
  ) -> Int32 {
    guard let function = bodies[index] else { return MH_E_UNSUPPORTED }
    var output = FunctionOutput(buffer, length.map { Int(clamping: $0.pointee) } ?? 0)
    var status = MH_OK
    var result: Int64 = 0
    do throws(FunctionError) { result = try function.body(number, lend(bytes), &output) } catch {
      status = error.status
    }
    if status == MH_OK { status = output.overflowed ? MH_E_FULL : output.status }
    length?.pointee = UInt64(output.count)
    out?.pointee = result
    return status
  }
}
