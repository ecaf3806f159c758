/* Functions that tools call by name (rule R19). */
#ifndef THERMOMETER_FUNCTIONS_H
#define THERMOMETER_FUNCTIONS_H

#include <meterhost/driver.h>

#define THERMOMETER_FUNCTIONS 2u
extern const mh_extension_function thermometer_functions[THERMOMETER_FUNCTIONS];

/* The bundle's decode (rule R14). */
int32_t thermometer_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                               uint64_t *n_done);

#endif
