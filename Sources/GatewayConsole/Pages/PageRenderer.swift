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
    var library = MustacheLibrary()
    for template in PageTemplate.allCases { try library.register(template.text, named: template.rawValue) }
    self.library = library
  }

  /// The page as HTML. Every value in it is escaped, and what cannot be seen or turns the direction of writing is marked.
  func html<Page: ConsolePage>(_ page: Page, in frame: PageFrame) -> String {
    // Each template is registered: all have one name.
    marked(library.render(Whole(frame: frame, page: page), withTemplate: Page.template.rawValue) ?? "")
  }
}
