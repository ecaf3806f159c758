/* Frames of a scale that Lifesense makes and A&D sells (UC-450BLE): [fragment][length][command, high byte first][payload]. */
#ifndef AANDD_FRAME_H
#define AANDD_FRAME_H

#include <meterhost/driver.h>

#define AANDD_LOGIN_REQUEST 0x0007u
#define AANDD_LOGIN_RESPONSE 0x0008u
#define AANDD_SETUP_REQUEST 0x0009u
#define AANDD_SETTING_RESPONSE 0x1000u
#define AANDD_SET_TIME 0x1002u
#define AANDD_ASK_RECORD 0x4801u
#define AANDD_RECORD 0x4802u

/* The longest frame that is written, and what acknowledges one in either direction: 00 01 01. */
#define AANDD_FRAME_MAX 16u
#define AANDD_ACK_LENGTH 3u

/* Takes a frame of one packet apart. MH_E_PROTOCOL: its length is another, or it is a piece of a longer one, which no scale was
 * seen to send. */
int32_t aandd_frame(mh_bytes bytes, uint16_t *command, mh_bytes *payload);
/* How many readings wait behind that of a record's payload. */
uint16_t aandd_remaining(mh_bytes payload);
/* Whether a scale that shows another unit than kg has sent it: which unit its number has then is not public. */
int aandd_is_foreign_unit(mh_bytes payload);

/* The record of a frame; MH_E_NO_VALUE for one that brings no measurement. */
int32_t aandd_frame_decode(mh_bytes bytes, int no_clock, mh_sink *sink);

/* Frames to write; each returns its length. The answer to a login says the scale's own code back to it. */
uint8_t aandd_login_response(mh_bytes login, uint8_t *out);
uint8_t aandd_set_time(int64_t unix_us, int32_t utc_offset_s, uint8_t *out);
uint8_t aandd_ask_record(uint8_t *out);

#endif
