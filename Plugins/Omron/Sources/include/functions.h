/* What the driver offers without a session. */
#ifndef OMRON_FUNCTIONS_H
#define OMRON_FUNCTIONS_H

#include <meterhost/driver.h>

#define OMRON_FUNCTIONS 3

/* Numbers of the characteristics in the registry: the channels from the monitor. */
#define OMRON_CHARACTERISTIC 0x8000u

extern const mh_extension_function omron_functions[OMRON_FUNCTIONS];

int32_t omron_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                         uint64_t *n_done);

#endif
