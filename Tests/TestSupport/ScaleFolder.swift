public import Foundation

/// The scale of docs/examples as an author's folder, ready to be packed, in any version.
public struct ScaleFolder: Sendable {
  /// Its driver and its package.
  public static let id = "org.example.scale"
  /// Its entry of the catalogue.
  public static let peripheral = 910_001

  /// The folder.
  public let url: URL
  /// The file with the registry fragment.
  public var fragment: URL { url.appending(path: "scale.json") }
  /// The library for this machine.
  public var library: URL { url.appending(path: "libexample-scale.so") }

  /// Compiles the bundle and lays the folder out.
  ///
  /// - Parameters:
  ///   - fragmentVersion: What the fragment says; nil: the same as the bundle.
  ///   - isForeign: Adds a library for another machine, too.
  public init(_ url: URL, version: String = "1.0.0", fragmentVersion: String? = nil, isForeign: Bool = false) throws {
    self.url = url
    let example = CompiledBundle.root.appending(path: "docs/examples/scale")
    let files = FileManager.default
    try files.createDirectory(at: url.appending(path: "build"), withIntermediateDirectories: true)
    let code = try String(contentsOf: example.appending(path: "scale.c"), encoding: .utf8)
    let source = url.appending(path: "build/scale.c")
    try Data(code.replacing("TEXT(\"1.0.0\")", with: "TEXT(\"\(version)\")").utf8).write(to: source)
    let built = try CompiledBundle.compile(
      source, include: CompiledBundle.root.appending(path: "SDK/include"), isBundle: true)
    try files.copyItem(at: built, to: url.appending(path: "libexample-scale.so"))
    let text = try String(contentsOf: example.appending(path: "scale.json"), encoding: .utf8)
    try Data(text.replacing("\"1.0.0\"", with: "\"\(fragmentVersion ?? version)\"").utf8).write(to: fragment)
    try Data("MIT\n".utf8).write(to: url.appending(path: "LICENSE"))
    try Data("# Example scale\n".utf8).write(to: url.appending(path: "README.md"))
    try files.createDirectory(at: url.appending(path: "assets/pictures"), withIntermediateDirectories: true)
    try Data([0x89, 0x50, 0x4e, 0x47]).write(to: url.appending(path: "assets/pictures/scale.png"))
    if isForeign { try addForeignLibrary() }
  }

  /// Changes the fragment's text; the old text must be there.
  public func change(_ old: String, _ new: String) throws {
    let text = try String(contentsOf: fragment, encoding: .utf8)
    guard text.contains(old) else { throw CocoaError(.formatting) }
    try Data(text.replacing(old, with: new).utf8).write(to: fragment)
  }

  /// The library with another machine in its head: as good as any for all that is checked of a foreign one.
  private func addForeignLibrary() throws {
    var bytes = [UInt8](try Data(contentsOf: library))
    // e_machine stands at offset 18: 183 is AArch64, 62 is x86-64.
    let isIntel = bytes[18] == 62
    bytes[18] = isIntel ? 183 : 62
    let folder = url.appending(path: isIntel ? "linux-aarch64" : "linux-x86_64")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: folder.appending(path: "libexample-scale.so"))
  }
}
