/* Functions that tools call by name (rule R19). None of them touches a key: the host lends none inside such a call. */
#ifndef MIBEACON_FUNCTIONS_H
#define MIBEACON_FUNCTIONS_H

#include <meterhost/driver.h>

#define MIBEACON_FUNCTIONS 2u
extern const mh_extension_function mibeacon_functions[MIBEACON_FUNCTIONS];

/* The bundle's decode (rule R14). */
int32_t mibeacon_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                            uint64_t *n_done);

#endif
