/* The service data FE95 of a Xiaomi scale's advertisement (MiBeacon): its head, and what it seals. */
#ifndef MIBEACON_FRAME_H
#define MIBEACON_FRAME_H

#include <meterhost/driver.h>

#define MIBEACON_SERVICE 0xfe95u
#define MIBEACON_ADDRESS 6u
/* The most bytes of service data that are looked at. An advertisement of 31 has 28; with the scale's address it is a longer one. */
#define MIBEACON_DATA_MAX 64u
/* The owner's key, which stays in the host. */
#define MIBEACON_KEY "credential/bind-key"

/* What a product's measurements are like. */
typedef enum mibeacon_kind {
  /* Not one of these scales. */
  MIBEACON_NONE,
  /* S400: weight, heart rate and two impedances in several frames. */
  MIBEACON_S400,
  /* S200: weight. */
  MIBEACON_S200,
  /* S800: weight, in other places of the same object. */
  MIBEACON_S800
} mibeacon_kind;

/* One frame, borrowed from the advertisement. */
typedef struct mibeacon_frame {
  mibeacon_kind kind;
  /* The low byte comes with the head, the others behind the sealed bytes. */
  uint32_t counter;
  /* Sealed: without counter and tag. In the clear: the objects. */
  const uint8_t *body;
  uint32_t n_body;
  /* Product and low byte of the counter, as sent: a part of the nonce. */
  uint8_t head[3];
  /* Bits 8 to 31 of the counter, as sent, and the tag. */
  uint8_t extension[3];
  uint8_t tag[4];
  /* The scale's own address as it is sent, last byte first, when the frame has it. */
  uint8_t address[MIBEACON_ADDRESS];
  uint8_t has_address;
  uint8_t has_object;
  uint8_t is_sealed;
} mibeacon_frame;

/* Reads service data. MH_OK; MH_E_UNSUPPORTED (another product, an older version, a mesh); MH_E_PROTOCOL (shorter than
 * its head says). */
int32_t mibeacon_frame_read(mh_bytes data, mibeacon_frame *frame);

/* Opens a sealed frame into MIBEACON_DATA_MAX bytes with the owner's key. `address` as people write it, for frames
 * without one. MH_E_NOT_FOUND: there is no key. MH_E_CRYPTO: the key, or the address, is another. */
int32_t mibeacon_frame_open(const mh_crypto *crypto, uint64_t peer, const mibeacon_frame *frame,
                            const uint8_t *address, uint8_t *out, uint32_t *n);

/* Whether the host keeps a key for this meter: MH_OK, MH_E_NOT_FOUND, or what the host answers. */
int32_t mibeacon_has_key(const mh_crypto *crypto, uint64_t peer);

#endif
