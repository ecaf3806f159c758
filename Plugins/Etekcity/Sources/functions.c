#include "functions.h"

#include <meterhost/functions.h>

#include "frames.h"

static const mh_test_vector vectors[] = {
    {"a5-final", "a502bb10002f0161a100521b01130213c0986a010101", ETEKCITY_A5_NOTIFY, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT,
     MH_UNIT_KILOGRAM, 7253, -2, MH_TIME_NONE, 0},
    {"a5-plain", "a5020e2700a8013c4100373939323836315f5f5f5f5f5f5f5f5f5f5f5f5f0000981502000049d6756a01010100",
     ETEKCITY_A5_NOTIFY, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, 13660, -2, MH_TIME_NONE, 0},
    {"a5-wrong-sum", "a502bb10002f0161a100521b01130213c0986a010102", ETEKCITY_A5_NOTIFY, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0,
     0, 0},
    {"esf24-final", "100b152b4801016b013445", ETEKCITY_A5_NOTIFY, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM,
     11080, -2, MH_TIME_NONE, 0},
    {"esf37-final", "feefc0a3d0081928377801020000cb", ETEKCITY_ESF37_NOTIFY, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT,
     MH_UNIT_KILOGRAM, 6440, -2, MH_TIME_NONE, 0},
    {"esf37-stored", "feefc0a3d40d0300000000000258486a809b8d98", ETEKCITY_ESF37_NOTIFY, 0, MH_OK, 1,
     MH_METRIC_BODY_WEIGHT, MH_UNIT_POUND, 22600, -2, MH_TIME_UTC, INT64_C(1786813325000000)},
};

/* What is called out reaches no decode, so it is tried here. */
static int reads_advertisement(void) {
  uint8_t bytes[MH_TEST_BYTES_MAX];
  uint32_t n = mh_test_bytes("0163a0ed5d89a9c0a9017c3c0119020100020300", bytes);
  mh_bytes data = {bytes, n};
  et_reading reading;
  return et_fit8s_read(data, &reading) == MH_OK && reading.weight == 81020 && reading.impedance == 537;
}

static int32_t self_test(char *report, uint64_t *n) {
  if (!reads_advertisement()) {
    int32_t status = mh_put_text(report, n, "the advertisement of a Fit 8S is read otherwise than expected");
    return status == MH_OK ? MH_E_PROTOCOL : status;
  }
  return mh_self_test(etekcity_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

static int32_t read_advertisement(mh_bytes advertisement, double *kilogram, int32_t *is_stable, uint32_t *impedance) {
  mh_bytes data;
  if (!mh_ad_find(advertisement, MH_AD_MANUFACTURER_DATA, ETEKCITY_COMPANY, &data)) return MH_E_UNSUPPORTED;
  et_reading reading;
  int32_t status = et_fit8s_read(data, &reading);
  if (status != MH_OK) return status;
  *kilogram = reading.weight / 1000.0;
  *is_stable = !reading.is_settling;
  *impedance = reading.impedance;
  return MH_OK;
}

const mh_extension_function etekcity_functions[ETEKCITY_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"read_advertisement", "i32(bytes,out_f64,out_i32,out_u32)", (void (*)(void))read_advertisement},
};
