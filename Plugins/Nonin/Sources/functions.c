#include "functions.h"

#include <meterhost/functions.h>

#include "packet.h"

#define SPO2(name, hex, percent) \
  {name, hex, NONIN_MEASUREMENT, 0, MH_OK, 1, MH_METRIC_SPO2, MH_UNIT_PERCENT, percent, 0, MH_TIME_NONE, 0}
#define NONE(name, hex, status) {name, hex, NONIN_MEASUREMENT, 0, status, 0, 0, 0, 0, 0, 0, 0}

static const mh_test_vector vectors[] = {
    SPO2("verified", "0a151e0132000c620048", 98),
    SPO2("not yet verified", "0a111e0132000561004a", 97),
    NONE("no finger", "0a011e000000027f01ff", MH_E_NO_VALUE),
    NONE("missing", "0a151e000000027f01ff", MH_E_NO_VALUE),
    NONE("short", "0a151e0132000c6200", MH_E_PROTOCOL),
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(nonin_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

const mh_extension_function nonin_functions[NONIN_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
};
