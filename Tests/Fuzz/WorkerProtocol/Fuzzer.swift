import Foundation

/// libFuzzer's loop (compiler-rt, FuzzerInterface.h and FuzzerDriver.cpp).
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// What the package manager takes for this program's `main`. With METERHOST_FUZZ_SEEDS it first writes what a fuzzer can begin
/// with into that folder.
@c(worker_fuzz_main)
public func fuzz(
  _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  if let folder = ProcessInfo.processInfo.environment["METERHOST_FUZZ_SEEDS"], !writeSeeds(to: folder) { return 1 }
  var (count, arguments) = (count, arguments)
  return runDriver(&count, &arguments) { data, size in
    do { try ProtocolFuzz.run(UnsafeBufferPointer(start: data, count: size)) } catch {
      // Standard output is not written out before an abort.
      FileHandle.standardError.write(Data("fuzz-worker: \(error)\n".utf8))
      abort()
    }
    return 0
  }
}

private func writeSeeds(to folder: String) -> Bool {
  for seed in ProtocolSeeds.all {
    do { try Data(seed.bytes).write(to: URL(fileURLWithPath: folder).appending(path: seed.name)) } catch {
      print("fuzz-worker: \(folder) cannot be written: \(error)")
      return false
    }
  }
  return true
}
