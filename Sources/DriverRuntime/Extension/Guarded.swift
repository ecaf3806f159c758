/// A struct that a driver fills, with a fence behind it.
final class Guarded<Value: BitwiseCopyable> {
  private static var size: Int { 64 }
  private static var fenceByte: UInt8 { 0xa5 }
  private let memory: UnsafeMutableRawPointer
  let value: UnsafeMutablePointer<Value>

  init(_ empty: Value) {
    let length = MemoryLayout<Value>.stride
    memory = .allocate(byteCount: length + Self.size, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: Self.fenceByte, count: length + Self.size)
    value = memory.bindMemory(to: Value.self, capacity: 1)
    value.initialize(to: empty)
  }

  deinit { memory.deallocate() }

  /// Whether nothing was written behind the struct.
  var isIntact: Bool {
    UnsafeRawBufferPointer(start: memory + MemoryLayout<Value>.stride, count: Self.size)
      .allSatisfy { $0 == Self.fenceByte }
  }
}
