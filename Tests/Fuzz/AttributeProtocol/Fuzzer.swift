import Dispatch
import Foundation

/// libFuzzer's loop (compiler-rt, FuzzerInterface.h and FuzzerDriver.cpp).
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// What the package manager takes for this program's `main`.
@c(att_fuzz_main)
public func fuzz(
  _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  var (count, arguments) = (count, arguments)
  return runDriver(&count, &arguments) { data, size in
    let input = Array(UnsafeBufferPointer(start: data, count: size))
    let isOver = DispatchSemaphore(value: 0)
    Task.detached {
      do { try await ATTFuzz.run(input) } catch {
        // Standard output is not written out before an abort.
        FileHandle.standardError.write(Data("fuzz-att: \(error)\n".utf8))
        abort()
      }
      isOver.signal()
    }
    isOver.wait()
    return 0
  }
}
