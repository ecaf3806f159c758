import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

@Suite("Pictures of meters") struct PeripheralPictureTests {
  static let head = #"<svg xmlns="http://www.w3.org/2000/svg">"#

  @Test("every entry of the catalogue has one of its own that passes the check, small and with its name as title")
  func ofTheCatalogue() throws {
    let registry = try Registry.load(RegistrySources(base: RegistryFixture.repositoryFile))
    var named: Set<String> = []
    for entry in registry.peripherals {
      let picture = try #require(entry.picture, "\(entry.key) has no picture")
      #expect(picture.mediaType == .svg)
      let bytes = try picture.content()
      #expect(bytes.count < 6 << 10, "\(entry.key)")
      let title = try SVGCheck.check(bytes).title?.replacing("&amp;", with: "&")
      #expect(title == entry.name)
      #expect(named.insert(picture.file).inserted, "\(entry.key) has another's picture")
    }
    let files = try FileManager.default.contentsOfDirectory(
      atPath: RegistryFixture.root.appending(path: "pictures").path)
    #expect(Set(files.map { "pictures/\($0)" }) == named)
  }

  @Test(
    "a drawing of shapes, words and gradients is taken",
    arguments: [
      "<title>a &amp; b</title><g><path d='M1 2'/></g>", "<rect fill=\"url(#a-1)\"/>", "<rect fill='rgb(1, 2, 3)'/>",
      "<defs><linearGradient id='a'><stop offset='0' stop-color='#fff'/></linearGradient></defs>", "<!-- a --> <g></g>",
      "<text x='1' y='2'>SYS</text>",
    ])
  func taken(inner: String) throws {
    _ = try SVGCheck.check(Array("\(Self.head)\(inner)</svg>\n".utf8))
    _ = try SVGCheck.check(Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(Self.head)\(inner)</svg>".utf8))
  }

  @Test(
    "what runs, fetches, hides or grows is refused",
    arguments: [
      "<script>alert(1)</script>", "<foreignObject/>", "<image href='http://a/'/>", "<use href='#a'/>", "<a/>",
      "<style>@import url(x)</style>", "<animate/>", "<set/>", "<filter id='a'/>", "<svg onload='x()'/>", "<svg/>",
      "<g onclick='x()'/>", "<g style='fill:red'/>", "<g xlink:href='#a'/>", "<g xmlns:x='y'/>", "<x:script/>",
      "<rect fill='url(http://a/#b)'/>", "<rect fill='url(//a)'/>", "<rect fill='u\\72l(//a)'/>",
      "<rect fill='&#117;rl(//a)'/>", "<rect stroke='image-set(a)'/>", "<text>&#60;</text>", "<text>&a;</text>",
      "<![CDATA[x]]>", "<!ENTITY a 'b'>", "<?xml-stylesheet href='x'?>", "<g></svg></g>", "words", "<g id='a' id='b'/>",
      "<SCRIPT/>", "<g/><", "<!--", "<g fill=red/>", "<g fill", String(repeating: "<g>", count: 40), "\u{0}",
      String(repeating: "<g/>", count: 2_001),
    ])
  func refused(inner: String) {
    #expect(throws: PictureFault.self) { _ = try SVGCheck.check(Array("\(Self.head)\(inner)</svg>".utf8)) }
  }

  @Test(
    "so is what is no drawing",
    arguments: [
      "", "<svg/>", "<g/>", "<svg xmlns='http://www.w3.org/1999/xhtml'/>", "\(head)</svg>\(head)</svg>",
      "\(head)</svg><g/>", "<!DOCTYPE svg>\(head)</svg>", "<?xml version=\"1.0\" encoding=\"UTF-7\"?>\(head)</svg>",
      head,
    ])
  func noDrawing(text: String) {
    #expect(throws: PictureFault.self) { _ = try SVGCheck.check(Array(text.utf8)) }
  }

  @Test("the line of what is wrong is named") func line() {
    let fault = PeripheralPicture.MediaType.svg.fault(in: Array("\(Self.head)\n<g/>\n<script/></svg>".utf8))
    #expect(fault?.line == 3 && fault?.problem.contains("<script>") == true)
  }

  @Test("damaged drawings are answered, whatever the damage") func damaged() {
    let whole = Array("\(Self.head)<title>a</title><g fill=\"url(#a)\"><path d='M1 2'/></g><!-- c --></svg>".utf8)
    let letters = Array("<>/&;\"'= x\\\u{e9}".utf8)
    var random = SeededGenerator(seed: 30)
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        guard let place = bytes.indices.randomElement(using: &random) else { break }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes.remove(at: place)
        case 1: bytes[place] = letters.randomElement(using: &random) ?? 0
        default: bytes.removeSubrange(place...)
        }
      }
      _ = try? SVGCheck.check(bytes)
    }
  }

  @Test("a file that is missing, too large, another kind, or elsewhere by a link is not shown") func files()
    async throws
  {
    try await Sandbox.with { sandbox in
      func entry(_ image: String) throws -> Peripheral {
        let text = RegistryFixture.text(peripherals: RegistryFixture.peripheral(1, ", \"image_url\": \"\(image)\""))
        let base = try sandbox.file("registry.json", text)
        return try #require(try Registry.load(RegistrySources(base: base)).peripheral(id: 1))
      }
      func code(_ image: String) throws -> RegistryError.Code? {
        let picture = try #require(try entry(image).picture)
        return #expect(throws: RegistryError.self) { _ = try picture.content() }?.code
      }
      _ = try sandbox.file("good.svg", "\(Self.head)</svg>")
      let good = try #require(try entry("good.svg").picture)
      #expect(try good.content().count == Self.head.utf8.count + 6 && good.path == sandbox.path("good.svg"))
      #expect(try code("none.svg") == .unreadableFile)
      _ = try sandbox.file("bad.svg", "\(Self.head)<script/></svg>")
      #expect(try code("bad.svg") == .invalidValue)
      _ = try sandbox.file("large.svg", "\(Self.head)</svg>" + String(repeating: " ", count: 64 << 10))
      #expect(try code("large.svg") == .unreadableFile)
      _ = try sandbox.file("words.png", "PNG")
      #expect(try code("words.png") == .invalidValue)
      try FileManager.default.createSymbolicLink(atPath: sandbox.path("link.svg"), withDestinationPath: "/etc/hostname")
      #expect(try code("link.svg") == .escapingPath)
      #expect(try entry("good.gif").picture == nil)
      #expect(try entry("https://example.org/a.svg").picture == nil)
    }
  }

  @Test("a package with a picture that is not shown is neither packed nor installed") func packages() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      func package(_ text: String) throws -> PackageContent {
        try fixture.package { folder in
          try folder.change("\"model\": \"S1\",", "\"model\": \"S1\", \"image_url\": \"assets/scale.svg\",")
          try Data(text.utf8).write(to: folder.url.appending(path: "assets/scale.svg"))
        }
      }
      let error = #expect(throws: PackageError.self) { _ = try package("\(Self.head)\n<script/></svg>") }
      #expect(error?.code == .registryProblem && error?.message.contains("line 2") == true)
      _ = try await fixture.installer().install(package("\(Self.head)<title>Scale</title></svg>"))
      let entry = try #require(try fixture.load().peripheral(id: UInt32(ScaleFolder.peripheral)))
      #expect(try entry.picture?.content().isEmpty == false)
    }
  }
}
