import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
  init(status: HTTPResponse.Status = .ok, json: some Encodable) {
    self.init(bytes: PageJSON.encode(json), mediaType: "application/json", status: status)
  }

  init(bytes: [UInt8], mediaType: String, status: HTTPResponse.Status = .ok) {
    self.init(
      status: status, headers: [.contentType: mediaType], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
