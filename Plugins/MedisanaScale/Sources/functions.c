#include "functions.h"

#include <meterhost/functions.h>

#include "packet.h"

static const mh_test_vector vectors[] = {
    {"bs440-2", "1dc01c00fe450600007a1300ff030900000000"
                "6f45060000037c0907f1fff156f123f0000000",
     MEDISANA_WEIGHT, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, 736, -1, MH_TIME_UTC,
     INT64_C(1262305605000000)},
    {"bs444", "1d3c2300fea6053914cd1900ff020900000000", MEDISANA_WEIGHT, 0, MH_OK, 1, MH_METRIC_BODY_WEIGHT,
     MH_UNIT_KILOGRAM, 902, -1, MH_TIME_UTC, INT64_C(1601585318000000)},
    {"pounds", "3d3c2300fea6053914cd1900ff020900000000", MEDISANA_WEIGHT, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
    {"no weight", "1d000000fea6053914cd1900ff020900000000", MEDISANA_WEIGHT, 0, MH_E_NO_VALUE, 0, 0, 0, 0, 0, 0, 0},
    {"of two weighings", "1d001e00fe37010000d71200ff020900000000"
                         "6f45060000037c0907f1fff156f123f0000000",
     MEDISANA_WEIGHT, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
    {"short", "1d3c2300fea6053914cd1900ff", MEDISANA_WEIGHT, 0, MH_E_PROTOCOL, 0, 0, 0, 0, 0, 0, 0},
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(medisana_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

/* What a read writes: the scale sends nothing before it was told the time. */
static int32_t time_command(int64_t unix_us, uint32_t is_since_2010, uint8_t *out, uint64_t *n) {
  int64_t seconds = unix_us / 1000000 - (is_since_2010 != 0 ? (int64_t)MEDISANA_EPOCH : 0);
  if (unix_us < 0 || seconds < 0 || seconds > UINT32_MAX) return MH_E_ARG;
  uint8_t bytes[] = {0x02, (uint8_t)seconds, (uint8_t)(seconds >> 8), (uint8_t)(seconds >> 16), (uint8_t)(seconds >> 24)};
  return mh_put_bytes(out, n, bytes, sizeof bytes);
}

const mh_extension_function medisana_functions[MEDISANA_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
    {"time_command", "i32(i64,u32,out_bytes)", (void (*)(void))time_command},
};
