/* Functions that tools call by name (rule R19). */
#ifndef HEART_RATE_FUNCTIONS_H
#define HEART_RATE_FUNCTIONS_H

#include <meterhost/driver.h>

#define HEART_RATE_FUNCTIONS 1u
extern const mh_extension_function heart_rate_functions[HEART_RATE_FUNCTIONS];

/* The bundle's decode (rule R14). */
int32_t heart_rate_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                              uint64_t *n_done);

#endif
