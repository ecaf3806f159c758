/* Functions that tools call by name (rule R19). */
#ifndef BEURER_FUNCTIONS_H
#define BEURER_FUNCTIONS_H

#include <meterhost/driver.h>

#define BEURER_FUNCTIONS 2u
extern const mh_extension_function beurer_functions[BEURER_FUNCTIONS];

/* The bundle's decode (rule R14). */
int32_t beurer_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                          uint64_t *n_done);

#endif
