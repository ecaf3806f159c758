/* Frames of the memory protocol, both ways, and the channels that they come over in pieces. */
#ifndef OMRON_FRAME_H
#define OMRON_FRAME_H

#include <meterhost/driver.h>

#define OMRON_CHANNELS 4u
#define OMRON_CHANNEL_WIDTH 16u
#define OMRON_FRAME_MAX 64u
/* Length, type, address, size before the data; a byte and the checksum behind it. */
#define OMRON_FRAME_EXTRA 8u

/* Types of frames: a question, and with the highest bit its answer. */
#define OMRON_START 0x0000u
#define OMRON_READ 0x0100u
#define OMRON_WRITE 0x01c0u
#define OMRON_END 0x0f00u
#define OMRON_ANSWER 0x8000u

typedef struct omron_frame {
  uint16_t type;
  uint16_t address;
  /* The byte behind the header of a frame without data: 0 is well. */
  uint8_t code;
  /* How many bytes it says that it carries, and does. */
  uint8_t n;
  uint8_t has_data;
  uint8_t data[OMRON_FRAME_MAX];
} omron_frame;

/* Builds a question into `out` and returns its length; `n` bytes of data, or the size of a read. */
uint32_t omron_build(uint16_t type, uint16_t address, uint8_t size, const uint8_t *data, uint8_t *out);
/* MH_OK, or MH_E_PROTOCOL when length, checksum or size do not fit. Bytes behind the frame's length are passed over. */
int32_t omron_read_frame(mh_bytes bytes, omron_frame *out);

/* What has come of a frame. */
typedef struct omron_pieces {
  uint8_t bytes[OMRON_CHANNELS][OMRON_CHANNEL_WIDTH];
  uint8_t length[OMRON_CHANNELS];
} omron_pieces;

void omron_forget_pieces(omron_pieces *pieces);
/* Takes one notification. 1: a frame is complete in *out; 0: more is needed; MH_E_PROTOCOL: what came is no frame. */
int32_t omron_take_piece(omron_pieces *pieces, uint32_t channel, mh_bytes value, omron_frame *out);

#endif
