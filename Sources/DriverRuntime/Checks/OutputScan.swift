import CMeterDriver

/// One look over a driver's output without a branch an element. It knows the plain shape that nearly every record has:
/// what it passes, `OutputCheck` would pass too; what it does not pass is for `OutputCheck` to judge and to name.
///
/// Conditions are gathered in two ways that cost an instruction or two each: a difference that must not be negative goes
/// into `signs`, whose highest bit tells whether one was; numbers with few allowed bits are joined with "or" and looked
/// at once in the end.
struct OutputScan {
  let output: OutputView

  /// Whether every record and value is plainly right. Texts are never plain.
  var passes: Bool { output.texts.isEmpty && valuesPass && recordsPass }

  private var valuesPass: Bool {
    var signs: Int64 = 0
    var qualifiers: UInt8 = 0
    var flags: UInt16 = 0
    var wrong = false
    OutputCheck.powers.withUnsafeBufferPointer { powers in
      for value in output.values {
        qualifiers |= value.qualifier
        flags |= value.flags
        signs |= (Int64(value.metric) &- 1) | (Int64(value.unit) &- 1)
        // Always finite: at most 2^63 times 10^127. So what is near it is finite too, and a NaN is near nothing.
        let exact = Double(value.raw) * powers[Int(value.exp10) + 128]
        wrong = wrong || !((value.value - exact).magnitude <= exact.magnitude * 1e-9)
      }
    }
    return !wrong && signs >= 0 && qualifiers <= 3 && UInt32(flags) & ~MH_VALUE_ROUNDED == 0
  }

  private var recordsPass: Bool {
    let (values, arena) = (Int64(output.values.count), Int64(output.arena.count))
    let (earliest, latest) = (OutputCheck.times.lowerBound, OutputCheck.times.upperBound)
    var signs: Int64 = 0
    var (kinds, classes, timeKinds, flags, texts) = (UInt32(0), UInt16(0), UInt16(0), UInt32(0), UInt64(0))
    for record in output.records {
      // Kinds are 1 to 4 and classes 1 to 3: less one, two bits.
      kinds |= record.kind &- 1
      classes |= record.ident_class &- 1
      timeKinds |= record.time_kind
      flags |= record.flags
      texts |= UInt64(record.first_text) | UInt64(record.n_texts)
      signs |= values &- Int64(record.first_value) &- Int64(record.n_values)
      signs |= (arena &- Int64(record.ident_off) &- Int64(record.ident_len)) | (Int64(record.ident_len) &- 1)
      // A difference that wraps around comes with one that does not and is negative.
      signs |= (record.t_us &- earliest) | (latest &- record.t_us)
      signs |= (latest &- record.end_us) | (record.end_us &- record.t_us)
    }
    // Times without an offset only, and no class 3 beside class 2: the rest is not plain.
    return signs >= 0 && kinds <= 3 && classes <= 2 && timeKinds <= UInt16(MH_TIME_CIVIL)
      && flags & ~OutputCheck.knownFlags == 0 && texts == 0
  }
}
