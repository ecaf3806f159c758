/* Functions that tools call by name (rule R19), the bundle's decode, and its parameters. */
#ifndef QN_FUNCTIONS_H
#define QN_FUNCTIONS_H

#include <meterhost/driver.h>

#define QN_FUNCTIONS 2u
extern const mh_extension_function qn_functions[QN_FUNCTIONS];

/* The registry's parameters: the unit that the scale shows (1 kg, 2 lb, 8 st and lb, 16 st), and, for values without their
 * session, whether weights are in tenths of a kilogram, and whether stored ones have the person's slot. */
#define QN_PARAM_UNIT 0x8000u
#define QN_PARAM_TENTHS 0x8001u
#define QN_PARAM_SLOTS 0x8002u

int64_t qn_parameter(const mh_open *opening, uint16_t name, int64_t otherwise);

/* The bundle's decode (rule R14). */
int32_t qn_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                      uint64_t *n_done);

#endif
