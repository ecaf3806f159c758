/* Functions that tools call by name (rule R19). */
#ifndef YONKER_FUNCTIONS_H
#define YONKER_FUNCTIONS_H

#include <meterhost/driver.h>

#define YONKER_FUNCTIONS 1u
extern const mh_extension_function yonker_functions[YONKER_FUNCTIONS];

/* The bundle's decode (rule R14). */
int32_t yonker_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                         uint64_t *n_done);

#endif
