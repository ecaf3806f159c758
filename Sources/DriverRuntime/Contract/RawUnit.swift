package import DriverContract
package import CMeterDriver

/// An action as the driver gave it, copied before anything is checked.
package struct RawAction: Sendable, Hashable {
  package var kind: UInt32
  package var token: UInt64 = 0
  package var first: UInt64 = 0
  package var second: UInt64 = 0
  package var handle: UInt16 = 0
  package var flags: UInt16 = 0
  package var code: Int32 = 0
  package var value: [UInt8] = []
  package var text: [UInt8] = []
}

/// Output of a driver that nobody has checked yet, where it lies.
package struct OutputView {
  package var records: UnsafeBufferPointer<mh_record>
  package var values: UnsafeBufferPointer<mh_value>
  package var texts: UnsafeBufferPointer<mh_text>
  package var arena: UnsafeBufferPointer<UInt8>

  package init(
    records: UnsafeBufferPointer<mh_record>, values: UnsafeBufferPointer<mh_value>,
    texts: UnsafeBufferPointer<mh_text>, arena: UnsafeBufferPointer<UInt8>
  ) {
    self.records = records
    self.values = values
    self.texts = texts
    self.arena = arena
  }
}

/// Output of a driver that nobody has checked yet, copied.
package struct RawOutput: Sendable {
  package var records: [mh_record]
  package var values: [mh_value]
  package var texts: [mh_text]
  package var arena: [UInt8]

  package init(records: [mh_record], values: [mh_value], texts: [mh_text], arena: [UInt8]) {
    self.records = records
    self.values = values
    self.texts = texts
    self.arena = arena
  }

  package init(_ view: OutputView) {
    self.init(
      records: Array(view.records), values: Array(view.values), texts: Array(view.texts), arena: Array(view.arena))
  }

  /// Lends the arrays as a view.
  package func withView<Result, Failure: Error>(
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
package struct RawUnit: Sendable {
  package var status: Int32
  package var rounds: [RawOutput]
  package var actions: [RawAction]
  package var writes: [DriverStorageWrite]
  package var logs: [DriverLogLine]

  package init(
    status: Int32, rounds: [RawOutput], actions: [RawAction], writes: [DriverStorageWrite], logs: [DriverLogLine]
  ) {
    self.status = status
    self.rounds = rounds
    self.actions = actions
    self.writes = writes
    self.logs = logs
  }
}
