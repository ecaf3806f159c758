/* Functions that tools call by name (rule R19). */
#ifndef HUAWEI_FUNCTIONS_H
#define HUAWEI_FUNCTIONS_H

#include <meterhost/driver.h>

#define HUAWEI_FUNCTIONS 2u
extern const mh_extension_function huawei_functions[HUAWEI_FUNCTIONS];

/* The bundle's decode (rule R14). */
int32_t huawei_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                        uint64_t *n_done);

#endif
