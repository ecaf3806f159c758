#include "functions.h"

#include <meterhost/functions.h>

#include "frame.h"

static const mh_test_vector vectors[] = {
    {"sbf70-live", "e7590301010000000000000065e75903026a21f4c6068701b500df02e759030309018d00e907170aa20108", BEURER_VALUE, 0,
     MH_OK, 1, MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, 8355, -2, MH_TIME_UTC, INT64_C(1780610246000000)},
    {"sbf70-settling", "e75801085e", BEURER_VALUE, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, 1071, -1,
     MH_TIME_NONE, 0},
    {"user only", "e7590301010000000000000065", BEURER_VALUE, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"answer", "e7f04f006414dc0100000005", BEURER_VALUE, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"too heavy", "e7580117d4", BEURER_VALUE, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
    {"short", "e75801", BEURER_VALUE, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(beurer_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

/* The two public clients differ in nothing here, so that a capture can be compared byte by byte. */
static int32_t acknowledgement(mh_bytes frame, uint8_t *out, uint64_t *n) {
  if (!beurer_is_frame(frame) || frame.n < 4) return MH_E_PROTOCOL;
  uint8_t bytes[] = {frame.p[0], BEURER_TAKEN, frame.p[1], frame.p[2], frame.p[3]};
  return mh_put_bytes(out, n, bytes, sizeof bytes);
}

const mh_extension_function beurer_functions[BEURER_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"acknowledgement", "i32(bytes,out_bytes)", (void (*)(void))acknowledgement},
};
