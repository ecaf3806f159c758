/* What a Yunmai scale says of a weight, in a notification or in an advertisement: bytes to a frame, and a frame to one record. */
#ifndef YUNMAI_FRAME_H
#define YUNMAI_FRAME_H

#include <meterhost/driver.h>

/* The characteristic that notifies, and what the Yunmai X advertises as its service. */
#define YUNMAI_MEASUREMENT 0xffe4u
#define YUNMAI_X 0x1320u

/* Time, user, weight, resistance and fat as the scale sent them. */
#define YUNMAI_IDENT 14

enum yunmai_state {
  /* The weight swings. */
  YUNMAI_SWINGS,
  /* The weight stands, and the resistance may follow. */
  YUNMAI_STANDS,
  /* All is measured. */
  YUNMAI_DONE
};

typedef struct yunmai_frame {
  /* Seconds since 1970 in UTC; 0: the scale's clock was never set, or it has none. */
  uint32_t time;
  /* Of the account whose person the scale takes it for; 0: nobody it knows. */
  uint32_t user;
  /* 0.01 kg. */
  uint16_t weight;
  /* Ohm, 0: none. */
  uint16_t resistance;
  /* 0.01 %, as the scale computes it for a person it knows; 0: none. */
  uint16_t fat;
  uint8_t state;
  /* Sent out of the scale's memory. */
  uint8_t is_history;
  /* Advertised, with the scale's number of the weighing. */
  uint8_t is_advertised;
  uint8_t counter;
  uint8_t n_ident;
  uint8_t ident[YUNMAI_IDENT];
} yunmai_frame;

/* Reads a notification of YUNMAI_MEASUREMENT. MH_OK; MH_E_NO_VALUE (nobody on the scale, or an answer that is no weight);
 * MH_E_PROTOCOL (a length or checksum that is none). */
int32_t yunmai_notification(mh_bytes data, yunmai_frame *frame);

/* Reads the manufacturer data of a Yunmai X, all 16 bytes: what stands in a company's place is part of its address. */
int32_t yunmai_advertised(mh_bytes data, yunmai_frame *frame);

/* The manufacturer data in an advertisement that may be such a scale's; 0 when there is none. */
int yunmai_find(mh_bytes advertisement, mh_bytes *data);

/* Appends the frame as one record, provisional while the weight swings. MH_OK or MH_E_FULL with the sink as it was. */
int32_t yunmai_emit(const yunmai_frame *frame, mh_sink *sink);

#endif
