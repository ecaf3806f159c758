import CMeterDriver
import DriverContract
import DriverProbe
import MeterDrivers

extension Check {
  /// `decode`: pure, in any order, in any number, on any thread.
  static let decoding: [Check] = [
    decode("again", "The same values decode to the same when they are decoded again.") { probe, context, group, plain in
      context.difference(plain, try context.decode(group, on: probe), group)
    },
    decode("alone", "A value decodes to the same alone and among others.") { probe, context, group, plain in
      context.difference(plain, try context.decode(group, on: probe, .alone), group)
    },
    decode("at-once", "Three threads may decode at the same time.") { probe, context, group, plain in
      context.difference(plain, try context.decode(group, on: probe, .atOnce), group)
    },
    decode("order", "The order of values does not matter.") { probe, context, group, plain in
      var seed = Seed(context.seed)
      guard let outcomes = plain.first else { return nil }
      for order in [Array(group.cases.indices.reversed()), group.cases.indices.shuffled(using: &seed)] {
        var other = group
        other.cases = order.map { group.cases[$0] }
        let verdict = context.difference(
          [order.map { outcomes[$0] }], try context.decode(other, on: probe), other)
        if let verdict { return verdict }
      }
      return nil
    },
    decode("flags", "A flag of a later minor is answered MH_E_UNSUPPORTED.") { probe, context, group, plain in
      for flags in [2, 3, 0x8000] as [UInt16] {
        var other = group
        for index in other.cases.indices { other.cases[index].item.flags |= flags }
        for (index, outcome) in (try context.decode(other, on: probe).first ?? []).enumerated()
        where outcome.status != MH_E_UNSUPPORTED {
          return .failed(
            "a slice with the flags \(other.cases[index].item.flags) has status \(outcome.status), not "
              + "MH_E_UNSUPPORTED (-2)", place: group.cases[index].name)
        }
      }
      return nil
    },
    decode("unknown-characteristic", "A value of another characteristic is no record.") {
      probe, context, group, plain in
      var other = group
      for index in other.cases.indices { other.cases[index].item.characteristic = 0x2AFE }
      for (index, outcome) in (try context.decode(other, on: probe).first ?? []).enumerated()
      where outcome.status != MH_E_UNSUPPORTED {
        return .failed(
          "a value of a characteristic that is not the driver's has status \(outcome.status), not MH_E_UNSUPPORTED (-2)",
          place: group.cases[index].name)
      }
      return nil
    },
    Check(
      .r14, "outside", "A slice that points outside of the arena is MH_E_ARG for the whole call.",
      mend: "compare off and len with the arena's length, without overflow, before anything is decoded"
    ) { context in
      guard let one = context.cases.first, let group = DecodeGroup.groups([one]).first else {
        return .skipped(context.nothingToDecode)
      }
      return try await context.probing { probe in
        for displacement in [1, UInt32(one.item.bytes.count) + 1, .max] where !one.item.bytes.isEmpty {
          var item = one.item
          item.displacement = displacement
          context.trace.begin("decode", "a slice at \(displacement) of \(item.bytes.count) bytes")
          do throws(ProbeFailure) {
            let runs = try probe.client.decode(driver: context.driver, group.opening, [item])
            guard case .failure(ProbeRefusal(status: MH_E_ARG)) = runs.first else {
              return .failed("decode did not answer MH_E_ARG (-1)")
            }
          } catch { throw probe.fault(error) }
        }
        return .passed
      }
    },
    Check(
      .r14, "pure", "decode asks the host for nothing but log and asset.",
      mend: "keep storage, random numbers and keys to sessions"
    ) { context in
      guard !context.cases.isEmpty else { return .skipped(context.nothingToDecode) }
      return try await context.probing { probe in
        for group in DecodeGroup.groups(context.cases) { _ = try context.decode(group, on: probe) }
        let process: ProbedProcess
        do throws(ProbeFailure) { process = try probe.client.look() } catch { throw probe.fault(error) }
        return process.servicesInDecode.first.map { .failed("decode called \($0)") } ?? .passed
      }
    },
    Check(
      .r12, "truncated", "A value that is cut short never brings a number that the whole value does not have.",
      mend: "answer MH_E_PROTOCOL when a field that the flags announce is not there"
    ) { context in
      let groups = DecodeGroup.groups(context.cases.filter { $0.vector?.allowsTruncation ?? true })
      guard !groups.isEmpty else { return .skipped(context.nothingToDecode) }
      for group in groups {
        let verdict = try await context.probing { probe in try truncated(context, group, probe) }
        guard case .passed = verdict else { return verdict }
      }
      return .passed
    },
  ]

  private static func decode(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ProbeProcess, CheckContext, DecodeGroup, [[DecodeOutcome]]) throws -> Verdict?
  ) -> Check {
    Check(
      .r14, name, title,
      mend: "let decode depend on the opening and on one value's bytes alone; it has no state and changes none"
    ) { context in
      guard !context.cases.isEmpty else { return .skipped(context.nothingToDecode) }
      for group in DecodeGroup.groups(context.cases) {
        let verdict = try await context.probing { probe in
          try body(probe, context, group, try context.decode(group, on: probe))
        }
        if let verdict { return verdict }
      }
      return .passed
    }
  }

  private static func truncated(
    _ context: CheckContext, _ group: DecodeGroup, _ probe: ProbeProcess
  ) throws(DriverFault) -> Verdict {
    for (one, whole) in zip(group.cases, try context.decode(group, on: probe).first ?? []) {
      // Only what is measured: a shorter frame may well say something else about itself.
      let known = Set(whole.records.flatMap(\.measured))
      var cuts = group
      cuts.cases = (0..<one.item.bytes.count).map { length in
        var cut = one
        cut.item.bytes = Array(one.item.bytes.prefix(length))
        cut.name = "\(one.name) cut to \(length) bytes"
        return cut
      }
      guard !cuts.cases.isEmpty else { continue }
      for (cut, outcome) in zip(cuts.cases, try context.decode(cuts, on: probe).first ?? []) {
        if let value = outcome.records.flatMap(\.measured).first(where: { !known.contains($0) }) {
          return .failed(
            "it brings metric \(value.metric) = \(value.value), which the whole value does not have", place: cut.name)
        }
      }
    }
    return .passed
  }
}

extension DriverRecord {
  /// Values of measurements that a person would believe.
  fileprivate var measured: [DriverValue] {
    kind == .measurement ? values.filter { $0.metric < UInt16(MH_METRIC_CONTEXT_FIRST) } : []
  }
}

extension DecodeVector {
  /// Vectors of bytes that are refused say nothing about what is cut from them.
  fileprivate var allowsTruncation: Bool { refusal == nil }
}
