/* Functions that tools call by name (rule R19). */
#ifndef NONIN_FUNCTIONS_H
#define NONIN_FUNCTIONS_H

#include <meterhost/driver.h>

#define NONIN_FUNCTIONS 1u
extern const mh_extension_function nonin_functions[NONIN_FUNCTIONS];

/* The bundle's decode (rule R14). */
int32_t nonin_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                         uint64_t *n_done);

#endif
