import Testing

@testable import MeterConsole

@Suite struct PageTests {
  private func text(_ file: PageFile, below base: String = "") -> String {
    String(decoding: file.content(pageToken: "TOKEN", base: base), as: UTF8.self)
  }

  @Test(arguments: PageFile.allCases)
  func nothingComesFromElsewhere(file: PageFile) {
    let text = text(file).replacing("http://www.w3.org/2000/svg", with: "")
    for word in ["http:", "https:", "@import", "url(", "//cdn"] { #expect(!text.contains(word)) }
  }

  @Test func thePageFitsItsPolicy() {
    let page = text(.page)
    // A policy without `unsafe-inline` lets neither run.
    #expect(page.firstMatch(of: /<script(?![^>]*\ssrc=)/) == nil)
    #expect(page.firstMatch(of: /\s(style|on[a-z]+)=/) == nil)
    #expect(!page.contains("<style"))
    let script = text(.script) + text(.result)
    for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
      #expect(!script.contains(sink))
    }
  }

  @Test func thePageCarriesItsTokenOnce() {
    let page = text(.page)
    #expect(page.ranges(of: "TOKEN").count == 1)
    #expect(!page.contains("PAGE-TOKEN"))
    #expect(page.contains(#"<html lang="en">"#))
  }

  @Test func whereTheViewLiesStandsBeforeItsFiles() {
    #expect(text(.page).contains(#"src="/view.js""#) && !text(.page).contains("VIEW-BASE"))
    let page = text(.page, below: "/displays")
    #expect(page.contains(#"src="/displays/view.js""#) && page.contains(#"name="view-base" content="/displays""#))
    // No address in a script is the server's own.
    for file in [PageFile.script, .result] {
      #expect(text(file).firstMatch(of: /(EventSource\(|src = )[`']\/api/) == nil)
    }
  }

  /// The script finds what it looks for.
  @Test func scriptAndPageNameTheSameElements() {
    let page = text(.page)
    for match in (text(.script) + text(.result)).matches(of: /\$\('([a-z-]+)'\)/) {
      #expect(page.contains(#"id="\#(match.1)""#), "\(match.1)")
    }
  }

  @Test func everyLabelAndDescriptionHasItsElement() {
    let page = text(.page)
    for match in page.matches(of: /(?:for|aria-labelledby|aria-describedby)="([a-z-]+)"/) {
      #expect(page.contains(#"id="\#(match.1)""#), "\(match.1)")
    }
  }

  @Test func everyAdviceIsASentence() {
    let sentences = PreviewAdvice.allCases.map(\.sentence)
    #expect(Set(sentences).count == sentences.count)
    #expect(sentences.allSatisfy { $0.hasSuffix(".") })
  }
}
