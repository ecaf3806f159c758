/* Functions that tools call by name (rule R19), and decode (rule R14). */
#ifndef ETEKCITY_FUNCTIONS_H
#define ETEKCITY_FUNCTIONS_H

#include <meterhost/driver.h>

#define ETEKCITY_FUNCTIONS 2u
extern const mh_extension_function etekcity_functions[ETEKCITY_FUNCTIONS];

int32_t etekcity_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                            uint64_t *n_done);

#endif
