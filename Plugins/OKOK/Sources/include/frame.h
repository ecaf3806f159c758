/* The manufacturer data of a scale with Chipsea's chip: bytes to a frame, and a frame to one record. */
#ifndef OKOK_FRAME_H
#define OKOK_FRAME_H

#include <meterhost/driver.h>

/* What stands where a company's id should: two bytes of the frame itself. Of the last the high byte is a counter. */
#define OKOK_V20 0x20cau
#define OKOK_V11 0x11cau
#define OKOK_F0 0xf0ffu
#define OKOK_C0 0x00c0u

/* Why a frame that is whole has no weight. */
enum okok_reason { OKOK_EMPTY = 1, OKOK_STRANGE = 2 };

/* One frame. */
typedef struct okok_frame {
  /* The weight is raw * 10^exp10 pounds or kilograms, with the digits of the display. */
  int32_t raw;
  int8_t exp10;
  uint8_t is_pound;
  /* Low byte of the id that the frame came under, or SWAN_DIALECT, and for 2.0 and C0 the number of the weighing. */
  uint8_t dialect;
  uint8_t has_counter;
  uint8_t counter;
  /* The scale says that the number stands. */
  uint8_t is_final;
  /* The dialect says never whether the number stands: only its rest does. */
  uint8_t needs_rest;
  /* No capture with its display shows this form: a person has to look at it. */
  uint8_t is_doubtful;
  /* OKOK_EMPTY or OKOK_STRANGE with MH_E_NO_VALUE. */
  uint8_t reason;
} okok_frame;

/* Whether a company's id may be the head of such a frame. */
int okok_frame_is(uint16_t company);

/* Reads the data behind the id `company`. MH_OK; MH_E_NO_VALUE (nobody on the scale, or a unit that is not known; `reason` says
 * which); MH_E_PROTOCOL (another length, a wrong checksum, a head that is none); MH_E_UNSUPPORTED (another company). */
int32_t okok_frame_read(uint16_t company, mh_bytes data, okok_frame *frame);

/* The first such frame in an advertisement; 0 when there is none. */
int okok_frame_find(mh_bytes advertisement, uint16_t *company, mh_bytes *data);

/* Whether the number is one of a person on the scale: MH_OK, or MH_E_NO_VALUE and OKOK_EMPTY. */
int32_t okok_frame_weigh(okok_frame *frame);

/* Whole grams, so that two weights can be compared. */
int32_t okok_frame_grams(const okok_frame *frame);

/* Appends the frame as one record, provisional unless it is final. MH_OK or MH_E_FULL with the sink as it was. */
int32_t okok_frame_emit(const okok_frame *frame, mh_sink *sink);

#endif
