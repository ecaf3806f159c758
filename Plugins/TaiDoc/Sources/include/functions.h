/* Functions that tools call by name (rule R19). */
#ifndef TAIDOC_FUNCTIONS_H
#define TAIDOC_FUNCTIONS_H

#include <meterhost/driver.h>

namespace taidoc {

constexpr uint64_t function_count = 3;
extern const mh_extension_function functions[function_count];

} // namespace taidoc

/* The bundle's decode (rule R14). */
int32_t taidoc_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                          uint64_t *n_done);

#endif
