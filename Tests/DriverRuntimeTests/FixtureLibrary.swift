import DriverContract
import DriverRuntime
import Foundation
import TestSupport

/// The misbehaving drivers, mapped into this process once.
enum FixtureLibrary {
  static let shared = Result { try load() }

  static func load(_ sources: [String] = ["drivers.c"], defines: [String] = [], extra: [String] = []) throws
    -> DriverLibrary
  {
    let file = try CompiledBundle.make(sources, defines: defines, extra: extra)
    // Stays open: the loader knows a bundle by its descriptor's number.
    return try DriverLibrary(descriptor: open(file.path, O_RDONLY | O_CLOEXEC), name: "fixture")
  }

  static func session(_ driver: String, storage: [String: [UInt8]] = [:]) throws -> LocalSession {
    try LocalSession(library: shared.get(), driver: driver, opening: DriverOpening(storage: storage))
  }
}

extension DriverEvent {
  static func fact(_ fact: DriverFact, sequence: UInt64 = 1) -> DriverEvent {
    DriverEvent(sequence: sequence, monotonicNanoseconds: 5, unixMicroseconds: 6, fact: fact)
  }

  static func notification(_ bytes: [UInt8], sequence: UInt64 = 1) -> DriverEvent {
    .fact(.notification(handle: 3, bytes), sequence: sequence)
  }
}
