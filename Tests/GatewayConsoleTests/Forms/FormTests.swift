import Testing

@testable import GatewayConsole

@Suite("Forms of the console") struct FormTests {
  @Test func fieldsAreReadAsBrowsersWriteThem() throws {
    let fields = try #require(FormFields("a=1&b=%C3%A4+x%2By&c=&d&a-e=5&twice=1&twice=2".utf8))
    #expect(fields["a"] == "1" && fields["b"] == "ä x+y" && fields["c"] == "" && fields["d"] == "")
    #expect(fields["twice"] == nil && fields.all("twice") == ["1", "2"] && fields["none"] == nil)
    #expect(fields.beginning("a-").map(\.name) == ["e"])
    #expect(FormFields("a=%FF".utf8) == nil && FormFields("a=%4".utf8) == nil && FormFields("a=%zz".utf8) == nil)
    #expect(FormFields(String(repeating: "a&", count: 601).utf8) == nil)
    #expect(try #require(FormFields("a=+%09b++c+".utf8)).filled("a") == "b c")
  }

  private static let form =
    "--xyz\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nsecret\r\n--xyz\r\n"
    + "Content-Disposition: form-data; name=\"file\"; filename=\"a b.zip\"\r\nContent-Type: application/zip\r\n\r\n"
    + "PK\r\n--xy-not-the-end\r\n\r\n--xyz--\r\n"

  /// Wherever the pieces are cut, the file has its bytes.
  @Test(arguments: Array(1...40) + [400]) func aFileIsReadHoweverItFalls(length: Int) throws {
    var reader = try #require(MultipartReader(contentType: "multipart/form-data; boundary=xyz"))
    var parts: [MultipartReader.Part] = []
    let bytes = Array(Self.form.utf8)
    for start in stride(from: 0, to: bytes.count, by: length) {
      parts += try reader.take(bytes[start..<min(start + length, bytes.count)])
    }
    var file: [UInt8] = []
    for case .bytes(let some) in parts { file += some }
    #expect(String(decoding: file, as: UTF8.self) == "PK\r\n--xy-not-the-end\r\n")
    #expect(parts.first == .field(name: "token", value: "secret"))
    #expect(parts.contains(.file(field: "file", name: "a b.zip")))
    #expect(parts.suffix(2) == [.fileEnd, .end])
  }

  @Test func whatIsNoFormIsRefused() {
    #expect(MultipartReader(contentType: "text/plain") == nil && MultipartReader(contentType: nil) == nil)
    var reader = MultipartReader(contentType: "multipart/form-data; boundary=xyz")
    #expect(throws: MultipartReader.Malformed.self) { _ = try reader?.take(Array("--xyzzz".utf8)) }
    var long = MultipartReader(contentType: "multipart/form-data; boundary=xyz")
    #expect(throws: MultipartReader.Malformed.self) { _ = try long?.take([UInt8](repeating: 65, count: 10_000)) }
  }

  @Test func aFileWithoutTheTokenIsNotKept() throws {
    let reader = try #require(MultipartReader(contentType: "multipart/form-data; boundary=xyz"))
    var upload = Upload(reader, token: "other", folder: "/nonexistent")
    #expect(throws: BadForm.self) { _ = try upload.take(Array(Self.form.utf8)) }
  }
}
