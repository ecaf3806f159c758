/* The bytes of the scales: the A5 frames of FFF1, those of 2C12, and what the Fit 8S calls out. */
#ifndef ETEKCITY_FRAMES_H
#define ETEKCITY_FRAMES_H

#include "reading.h"

/* Characteristics by their numbers. */
#define ETEKCITY_A5_SERVICE 0xfff0u
#define ETEKCITY_A5_NOTIFY 0xfff1u
#define ETEKCITY_A5_WRITE 0xfff2u
#define ETEKCITY_ESF37_NOTIFY 0x2c12u
#define ETEKCITY_ESF37_WRITE 0x2c11u
/* The company of the advertisements. */
#define ETEKCITY_COMPANY 0x06d0u

/* The longest A5 frame that is read. */
#define ETEKCITY_FRAME_MAX 64u

/* A frame of the key exchange, or one that only who has the key can read. */
#define ET_ENCRYPTED 100

/* Each reads one whole frame. MH_OK, MH_E_NO_VALUE (well formed, no weight in it), MH_E_PROTOCOL (not what the protocol
 * allows: length, checksum, range), and of A5 frames ET_ENCRYPTED. */
int32_t et_a5_read(mh_bytes frame, et_reading *reading);
int32_t et_esf24_read(mh_bytes frame, et_reading *reading);
int32_t et_esf37_read(mh_bytes frame, et_reading *reading);
int32_t et_fit8s_read(mh_bytes company_data, et_reading *reading);

/* Puts A5 frames together that came in fragments. */
typedef struct et_assembly {
  uint8_t bytes[ETEKCITY_FRAME_MAX];
  uint8_t n;
} et_assembly;

/* Takes one notification. MH_OK: *frame is whole and lies in the assembly or in `value`; MH_END: more is to come;
 * MH_E_PROTOCOL: no beginning of a frame, or one that is too long, and what was there is forgotten. */
int32_t et_assembly_take(et_assembly *assembly, mh_bytes value, mh_bytes *frame);

/* Commands of the ESF-37: the time that its memory is stamped with, and the word to begin. Both return their length. */
#define ETEKCITY_COMMAND_MAX 11u
uint8_t et_esf37_time(uint8_t *command, uint32_t unix_seconds);
uint8_t et_esf37_begin(uint8_t *command);

/* Whether a notification of FFF1 is of an ESF-24, whose frames begin otherwise than A5; and what it waits for. */
int et_esf24_begins(mh_bytes value);
int et_esf24_wants_unit(mh_bytes frame);
int et_esf24_wants_time(mh_bytes frame);
/* What it gets: the unit of its display (1 kg, 2 lb, 8 st), the time, and the word that its last weight has come. All return
 * their length. */
uint8_t et_esf24_unit(uint8_t *command, uint8_t unit);
uint8_t et_esf24_time(uint8_t *command, uint32_t unix_seconds);
uint8_t et_esf24_thanks(uint8_t *command);

/* The parameter of the registry for the unit of an ESF-24's display. */
#define ETEKCITY_PARAM_DISPLAY_UNIT 0x8000u
#define ETEKCITY_UNIT_KILOGRAM 1u

#endif
