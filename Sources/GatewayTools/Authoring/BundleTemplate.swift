import GatewayAPI
import Foundation

/// A model bundle of the SDK: whole and working under the name `template-meter` or `template-export`, which a copy exchanges for its
/// own.
struct BundleTemplate {
  let folder: String

  /// A text file of the template.
  struct File {
    /// Where it goes, relative to the bundle's folder.
    let path: String
    let text: String
  }

  /// Reads the files with the bundle's own names in them.
  ///
  /// - Throws: ``GatewayError`` with code `sdk_damaged`.
  func files(for name: BundleName) throws(GatewayError) -> [File] {
    let replacements = Self.replacements(for: name)
    var files: [File] = []
    for path in try Self.paths(in: folder) {
      guard let data = FileManager.default.contents(atPath: folder + "/" + path),
        let text = String(validating: data, as: UTF8.self)
      else { throw Self.damaged("\(folder)/\(path) cannot be read as text") }
      // A file that begins with a dot would hide in the SDK.
      let place = path == "gitignore" ? ".gitignore" : path
      files.append(File(path: place, text: Self.replacing(replacements, in: text)))
    }
    guard !files.isEmpty else { throw Self.damaged("\(folder) is empty") }
    return files
  }

  /// The regular files below a folder, by their paths relative to it.
  static func paths(in folder: String) throws(GatewayError) -> [String] {
    guard let all = FileManager.default.enumerator(atPath: folder) else { throw damaged("\(folder) is not there") }
    var paths: [String] = []
    for case let path as String in all where all.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
      paths.append(path)
    }
    return paths.sorted()
  }

  private static func replacements(for name: BundleName) -> [(template: String, own: String)] {
    [
      ("org.example.template-meter", name.id), ("template-meter", name.word), ("TemplateMeter", name.typeName),
      ("org.example.template-export", name.id), ("template-export", name.word), ("TemplateExport", name.typeName),
      ("Template Vendor", name.vendor), ("910000", "\(name.peripheral)"), ("C0:FF:EE:00:00:00", name.address),
    ]
  }

  /// One pass, so that nothing of a replacement is replaced again; of two that fit at one place the first counts.
  static func replacing(_ replacements: [(template: String, own: String)], in text: String) -> String {
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.first {
      if let fit = replacements.first(where: { rest.starts(with: $0.template.utf8) }) {
        result += fit.own.utf8
        rest = rest.dropFirst(fit.template.utf8.count)
      } else {
        result.append(byte)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  static func damaged(_ what: String) -> GatewayError {
    GatewayError(
      .unavailable, code: "sdk_damaged", "the SDK is damaged: \(what)",
      hint: "install MeterHost again, or name another SDK")
  }
}
