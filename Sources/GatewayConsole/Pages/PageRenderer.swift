import Mustache
import StrictJSON

/// Makes HTML of pages.
struct PageRenderer: Sendable {
  /// What a template sees: what is around the page, and the page.
  private struct Whole<Page: ConsolePage>: Sendable {
    let frame: PageFrame
    let page: Page
  }

  private let library: MustacheLibrary

  /// - Throws: `MustacheTemplate.ParserError` for a template that is none, which a test would have found.
  init() throws {
    MustacheContentTypes.register(PageText(), named: PageText.name)
    var library = MustacheLibrary()
    // A part has to say it for itself.
    for template in PageTemplate.allCases {
      try library.register("{{% CONTENT_TYPE:\(PageText.name)}}\n" + template.text, named: template.rawValue)
    }
    self.library = library
  }

  /// The page as HTML. Every value in it is escaped, and what cannot be seen or turns the direction of writing is marked.
  func html<Page: ConsolePage>(_ page: Page, in frame: PageFrame) -> String {
    // Each template is registered: all have one name.
    marked(library.render(Whole(frame: frame, page: page), withTemplate: Page.template.rawValue) ?? "")
  }
}

/// Escapes texts for HTML by their Unicode scalars.
///
/// The library's own way looks at characters as people see them: a sign with a mark that joins it from either side is another
/// character there, and goes unescaped into the page, where a browser takes it for the sign that it is.
private struct PageText: MustacheContentType {
  static let name = "CONSOLE"

  func escapeText(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
      case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
