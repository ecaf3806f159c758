/* Frames of a connected scale: `opcode, length, vendor, ..., sum`, and the commands that answer them. */
#ifndef QN_FRAME_H
#define QN_FRAME_H

#include "reading.h"

#define QN_OP_WEIGHT 0x10u
#define QN_OP_INFO 0x12u
#define QN_OP_START 0x14u
#define QN_OP_PROFILE 0x21u
#define QN_OP_STORED 0x23u
#define QN_OP_PROFILE_TAKEN 0xa1u

/* The vendor of whom it is known what the length of a profile request means. */
#define QN_VENDOR_RENPHO 0xffu

#define QN_COMMAND_MAX 16u

typedef struct qn_command {
  uint8_t bytes[QN_COMMAND_MAX];
  uint8_t n;
} qn_command;

/* Whether bytes are a whole frame with the right sum. */
int qn_frame_is_whole(mh_bytes bytes);

/* Of an info frame: 1 in hundredths of a kilogram, 0 in tenths. MH_E_PROTOCOL when it is too short. */
int32_t qn_read_info(mh_bytes frame, uint8_t *is_in_tenths);

/* How far a weight is. */
typedef enum qn_state { QN_MOVING, QN_STANDING, QN_FINAL } qn_state;

/* A weight frame. MH_OK; MH_E_NO_VALUE (nothing on the scale); MH_E_PROTOCOL (another length or state). */
int32_t qn_read_weight(mh_bytes frame, int is_in_tenths, qn_reading *reading, qn_state *state);

/* A stored weighing; `has_user`: the frame has the person's slot. *count: how many there are, 0: none, and no reading.
 * MH_OK; MH_E_NO_VALUE; MH_E_PROTOCOL. */
int32_t qn_read_stored(mh_bytes frame, int is_in_tenths, int has_user, qn_reading *reading, uint8_t *count);

/* Which unit the scale shows. */
qn_command qn_show_unit(uint8_t vendor, uint8_t unit);
/* The time, which begins a measurement. */
qn_command qn_start(uint8_t vendor, uint32_t seconds);
/* A guest of whom nothing is known: the scale measures, computes nothing and keeps nothing. */
qn_command qn_guest(void);
qn_command qn_ask_stored(uint8_t vendor, int has_user);
/* The weight has arrived. */
qn_command qn_thank(uint8_t vendor);

#endif
