#include "functions.h"

#include <meterhost/functions.h>

#define SPO2(name, hex, characteristic, percent) \
  {name, hex, characteristic, 0, MH_OK, 1, MH_METRIC_SPO2, MH_UNIT_PERCENT, percent, 0, MH_TIME_NONE, 0}
#define NONE(name, hex, characteristic, status) {name, hex, characteristic, 0, status, 0, 0, 0, 0, 0, 0, 0}

static const mh_test_vector vectors[] = {
    SPO2("lepu-values", "aa550f080162390043" "00c099", 0x8003, 98),
    NONE("lepu-wrong-crc", "aa550f080162390043" "00c098", 0x8003, MH_E_PROTOCOL),
    SPO2("contec-values", "eb010453637f0025", 0xff02, 99),
    NONE("contec-no-finger", "eb01047f7f7f006d", 0xff02, MH_E_NO_VALUE),
    SPO2("viatom-values", "fe0a55004f6314bf391d", 0xffe4, 99),
    SPO2("jumper-values", "81386344", 0x8002, 99),
    NONE("jumper-no-finger", "81ff7f00", 0x8002, MH_E_NO_VALUE),
    SPO2("bci-values", "8732064861", 0x8001, 97),
    NONE("bci-no-finger", "8f00107f7f", 0x8001, MH_E_NO_VALUE),
};

static int32_t self_test(char *report, uint64_t *n) {
  return mh_self_test(fo_decode_all, NULL, 0, vectors, sizeof vectors / sizeof vectors[0], report, n);
}

const mh_extension_function fo_functions[FO_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
};
