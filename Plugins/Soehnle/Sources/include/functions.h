/* Functions that tools call by name (rule R19). */
#ifndef SOEHNLE_FUNCTIONS_H
#define SOEHNLE_FUNCTIONS_H

#include <meterhost/driver.h>

#define SOEHNLE_FUNCTIONS 2u
extern const mh_extension_function soehnle_functions[SOEHNLE_FUNCTIONS];

/* The bundle's decode (rule R14). */
int32_t soehnle_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                          uint64_t *n_done);

#endif
