#include "frame.h"

#include <string.h>

/* Bits of the frame control. */
#define SEALED 0x0008u
#define HAS_ADDRESS 0x0010u
#define HAS_CAPABILITY 0x0020u
#define HAS_OBJECT 0x0040u
#define IS_MESH 0x0080u
#define VERSION(control) ((control) >> 12)
/* Of the capability: one more byte follows. */
#define HAS_IO 0x20u
/* The nonce below is that of versions 4 and 5. */
#define VERSION_MIN 4u
#define VERSION_MAX 5u

#define HEAD 5u
#define TAIL 7u

static const struct {
  uint16_t id;
  mibeacon_kind kind;
} products[] = {
    {0x30d9, MIBEACON_S400}, {0x3bd5, MIBEACON_S400}, {0x48cf, MIBEACON_S400}, {0x4b05, MIBEACON_S400},
    {0x45c9, MIBEACON_S200}, {0x4c04, MIBEACON_S200}, {0x4dcb, MIBEACON_S200}, {0x51e2, MIBEACON_S800},
};

static uint16_t read_u16(const uint8_t *p) { return (uint16_t)((uint16_t)p[0] | (uint16_t)p[1] << 8); }

static mh_str key_name(void) {
  mh_str name = {MIBEACON_KEY, sizeof MIBEACON_KEY - 1};
  return name;
}

static mibeacon_kind kind_of(uint16_t product) {
  for (size_t i = 0; i < sizeof products / sizeof products[0]; i++)
    if (products[i].id == product) return products[i].kind;
  return MIBEACON_NONE;
}

static void read_tail(const uint8_t *p, mibeacon_frame *frame) {
  memcpy(frame->extension, p, sizeof frame->extension);
  memcpy(frame->tag, p + 3, sizeof frame->tag);
  frame->counter |= (uint32_t)p[0] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 24;
}

int32_t mibeacon_frame_read(mh_bytes data, mibeacon_frame *frame) {
  if (data.p == NULL || data.n < HEAD || data.n > MIBEACON_DATA_MAX) return MH_E_PROTOCOL;
  uint16_t control = read_u16(data.p);
  mibeacon_frame read = {.kind = kind_of(read_u16(data.p + 2)), .counter = data.p[4]};
  if (read.kind == MIBEACON_NONE || (control & IS_MESH) != 0 || VERSION(control) < VERSION_MIN ||
      VERSION(control) > VERSION_MAX)
    return MH_E_UNSUPPORTED;
  memcpy(read.head, data.p + 2, sizeof read.head);
  uint32_t at = HEAD, end = (uint32_t)data.n;
  if ((control & HAS_ADDRESS) != 0) {
    if (end - at < MIBEACON_ADDRESS) return MH_E_PROTOCOL;
    memcpy(read.address, data.p + at, MIBEACON_ADDRESS);
    read.has_address = 1;
    at += MIBEACON_ADDRESS;
  }
  if ((control & HAS_CAPABILITY) != 0) {
    uint32_t n = at < end && (data.p[at] & HAS_IO) != 0 ? 2 : 1;
    if (end - at < n) return MH_E_PROTOCOL;
    at += n;
  }
  read.has_object = (control & HAS_OBJECT) != 0;
  read.is_sealed = (control & SEALED) != 0;
  if (read.is_sealed) {
    if (end - at < TAIL) return MH_E_PROTOCOL;
    end -= TAIL;
    read_tail(data.p + end, &read);
  }
  read.body = data.p + at;
  read.n_body = end - at;
  *frame = read;
  return MH_OK;
}

int32_t mibeacon_frame_open(const mh_crypto *crypto, uint64_t peer, const mibeacon_frame *frame,
                            const uint8_t *address, uint8_t *out, uint32_t *n) {
  static const uint8_t associated[] = {0x11};
  /* The address last byte first, product, counter. */
  uint8_t nonce[MIBEACON_ADDRESS + sizeof frame->head + sizeof frame->extension];
  for (uint32_t i = 0; i < MIBEACON_ADDRESS; i++)
    nonce[i] = frame->has_address ? frame->address[i] : address[MIBEACON_ADDRESS - 1 - i];
  memcpy(nonce + MIBEACON_ADDRESS, frame->head, sizeof frame->head);
  memcpy(nonce + MIBEACON_ADDRESS + sizeof frame->head, frame->extension, sizeof frame->extension);
  /* The counter lies between what is sealed and its tag, and is in the nonce instead. */
  uint8_t input[MIBEACON_DATA_MAX];
  if (frame->n_body + sizeof frame->tag > sizeof input) return MH_E_PROTOCOL;
  memcpy(input, frame->body, frame->n_body);
  memcpy(input + frame->n_body, frame->tag, sizeof frame->tag);
  mh_cipher request = {.struct_size = sizeof request,
                       .algorithm = MH_CIPHER_AES_CCM,
                       .direction = MH_CIPHER_DECRYPT,
                       .tag_length = sizeof frame->tag,
                       .key = key_name(),
                       .nonce = {nonce, sizeof nonce},
                       .associated = {associated, sizeof associated},
                       .input = {input, frame->n_body + sizeof frame->tag}};
  uint64_t length = MIBEACON_DATA_MAX;
  int32_t status = crypto->cipher(crypto->ctx, peer, &request, out, &length);
  if (status == MH_OK && length != frame->n_body) return MH_E_CRYPTO;
  *n = status == MH_OK ? (uint32_t)length : 0;
  return status;
}

/* The host says whether it has a key only by using it. */
int32_t mibeacon_has_key(const mh_crypto *crypto, uint64_t peer) {
  static const uint8_t nothing[] = {0};
  uint8_t mac[16];
  uint64_t n = sizeof mac;
  mh_bytes input = {nothing, sizeof nothing};
  return crypto->mac(crypto->ctx, peer, MH_MAC_AES_CMAC, key_name(), input, mac, &n);
}
