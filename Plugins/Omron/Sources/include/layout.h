/* Where each model keeps what: one row a memory map. The registry names the row; a name or an address never does. */
#ifndef OMRON_LAYOUT_H
#define OMRON_LAYOUT_H

#include <meterhost/driver.h>

/* The registry's parameter that names the row, declared in the driver's entry. */
#define OMRON_PARAM_LAYOUT 0x8000u

#define OMRON_USERS_MAX 2u
/* The longest record and the most bytes that one read asks for. */
#define OMRON_RECORD_MAX 16u
#define OMRON_BLOCK_MAX 56u
#define OMRON_CLOCK_MAX 16u

/* How the memory is opened. */
enum omron_lock {
  /* The monitor holds a key of 16 bytes, which pairing programs. */
  OMRON_LOCK_KEY,
  /* It wants four random bytes, which it repeats; nothing of them is kept. Some firmwares leave them unanswered. */
  OMRON_LOCK_TOKEN
};

typedef struct omron_layout {
  const char *model;
  /* First address and number of records of each user's ring; no address: the model has one user. */
  uint16_t start[OMRON_USERS_MAX];
  uint8_t slots;
  /* So many slots are in the memory for certain: behind them sources disagree, and what is no record is nothing. */
  uint8_t sure_slots;
  uint8_t record_size;
  /* The most bytes of one read. */
  uint8_t block;
  /* The clock's block: where it is read, how long it is, where it is written (0: no source says that this worked). */
  uint16_t clock_read;
  uint16_t clock_write;
  uint8_t clock_size;
  /* The clock's block must be there: it tells this map from another of the same name. Where it need not be, one that is
   * there must be in order all the same. */
  uint8_t is_probed;
  /* 16-bit words come with their high byte first: every pair of bytes is exchanged. */
  uint8_t is_big_endian;
  uint8_t lock;
  /* The last 16-bit word before the checksum numbers the records. */
  uint8_t is_numbered;
  /* Bit 14 of the first flags is movement and bit 15 the irregular pulse, and not the other way round. */
  uint8_t is_movement_low;
  /* The upper bit of the year's byte says that the monitor was not held at the height of the heart. */
  uint8_t has_position_bit;
  /* Bit 12 of the second flags was seen set in readings of a cuff that sat well. */
  uint8_t has_cuff_bit;
  /* The sum at a record's end was seen in bytes of real monitors: a record without it is damaged. Else it is held. */
  uint8_t has_sum;
  /* The same name with the other service: the row to take then, 0: none. */
  uint8_t other_service;
} omron_layout;

/* The row with this number, or NULL. */
const omron_layout *omron_layout_of(int64_t number);
/* The row that the parameters name, or NULL. */
const omron_layout *omron_layout_in(const mh_param *params, uint32_t n_params);
/* Whether the monitor has the service of the older ones, with four channels each way, and not FE4A with one. */
int omron_has_channels(const omron_layout *layout);
uint32_t omron_users(const omron_layout *layout);

#endif
