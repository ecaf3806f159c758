/* The protocol of the keyed test meter: ours, made to need everything that a driver can have of keys. README.md
 * describes it. */
#ifndef KEYED_PROTOCOL_H
#define KEYED_PROTOCOL_H

#include <meterhost/driver.h>

/* Characteristics of the service F0D40001-6D68-4B65-8964-4D6574657200, by their second 16 bits. */
#define KEYED_CONTROL 2u
#define KEYED_DATA 3u
#define KEYED_INFO 4u

#define KEYED_ID_LENGTH 8u
#define KEYED_INFO_LENGTH 11u
#define KEYED_CHALLENGE_LENGTH 8u
#define KEYED_RECORD_LENGTH 9u
/* What makes a reading itself: sequence number, time and value, the first bytes of a record. */
#define KEYED_IDENTITY_LENGTH 8u

/* Commands of the control point, and the first byte of its answers. */
#define KEYED_VERIFY 0x01u
#define KEYED_REPORT 0x02u
#define KEYED_ACKNOWLEDGE 0x03u
#define KEYED_ANSWER 0x80u

#define KEYED_KEY "credential/meter-key"
#define KEYED_LICENCE "credential/keyed-meter.license"
#define KEYED_PRODUCT "org.meterhost.keyed-meter"

/* What the information characteristic says. */
typedef struct keyed_info {
  uint8_t id[KEYED_ID_LENGTH];
  uint8_t tag_length;
  uint16_t last_sequence;
} keyed_info;

/* MH_OK, or MH_E_PROTOCOL. */
int32_t keyed_read_info(mh_bytes bytes, keyed_info *out);

/* Decrypts one notification into KEYED_RECORD_LENGTH bytes. MH_E_CRYPTO when its tag is wrong. */
int32_t keyed_open_packet(const mh_crypto *crypto, uint64_t peer, const keyed_info *info, mh_bytes packet,
                          uint8_t *out);

/* What the meter must answer to a challenge: the first 8 bytes of a CMAC. */
int32_t keyed_proof(const mh_crypto *crypto, uint64_t peer, const keyed_info *info, const uint8_t *challenge,
                    uint8_t *out);

/* Puts a decrypted record into the sink: MH_OK, MH_E_NO_VALUE, or MH_E_FULL with the sink unchanged. */
int32_t keyed_put_record(const uint8_t *record, mh_sink *sink);

/* Checks a licence at a moment; NULL when it is good, else what is wrong with it, for the person. */
const char *keyed_licence_problem(const mh_crypto *crypto, const uint8_t *text, uint64_t n, int64_t unix_us);

#endif
