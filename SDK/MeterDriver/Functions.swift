import CMeterDriver

/// The functions beyond the contract that a driver offers (rule R19): ``MeterDriver/declare(_:)`` adds them, the registry's
/// entry lists them, `meterhost driver call` calls them.
///
/// A function gets its arguments only: no session, storage, keys or clock. Each form has one signature, because C has to
/// know it; a form holds ``capacity`` functions of a bundle.
public struct FunctionList: ~Copyable {
  /// The most functions of one form in a bundle, and of all forms of a driver.
  public static var capacity: Int { 8 }
  static var most: Int { 64 }

  /// nil until there is one: most drivers have none, and then nothing is left behind.
  private(set) var functions: UnsafeMutablePointer<mh_extension_function>?
  private(set) var count = 0
  let decode: DecodeFunction

  init(decode: @escaping DecodeFunction) { self.decode = decode }

  /// `i32(out_text)`: a report.
  public mutating func addReport(
    _ name: StaticString, _ body: @escaping (inout FunctionOutput) throws(FunctionError) -> Void
  ) {
    add(name, .report) { _, _, output throws(FunctionError) in
      try body(&output)
      return 0
    }
  }

  /// `i32(i64,out_bytes)`: bytes of a number, such as what is written to set a clock.
  public mutating func addEncoder(
    _ name: StaticString, _ body: @escaping (Int64, inout FunctionOutput) throws(FunctionError) -> Void
  ) {
    add(name, .encoder) { number, _, output throws(FunctionError) in
      try body(number, &output)
      return 0
    }
  }

  /// `i32(bytes,out_i64)`: a number of bytes, such as the moment that a meter's clock shows.
  public mutating func addDecoder(
    _ name: StaticString, _ body: @escaping (RawSpan) throws(FunctionError) -> Int64
  ) {
    add(name, .decoder) { _, bytes, _ throws(FunctionError) in try body(bytes) }
  }

  /// `i32(bytes,out_text)`: words about bytes.
  public mutating func addDescription(
    _ name: StaticString, _ body: @escaping (RawSpan, inout FunctionOutput) throws(FunctionError) -> Void
  ) {
    add(name, .description) { _, bytes, output throws(FunctionError) in
      try body(bytes, &output)
      return 0
    }
  }

  /// `self_test`, `i32(out_text)`: decodes values as a tool would and compares what comes of them.
  public mutating func addSelfTest(_ vectors: [TestVector]) {
    let decode = decode
    add("self_test", .report) { _, _, output throws(FunctionError) in
      output.status = MH_OK
      for index in vectors.indices where output.status == MH_OK {
        output.test(decode, vectors[index].vector)
      }
      return 0
    }
  }

  /// `i32(bytes,out_i64)`: microseconds of civil time of a Bluetooth Date Time, whatever follows it. ``FunctionError/noValue``
  /// for a clock that is not set.
  public mutating func addDateTimeDecoder(_ name: StaticString) {
    addDecoder(name) { bytes throws(FunctionError) in
      var reader = ByteReader(bytes)
      let time: DateTime
      do throws(DecodeError) { time = try reader.dateTime() } catch { throw error.asFunctionError }
      guard let civil = time.civilMicroseconds else { throw .noValue }
      return civil
    }
  }

  /// A function whose signature none of the forms has. `function` must be a C function of that very signature; the header
  /// `functions.h` says what each word of it stands for.
  public mutating func add(
    _ name: StaticString, _ signature: StaticString, unsafe function: (@convention(c) () -> Void)?
  ) {
    guard let function, count < FunctionList.most else {
      Bundle.tooManyFunctions = true
      return
    }
    let places = functions ?? .allocate(capacity: FunctionList.most)
    functions = places
    (places + count).initialize(
      to: mh_extension_function(name: name.contractWords, signature: signature.contractWords, function: function))
    count += 1
  }

  private mutating func add(_ name: StaticString, _ form: FunctionForms.Form, _ body: @escaping FunctionBody.Body) {
    add(name, form.signature, unsafe: FunctionForms.add(form, FunctionBody(body)))
  }
}

extension MeterDriver {
  /// No functions.
  public static func declare(_ functions: inout FunctionList) {}
}

/// Why a function does not answer.
public enum FunctionError: Error {
  /// An argument is outside of what the function takes.
  case invalidArgument
  /// The bytes are not what the meter's protocol allows.
  case protocolViolation
  /// The bytes are well formed and hold no value, such as the time of a clock that is not set.
  case noValue
  /// The driver does not know what is asked for.
  case unsupported

  var status: Int32 {
    switch self {
    case .invalidArgument: MH_E_ARG
    case .protocolViolation: MH_E_PROTOCOL
    case .noValue: MH_E_NO_VALUE
    case .unsupported: MH_E_UNSUPPORTED
    }
  }
}

extension DecodeError {
  /// The same as the answer of a function.
  public var asFunctionError: FunctionError {
    switch self {
    case .truncated, .malformed: .protocolViolation
    case .noValue: .noValue
    case .unsupported: .unsupported
    }
  }
}

/// Where a function puts its text or bytes. After an error only texts count: they may say why.
public struct FunctionOutput: ~Copyable {
  private let buffer: UnsafeMutablePointer<UInt8>?
  private let capacity: Int
  private(set) var count = 0
  /// What was appended had no room.
  private(set) var overflowed = false
  /// What the function answers without an error of its own.
  var status = MH_OK

  init(_ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int) {
    self.buffer = buffer
    self.capacity = buffer == nil ? 0 : capacity
  }

  /// Appends one byte.
  public mutating func append(_ byte: UInt8) {
    guard count < capacity, let buffer else {
      overflowed = true
      return
    }
    buffer[count] = byte
    count += 1
  }

  /// Appends bytes.
  public mutating func append(_ more: [UInt8]) { for byte in more { append(byte) } }

  /// Appends words.
  public mutating func append(_ words: StaticString) {
    let start = words.utf8Start
    for index in 0..<words.utf8CodeUnitCount { append(start[index]) }
  }

  /// Appends a number in decimal digits.
  public mutating func append(decimal number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    let rest = number.magnitude
    var power: UInt64 = 1
    while rest / power >= 10 { power *= 10 }
    while power > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / power % 10))
      power /= 10
    }
  }

  /// Decodes one vector and puts the library's verdict in the place of what was there.
  mutating func test(_ decode: DecodeFunction, _ vector: mh_test_vector) {
    var vector = vector
    var length = UInt64(capacity)
    let words = UnsafeMutableRawPointer(buffer)?.assumingMemoryBound(to: CChar.self)
    status = mh_self_test(decode, nil, 0, &vector, 1, words, &length)
    count = min(Int(clamping: length), capacity)
  }
}

/// One value that a self-test decodes, and what must come of it.
public struct TestVector {
  /// What must come of a value.
  public enum Expected {
    /// One record; its first value, and its civil time in microseconds since 1970-01-01T00:00.
    case value(Metric, Unit, Decimal, at: Int64? = nil)
    /// No record.
    case refused(DecodeError)
  }

  let vector: mh_test_vector

  /// A vector.
  ///
  /// - Parameters:
  ///   - name: What a failing self-test calls it.
  ///   - characteristic: As in ``CharacteristicValue/characteristic``.
  ///   - hex: The value in lower-case hex digits, at most 64 bytes.
  ///   - expected: What must come of it.
  public init(_ name: StaticString, _ characteristic: UInt16, _ hex: StaticString, _ expected: Expected) {
    var vector = mh_test_vector()
    vector.name = name.contractWords
    vector.hex = hex.contractWords
    vector.characteristic = characteristic
    switch expected {
    case .value(let metric, let unit, let number, let time):
      vector.n_records = 1
      vector.metric = metric.code
      vector.unit = unit.code
      vector.raw = number.mantissa
      vector.exp10 = Int32(number.exponent)
      if let time {
        vector.time_kind = MH_TIME_CIVIL
        vector.t_us = time
      }
    case .refused(let error): vector.status = error.status
    }
    self.vector = vector
  }
}

extension StaticString {
  /// Text that ends with NUL, as a static string always does.
  var contractWords: UnsafePointer<CChar> { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}
