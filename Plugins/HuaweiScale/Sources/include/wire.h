/* What goes over the air between a scale and whoever it is bound to: frames, and what hides them. */
#ifndef HUAWEI_WIRE_H
#define HUAWEI_WIRE_H

#include <meterhost/driver.h>

#include "aes.h"

/* Service, where it is written to, what notifies. */
#define HUAWEI_SERVICE 0xfaa0u
#define HUAWEI_WRITE 0xfaa1u
#define HUAWEI_NOTIFY 0xfaa2u

/* Parameters of the driver. */
#define HUAWEI_PARAM_ADDRESS_HIGH MH_PARAM_VENDOR
#define HUAWEI_PARAM_ADDRESS_MIDDLE (MH_PARAM_VENDOR + 1u)
#define HUAWEI_PARAM_ADDRESS_LOW (MH_PARAM_VENDOR + 2u)
#define HUAWEI_PARAM_CH100S (MH_PARAM_VENDOR + 3u)

#define HUAWEI_HEAD 3
#define HUAWEI_CLOCK 8
#define HUAWEI_TOKEN 7
#define HUAWEI_FRAME_MAX (HUAWEI_HEAD + HUAWEI_BLOCK)

/* What the scale says (third byte of a notification). */
enum huawei_notice {
  HUAWEI_AWAKE = 0x00,
  HUAWEI_ASLEEP = 0x01,
  HUAWEI_MEASURED = 0x0e,
  HUAWEI_STORED = 0x10,
  HUAWEI_OVERLOAD = 0x13,
  HUAWEI_WANTS_PERSON = 0x20,
  HUAWEI_AUTHORISED = 0x26,
  HUAWEI_BOUND = 0x27
};

/* What is said to it. */
enum huawei_command {
  HUAWEI_SET_CLOCK = 8,
  HUAWEI_PERSON = 9,
  HUAWEI_ACKNOWLEDGE = 19,
  HUAWEI_AUTHORISE = 36,
  HUAWEI_BIND = 37
};

/* What hides a scale's frames: its address, and a key of which the address and the slot are parts. */
typedef struct huawei_link {
  uint8_t address[6];
  uint8_t token[HUAWEI_TOKEN];
  /* The first block of the key stream; no frame needs another. */
  uint8_t stream[HUAWEI_BLOCK];
  /* The slot is the caller's wish, and not the first for want of one. */
  uint8_t has_slot;
  uint8_t is_ch100s;
} huawei_link;

/* Makes the link out of the parameters and the address of an opening; 0 when no address is known. */
int huawei_link_of(const mh_open *opening, huawei_link *link);

/* Writes a command into `frame`, which holds HUAWEI_FRAME_MAX; its length. `n` is at most HUAWEI_BLOCK. */
uint8_t huawei_command_of(const huawei_link *link, enum huawei_command command, const uint8_t *payload, uint8_t n,
                          uint8_t *frame);

/* The person's facts, whom the scale insists on: those of nobody, for it computes only the fat of them, which is not read. */
uint8_t huawei_person_of(const huawei_link *link, uint16_t weight, uint8_t *frame);

/* What sets the scale's clock: seconds of civil time since 1970, not before, as its eight bytes. */
void huawei_clock_of(int64_t seconds, uint8_t *clock);

/* A byte of a notification's content, as it was before the address hid it. */
uint8_t huawei_byte(const huawei_link *link, mh_bytes frame, uint8_t index);

#endif
