#include "functions.h"

#include <meterhost/functions.h>

#include "frame.h"
#include "swan.h"

#define WEIGHT MH_METRIC_BODY_WEIGHT

static const mh_test_vector vectors[] = {
    {"c0-final", "396c17700a012508b8d0deb53a", 0x10c0, MH_SLICE_SERVICE_DATA, MH_OK, 1, WEIGHT, MH_UNIT_KILOGRAM, 14700, -2,
     MH_TIME_NONE, 0},
    {"c0-one-decimal", "0276138b0002215f5a29e5e094", 0xa3c0, MH_SLICE_SERVICE_DATA, MH_OK, 1, WEIGHT, MH_UNIT_KILOGRAM, 630,
     -1, MH_TIME_NONE, 0},
    {"c0-pound", "064817700a013180f416abcdef", 0x2bc0, MH_SLICE_SERVICE_DATA, MH_OK, 1, WEIGHT, MH_UNIT_POUND, 1608, -1,
     MH_TIME_NONE, 0},
    {"c0-idle", "000000000a012408b8d0deb53a", 0x03c0, MH_SLICE_SERVICE_DATA, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"v20-final", "0b41af2f810105051a90177087ed67372669d7", 0x20ca, MH_SLICE_SERVICE_DATA, MH_OK, 1, WEIGHT,
     MH_UNIT_KILOGRAM, 6800, -2, MH_TIME_NONE, 0},
    {"v20-one-decimal", "0b000000000101eb03b6138aeced67371b508c", 0x20ca, MH_SLICE_SERVICE_DATA, MH_OK, 1, WEIGHT,
     MH_UNIT_KILOGRAM, 950, -1, MH_TIME_NONE, 0},
    {"v20-checksum", "0b41af2f810105051a90177086ed67372669d7", 0x20ca, MH_SLICE_SERVICE_DATA, MH_E_PROTOCOL, 0, 0, 0, 0, 0,
     0, 0},
    {"f0", "0204db03000000000000000050fb19c01c6d", 0xf0ff, MH_SLICE_SERVICE_DATA, MH_OK, 1, WEIGHT, MH_UNIT_KILOGRAM, 987, -1,
     MH_TIME_NONE, 0},
    {"swan-final", "ac0226b60000caa6", SWAN_NOTIFY, 0, MH_OK, 1, WEIGHT, MH_UNIT_KILOGRAM, 9910, -2, MH_TIME_NONE, 0},
    {"swan-checksum", "ac0226b60000caff", SWAN_NOTIFY, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(okok_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

static int32_t read_advertisement(mh_bytes advertisement, double *weight, char *unit, uint64_t *n_unit, int32_t *is_final,
                                  int32_t *counter) {
  uint16_t company = 0;
  mh_bytes data = {NULL, 0};
  if (!okok_frame_find(advertisement, &company, &data)) return MH_E_UNSUPPORTED;
  okok_frame frame;
  int32_t status = okok_frame_read(company, data, &frame);
  if (status != MH_OK) return status;
  *weight = frame.raw;
  for (int exponent = frame.exp10; exponent < 0; exponent++) *weight /= 10;
  *is_final = frame.is_final;
  *counter = frame.has_counter ? frame.counter : -1;
  return mh_put_text(unit, n_unit, frame.is_pound ? "lb" : "kg");
}

const mh_extension_function okok_functions[OKOK_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"read_advertisement", "i32(bytes,out_f64,out_text,out_i32,out_i32)", (void (*)(void))read_advertisement},
};
