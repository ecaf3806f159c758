import CLinux
import Foundation
import TestSupport
import Testing

/// What a bundle needs is mapped before its worker is confined: that must be no way for its own code to run there.
@Suite struct NeededLibraryTests {
  @Test("a needed library that is a path is not loaded, whatever wrote it there", arguments: [true, false])
  func paths(isPath: Bool) throws {
    let folder = try TemporaryFolder()
    let (mark, library, bundle) = (folder.path + "/ran", folder.path + "/libneeded.so", folder.path + "/bundle.so")
    try compile(
      """
      #include <fcntl.h>
      #include <unistd.h>
      __attribute__((constructor)) static void begin(void) { close(open("\(mark)", O_CREAT | O_WRONLY, 0600)); }
      int needed(void) { return 1; }
      """, ["-Wl,-soname,\(isPath ? library : "libnowhere-of-tests.so")"], to: library)
    try compile("int needed(void); int own(void) { return needed(); }", [library], to: bundle)
    let descriptor = open(bundle, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var words = [CChar](repeating: 0, count: 256)
    let result = clinux_load_needed(descriptor, &words, UInt32(words.count))
    // One that is a name is looked for, and this one is nowhere.
    #expect(result == (isPath ? 0 : -1))
    #expect(!FileManager.default.fileExists(atPath: mark))
  }

  private func compile(_ source: String, _ arguments: [String], to output: String) throws {
    try (source + "\n").write(toFile: output + ".c", atomically: true, encoding: .utf8)
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = ["clang", "-shared", "-fPIC", "-o", output, output + ".c"] + arguments
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
  }
}
