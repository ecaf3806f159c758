/* Functions that tools call by name (rule R19), and decode (rule R14). */
#ifndef EUFY_FUNCTIONS_H
#define EUFY_FUNCTIONS_H

#include <meterhost/driver.h>

#define EUFY_FUNCTIONS 2u
extern const mh_extension_function eufy_functions[EUFY_FUNCTIONS];

int32_t eufy_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                            uint64_t *n_done);

#endif
