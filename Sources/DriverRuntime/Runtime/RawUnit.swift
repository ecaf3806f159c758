import CMeterDriver

/// An action as the driver gave it, copied before anything is checked.
struct RawAction: Sendable, Hashable {
  var kind: UInt32
  var token: UInt64 = 0
  var first: UInt64 = 0
  var second: UInt64 = 0
  var handle: UInt16 = 0
  var flags: UInt16 = 0
  var code: Int32 = 0
  var value: [UInt8] = []
  var text: [UInt8] = []
}

/// Output of a driver that nobody has checked yet, where it lies.
struct OutputView {
  var records: UnsafeBufferPointer<mh_record>
  var values: UnsafeBufferPointer<mh_value>
  var texts: UnsafeBufferPointer<mh_text>
  var arena: UnsafeBufferPointer<UInt8>
}

/// Output of a driver that nobody has checked yet, copied.
struct RawOutput: Sendable {
  var records: [mh_record]
  var values: [mh_value]
  var texts: [mh_text]
  var arena: [UInt8]

  init(records: [mh_record], values: [mh_value], texts: [mh_text], arena: [UInt8]) {
    self.records = records
    self.values = values
    self.texts = texts
    self.arena = arena
  }

  init(_ view: OutputView) {
    self.init(
      records: Array(view.records), values: Array(view.values), texts: Array(view.texts), arena: Array(view.arena))
  }

  /// Lends the arrays as a view.
  func withView<Result, Failure: Error>(
    _ body: (OutputView) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try records.withUnsafeBufferPointer { records throws(Failure) in
      try values.withUnsafeBufferPointer { values throws(Failure) in
        try texts.withUnsafeBufferPointer { texts throws(Failure) in
          try arena.withUnsafeBufferPointer { arena throws(Failure) in
            try body(OutputView(records: records, values: values, texts: texts, arena: arena))
          }
        }
      }
    }
  }
}

/// Everything that one event produced, unchecked: what a worker sends and the host checks (rule R12).
struct RawUnit: Sendable {
  var status: Int32
  var rounds: [RawOutput]
  var actions: [RawAction]
  var writes: [DriverStorageWrite]
  var logs: [DriverLogLine]
}
