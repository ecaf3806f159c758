import CMeterDriver
import DriverContract

/// Host-owned buffers for the unit of an import.
final class ImportSink {
  private let samples: UnsafeMutablePointer<mh_import_sample>
  private let attributes: UnsafeMutablePointer<mh_import_attribute>
  private let names: UnsafeMutablePointer<mh_import_name>
  private let counts: UnsafeMutablePointer<mh_import_count>
  private let refusals: UnsafeMutablePointer<mh_import_refusal>
  private let arena: UnsafeMutablePointer<UInt8>
  /// What the driver sees. It may scribble over it: only the counts are read back, against the host's own capacities.
  let table: UnsafeMutablePointer<mh_import_sink>

  /// Of the event so far, over all its rounds.
  private(set) var actions = TakenActions()

  /// One round: what the driver has written is still in the processor's cache when it is copied, and the largest chunk takes few
  /// rounds.
  static let capacity = ImportExtent(
    samples: 4 * Int(MH_IMPORT_SAMPLES_MIN), attributes: 4 * Int(MH_IMPORT_ATTRIBUTES_MIN),
    names: 4 * Int(MH_IMPORT_NAMES_MIN), counts: 4 * Int(MH_IMPORT_COUNTS_MIN),
    refusals: 4 * Int(MH_IMPORT_REFUSALS_MIN), arena: 4 * Int(MH_IMPORT_ARENA_MIN))

  init() {
    samples = .allocate(capacity: Self.capacity.samples)
    attributes = .allocate(capacity: Self.capacity.attributes)
    names = .allocate(capacity: Self.capacity.names)
    counts = .allocate(capacity: Self.capacity.counts)
    refusals = .allocate(capacity: Self.capacity.refusals)
    arena = .allocate(capacity: Self.capacity.arena)
    table = .allocate(capacity: 1)
    startRound()
  }

  deinit {
    samples.deallocate()
    attributes.deallocate()
    names.deallocate()
    counts.deallocate()
    refusals.deallocate()
    arena.deallocate()
    table.deallocate()
  }

  /// Forgets the event before.
  func startEvent() { actions = TakenActions() }

  /// Empties the buffers and undoes whatever the driver did to the table.
  func startRound() {
    let capacity = Self.capacity
    table.initialize(
      to: mh_import_sink(
        struct_size: UInt32(MemoryLayout<mh_import_sink>.size), reserved: 0,
        names: names, n_names: 0, cap_names: UInt64(capacity.names),
        samples: samples, n_samples: 0, cap_samples: UInt64(capacity.samples),
        attributes: attributes, n_attributes: 0, cap_attributes: UInt64(capacity.attributes),
        counts: counts, n_counts: 0, cap_counts: UInt64(capacity.counts),
        refusals: refusals, n_refusals: 0, cap_refusals: UInt64(capacity.refusals),
        arena: arena, n_arena: 0, cap_arena: UInt64(capacity.arena), exported_us: 0, flags: 0,
        act: { _, action in ImportSink.current?.actions.take(action, isKnown: ImportCheck.isKnown) ?? MH_E_DENIED },
        ctx: nil))
  }

  /// What lies in the buffers now; nil when a count exceeds its capacity.
  var round: RawImportRound? {
    let given = table.pointee
    let capacity = Self.capacity
    guard given.n_samples <= UInt64(capacity.samples), given.n_attributes <= UInt64(capacity.attributes),
      given.n_names <= UInt64(capacity.names), given.n_counts <= UInt64(capacity.counts),
      given.n_refusals <= UInt64(capacity.refusals), given.n_arena <= UInt64(capacity.arena)
    else { return nil }
    return RawImportRound(
      samples: UInt32(given.n_samples), attributes: UInt32(given.n_attributes), names: UInt32(given.n_names),
      counts: UInt32(given.n_counts), refusals: UInt32(given.n_refusals), arena: UInt32(given.n_arena),
      exportedMicroseconds: given.exported_us, flags: given.flags)
  }

  /// Appends the rows and the arena of a round.
  func copy(_ round: RawImportRound, to content: inout [UInt8]) {
    content.append(contentsOf: UnsafeRawBufferPointer(start: samples, count: round.samples))
    content.append(contentsOf: UnsafeRawBufferPointer(start: attributes, count: round.attributes))
    content.append(contentsOf: UnsafeRawBufferPointer(start: names, count: round.names))
    content.append(contentsOf: UnsafeRawBufferPointer(start: counts, count: round.counts))
    content.append(contentsOf: UnsafeRawBufferPointer(start: refusals, count: round.refusals))
    content.append(contentsOf: UnsafeRawBufferPointer(start: arena, count: round.arena))
  }

  /// The sink of the call that this thread is inside; nothing that a driver passes is followed (rule R7).
  private static var current: ImportSink? { CallContext.current?.extensionSink as? ImportSink }
}

extension UnsafeRawBufferPointer {
  /// So many elements as bytes.
  fileprivate init<Element>(start: UnsafeMutablePointer<Element>, count: UInt32) {
    self.init(start: UnsafeRawPointer(start), count: Int(count) * MemoryLayout<Element>.stride)
  }
}
