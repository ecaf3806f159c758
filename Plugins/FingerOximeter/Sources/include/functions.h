/* Functions that tools call by name (rule R19). */
#ifndef FINGER_OXIMETER_FUNCTIONS_H
#define FINGER_OXIMETER_FUNCTIONS_H

#include <meterhost/driver.h>

#define FO_FUNCTIONS 1u
extern const mh_extension_function fo_functions[FO_FUNCTIONS];

/* The bundle's decode (rule R14). */
int32_t fo_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                      uint64_t *n_done);

#endif
