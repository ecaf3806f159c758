/* Functions that tools call by name (rule R19). */
#ifndef MI_SCALE_FUNCTIONS_H
#define MI_SCALE_FUNCTIONS_H

#include <meterhost/driver.h>

#define MI_SCALE_FUNCTIONS 2u
extern const mh_extension_function mi_scale_functions[MI_SCALE_FUNCTIONS];

/* The bundle's decode (rule R14). */
int32_t mi_scale_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                            uint64_t *n_done);

#endif
