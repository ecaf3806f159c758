/* Functions that tools call by name (rule R19). */
#ifndef YUNMAI_FUNCTIONS_H
#define YUNMAI_FUNCTIONS_H

#include <meterhost/driver.h>

#define YUNMAI_FUNCTIONS 2u
extern const mh_extension_function yunmai_functions[YUNMAI_FUNCTIONS];

/* The bundle's decode (rule R14). */
int32_t yunmai_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                        uint64_t *n_done);

#endif
