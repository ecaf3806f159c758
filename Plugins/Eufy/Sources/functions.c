#include "functions.h"

#include <meterhost/functions.h>

#include "frames.h"

static const mh_test_vector vectors[] = {
    {"p1-final", "cfae10921daaa6080000fa", EUFY_NOTIFY, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, 7570, -2,
     MH_TIME_NONE, 0},
    {"p1-thing", "cf0000e803000000000024", EUFY_NOTIFY, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, 1000, -2,
     MH_TIME_NONE, 0},
    {"wrong-sum", "cfae10921daaa6080000fb", EUFY_NOTIFY, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
    {"stored", "cfae10921daaa6080000fa07e8051f0b1632", EUFY_NOTIFY, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM,
     7570, -2, MH_TIME_CIVIL, INT64_C(1717154570000000)},
};

/* What is called out reaches no decode, so it is tried here: one of each layout. */
typedef struct called_vector {
  const char *hex;
  int layout;
  uint32_t weight;
  uint16_t impedance;
  uint8_t heart_rate;
} called_vector;

static const called_vector called[] = {
    {"cfe50c0301eccf2413122560655a0100914a9146", EUFY_LAYOUT_FRAME, 9490, 4900, 0},
    {"48ffcfe6031d09f7cf4cc0601d0000000000000000", EUFY_LAYOUT_PRO, 7520, 0, 76},
    {"64bc0fb7009c9d00c5c9706705001a2700000000", EUFY_LAYOUT_STATE, 10010, 0, 0},
    {"5dcfe80712209d0058d6f9610500c71a010000000000000000", EUFY_LAYOUT_STATE, 6855, 0, 0},
};

static int reads_called(void) {
  for (unsigned i = 0; i < sizeof called / sizeof called[0]; i++) {
    uint8_t bytes[MH_TEST_BYTES_MAX];
    uint32_t n = mh_test_bytes(called[i].hex, bytes);
    mh_bytes data = {bytes, n};
    eu_reading reading;
    if (eu_called_read(called[i].layout, data, &reading) != MH_OK || reading.weight != called[i].weight ||
        reading.impedance != called[i].impedance || reading.heart_rate != called[i].heart_rate || reading.is_settling)
      return 0;
  }
  return 1;
}

static int32_t self_test(char *report, uint64_t *n) {
  if (!reads_called()) {
    int32_t status = mh_put_text(report, n, "an advertisement is read otherwise than expected");
    return status == MH_OK ? MH_E_PROTOCOL : status;
  }
  return mh_self_test(eufy_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

static int32_t read_advertisement(mh_bytes advertisement, uint32_t layout, double *kilogram, int32_t *is_stable,
                                  double *impedance, uint32_t *heart_rate) {
  mh_bytes data;
  if (!eu_called_find(advertisement, &data)) return MH_E_UNSUPPORTED;
  eu_reading reading;
  int32_t status = eu_called_read((int)layout, data, &reading);
  if (status != MH_OK) return status;
  *kilogram = reading.weight / 100.0;
  *is_stable = !reading.is_settling;
  *impedance = reading.impedance / 10.0;
  *heart_rate = reading.heart_rate;
  return MH_OK;
}

const mh_extension_function eufy_functions[EUFY_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"read_advertisement", "i32(bytes,u32,out_f64,out_i32,out_f64,out_u32)", (void (*)(void))read_advertisement},
};
