/// Reads a struct that the other side of the contract filled and that begins with its size (rule R3): fields behind its
/// end are zero, and what it has beyond the fields known here stays unread.
///
/// - Parameters:
///   - pointer: The struct; as many bytes as it says can be read.
///   - empty: All zero.
package func grownStruct<Struct: BitwiseCopyable>(_ pointer: UnsafePointer<Struct>, empty: Struct) -> Struct {
  let raw = UnsafeRawPointer(pointer)
  let size = Int(min(raw.loadUnaligned(as: UInt32.self), UInt32(MemoryLayout<Struct>.size)))
  var result = empty
  withUnsafeMutableBytes(of: &result) { $0.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: size)) }
  return result
}
