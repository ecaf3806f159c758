/* What every record has, whichever value it is from; and the names of the values. */
#ifndef AANDD_RECORDS_H
#define AANDD_RECORDS_H

#include <meterhost/driver.h>

#define AANDD_PRESSURE 0x2a35u
#define AANDD_WEIGHT 0x2a9du
/* 23434101-1FE4-1EFF-80CB-00FF78297D8B: the weight of scales that are older than the profile. */
#define AANDD_OWN_WEIGHT 0x8000u
/* A621, the data of a scale of Lifesense's making. */
#define AANDD_FRAME 0xa621u

/* The record of a measurement without a time. */
mh_record aandd_record(void);
/* Takes the time of a record: 7 bytes, or NULL. Appends them to the identity when they name a moment. */
void aandd_put_time(mh_record *record, const uint8_t *time_bytes, uint8_t *ident, uint16_t *ident_len);

#endif
