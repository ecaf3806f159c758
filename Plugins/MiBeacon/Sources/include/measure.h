/* What a scale measured: the object of a frame to a measurement, and a measurement to one record. */
#ifndef MIBEACON_MEASURE_H
#define MIBEACON_MEASURE_H

#include "frame.h"

/* A metric of this driver, in the registry: the impedance that an S400 sends in a frame of its own. */
#define MIBEACON_SECOND_IMPEDANCE 0x8000u

/* Moment and weight as sent: what every frame of one weighing has alike. */
#define MIBEACON_IDENT 7u

typedef struct mibeacon_measure {
  /* What the scale's clock says, seconds since 1970 in UTC; 0 where there is none. */
  uint32_t time;
  /* In steps of the kind's own. */
  uint32_t weight;
  uint32_t counter;
  mibeacon_kind kind;
  /* Tenths of an ohm, 0: none. */
  uint16_t impedance;
  uint16_t second_impedance;
  /* Beats a minute, 0: none. */
  uint8_t heart_rate;
  uint8_t user;
  /* The scale may send more of this weighing. */
  uint8_t may_grow;
  /* Nobody stands on it any more. */
  uint8_t is_left;
  /* A frame was older than one that was read before: somebody may have sent it again. */
  uint8_t is_doubtful;
} mibeacon_measure;

/* Reads opened objects, `type u16, length, value` one after the other. MH_OK; MH_E_NO_VALUE (no measurement among them,
 * or one without a number); MH_E_PROTOCOL (an object that is cut off, or has another length than its kind). */
int32_t mibeacon_measure_read(mibeacon_kind kind, mh_bytes objects, uint32_t counter, mibeacon_measure *measure);

/* Whether the scale's clock was set by somebody. */
int mibeacon_measure_has_time(const mibeacon_measure *measure);

/* Whether two measurements are of one weighing: the same moment of the scale's clock. Who it is may come later. */
int mibeacon_measure_is_same(const mibeacon_measure *one, const mibeacon_measure *other);

/* Takes what another frame of the same weighing says besides. */
void mibeacon_measure_join(mibeacon_measure *measure, const mibeacon_measure *other);

/* Appends it as one record. MH_OK or MH_E_FULL with the sink as it was. */
int32_t mibeacon_measure_emit(const mibeacon_measure *measure, mh_sink *sink);

#endif
