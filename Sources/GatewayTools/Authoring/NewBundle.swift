package import GatewayAPI
import Foundation

/// A bundle that was made: what `driver new` shows, and the line of its `--json`.
package struct NewBundle: Codable, Sendable, Hashable {
  /// The language that a bundle is written in.
  package enum Language: String, CaseIterable, Codable, Sendable {
    /// C11, built with make, CMake or SwiftPM.
    case c
    /// Embedded Swift, built with SwiftPM.
    case swift
    /// Rust without its own library, built with Cargo.
    case rust

    /// As people write it.
    fileprivate var title: String {
      switch self {
      case .c: "C"
      case .swift: "Swift"
      case .rust: "Rust"
      }
    }
  }

  /// What a bundle is for.
  package enum Kind: String, CaseIterable, Codable, Sendable {
    /// Reads a meter in the air.
    case meter
    /// Reads the files in which a program exports health data. There is a template in C.
    case `import`
  }

  /// What the author types next.
  package struct Commands: Codable, Sendable, Hashable {
    /// Builds the bundle.
    package let build: String
    /// Runs its tests and the host's.
    package let test: String
    /// Reads its virtual meter, or its sample of an export.
    package let read: String
  }

  /// The bundle's folder.
  package let folder: String
  package let name: String
  /// The driver's id.
  package let id: String
  /// What it is for.
  package let kind: Kind
  /// What it is written in.
  package let language: Language
  /// The number of its meter in the registry; nil: it reads none.
  package let peripheral: UInt32?
  /// Where the SDK was taken from.
  package let sdk: String
  /// What the author types next.
  package let commands: Commands

  /// Parts of the SDK that a bundle has no use for.
  private static let leftOut = ["templates/", "meters/"]

  /// Makes a bundle's folder, whole or not at all.
  ///
  /// - Parameters:
  ///   - folder: The folder to make; nil: the name, in the current one. What exists is never touched.
  ///   - program: How the author calls this program.
  /// - Throws: ``GatewayError`` with code `bad_name`, `no_template`, `folder_exists`, `cannot_write` or `sdk_damaged`.
  package static func make(
    _ name: BundleName, _ language: Language, kind: Kind = .meter, from kit: AuthoringKit,
    at folder: String? = nil, program: String = "meterhost"
  ) throws(GatewayError) -> NewBundle {
    let target = URL(fileURLWithPath: folder ?? name.word).standardizedFileURL
    // SwiftPM knows packages by the names of their folders, whatever the case: the bundle and its SDK would be one.
    guard target.lastPathComponent.lowercased() != "sdk" else {
      throw GatewayError(
        .usage, code: "bad_name",
        "a bundle's folder cannot be called \(target.lastPathComponent): it holds one of that name",
        hint: "choose another name, or another folder with --output")
    }
    let model = try templateName(language, kind)
    let template = BundleTemplate(folder: "\(kit.folder)/templates/\(model)")
    let files = try template.files(for: name)
    let copies = try BundleTemplate.paths(in: kit.folder).filter { path in
      !leftOut.contains { path.hasPrefix($0) } && !path.split(separator: "/").contains { $0.hasPrefix(".") }
    }
    try place(at: target) { staging throws(GatewayError) in
      for file in files { try write(Data(file.text.utf8), to: staging.appendingPathComponent(file.path)) }
      for path in copies {
        guard let data = FileManager.default.contents(atPath: kit.folder + "/" + path) else {
          throw BundleTemplate.damaged("\(kit.folder)/\(path) cannot be read")
        }
        try write(data, to: staging.appendingPathComponent("SDK/" + path))
        // The terms that fragment.json names.
        if path == "LICENSE" { try write(data, to: staging.appendingPathComponent(path)) }
      }
    }
    return NewBundle(
      folder: target.path, name: name.word, id: name.id, kind: kind, language: language,
      peripheral: kind == .meter ? name.peripheral : nil, sdk: kit.folder,
      commands: commands(folder ?? name.word, program))
  }

  /// The folder of the SDK's templates that a bundle is a copy of.
  private static func templateName(_ language: Language, _ kind: Kind) throws(GatewayError) -> String {
    switch (kind, language) {
    case (.meter, _): return language.rawValue
    case (.import, .c): return "import-c"
    case (.import, .swift), (.import, .rust):
      throw GatewayError(
        .usage, code: "no_template", "the SDK has no template for a driver of exports in \(language.title)",
        hint: "take --language c, whose contract is the same")
    }
  }

  private static func commands(_ folder: String, _ program: String) -> Commands {
    // A name that begins with a hyphen would be an option.
    let make = "make -C \(shellWord(folder.hasPrefix("-") ? "./" + folder : folder))"
    // On the PATH make finds the program itself.
    let with = program == "meterhost" ? "" : " METERHOST=\(shellWord(program))"
    return Commands(build: make, test: "\(make) test\(with)", read: "\(make) read\(with)")
  }

  /// Fills a folder under another name and gives it its own at last; what is there already stays as it is.
  private static func place(at target: URL, _ fill: (URL) throws(GatewayError) -> Void) throws(GatewayError) {
    let parent = target.deletingLastPathComponent()
    guard !target.path.isEmpty, access(target.path, F_OK) != 0 else { throw exists(target) }
    do {
      try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    } catch {
      throw cannotWrite(parent, error.localizedDescription)
    }
    let staging = parent.appendingPathComponent(".\(target.lastPathComponent).\(UUID().uuidString.prefix(8))")
    guard mkdir(staging.path, 0o755) == 0 else { throw cannotWrite(staging, String(cString: strerror(errno))) }
    do throws(GatewayError) {
      try fill(staging)
      // Takes the place of an empty folder at most, should one have come in between.
      guard rename(staging.path, target.path) == 0 else {
        throw [EEXIST, ENOTEMPTY, ENOTDIR].contains(errno)
          ? exists(target) : cannotWrite(target, String(cString: strerror(errno)))
      }
    } catch {
      try? FileManager.default.removeItem(at: staging)
      throw error
    }
  }

  private static func write(_ data: Data, to file: URL) throws(GatewayError) {
    do {
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: file)
    } catch {
      throw cannotWrite(file, error.localizedDescription)
    }
  }

  private static func exists(_ folder: URL) -> GatewayError {
    GatewayError(
      .usage, code: "folder_exists", "\(folder.path) is there already",
      hint: "choose another name, or another folder with --output")
  }

  private static func cannotWrite(_ file: URL, _ reason: String) -> GatewayError {
    GatewayError(.failed, code: "cannot_write", "\(file.path) cannot be written: \(reason)")
  }

  /// The word as a shell reads it back.
  static func shellWord(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
        || "/._-+,@".utf8.contains(byte)
    }
    return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }
}
