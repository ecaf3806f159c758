import CLinux
import Testing

@Suite("Libraries that are loaded late")
struct LateLibraryTests {
  @Test("a library that is not installed is named")
  func missing() {
    #expect(load("libmeterhost-nowhere.so.9", []).reason?.contains("libmeterhost-nowhere.so.9") == true)
  }

  @Test("a function gets its address, and one that the library lacks is named")
  func functions() {
    let found = load("libc.so.6", ["getpid"])
    #expect(found.reason == nil && found.addresses == [true] && found.isReady)
    let lacking = load("libc.so.6", ["getpid", "meterhost_nowhere"])
    #expect(lacking.reason?.contains("meterhost_nowhere") == true && !lacking.isReady)
  }

  @Test("what the library's own preparation says is the reason")
  func ready() {
    #expect(load("libc.so.6", ["getpid"], isUsable: false).reason == "it is out of sorts")
  }

  private func load(
    _ file: StaticString, _ names: [StaticString], isUsable: Bool = true
  ) -> (reason: String?, addresses: [Bool], isReady: Bool) {
    var addresses = [UnsafeMutableRawPointer?](repeating: nil, count: names.count)
    return addresses.withUnsafeMutableBufferPointer { addresses in
      let functions = names.indices.map { index in
        clinux_late_function(name: text(names[index]), address: addresses.baseAddress.map { $0 + index })
      }
      return functions.withUnsafeBufferPointer { functions in
        var library = clinux_late_library()
        library.file = text(file)
        library.functions = functions.baseAddress
        library.n_functions = functions.count
        if !isUsable {
          library.ready = { _ in
            let words: StaticString = "it is out of sorts"
            return UnsafeRawPointer(words.utf8Start).assumingMemoryBound(to: CChar.self)
          }
        }
        let reason = clinux_load_library(&library).map { String(cString: $0) }
        return (reason, addresses.map { $0 != nil }, library.is_loaded == 1)
      }
    }
  }

  /// Literals live as long as the program.
  private func text(_ literal: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
