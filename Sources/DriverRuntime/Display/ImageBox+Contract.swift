import CMeterDriver
import DriverContract

extension ImageBox {
  var raw: mh_ocr_box { mh_ocr_box(x: Float(x), y: Float(y), width: Float(width), height: Float(height)) }

  init(_ box: mh_ocr_box) {
    self.init(x: Double(box.x), y: Double(box.y), width: Double(box.width), height: Double(box.height))
  }
}
