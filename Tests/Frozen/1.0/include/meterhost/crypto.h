/* Cryptography with keys that stay in the host (rule R5).
 *
 * A driver names a key and never sees it: "credential/NAME" (registry, entered by a person), "user/secret/..." and
 * "meter/secret/..." (storage), or "session/..." (made by `derive`, `agree` and `make_key_pair`, gone with the
 * session). A recording holds the results of these calls, so that a session replays without its keys (rule R8). Ask for
 * the table with host->extension(host->ctx, MH_EXT_CRYPTO); its functions answer MH_E_UNSUPPORTED for an algorithm that
 * this host does not know, MH_E_NOT_FOUND for a name without a key, MH_E_ARG for lengths that the algorithm does not
 * have or an input above MH_CRYPTO_INPUT_MAX, MH_E_FULL when the output does not fit, MH_E_CRYPTO when a check fails,
 * MH_E_DENIED above MH_SESSION_KEYS_MAX.
 */
#ifndef METERHOST_CRYPTO_H
#define METERHOST_CRYPTO_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MH_EXT_CRYPTO "meterhost.crypto/1"

#define MH_CRYPTO_INPUT_MAX 131072u
/* The longest name of a key. */
#define MH_KEY_NAME_MAX 96u
/* The most keys under "session/" at a time. */
#define MH_SESSION_KEYS_MAX 64u

/* Ciphers. Keys have 16, 24 or 32 bytes. */
/* AES in ECB mode: whole blocks, no padding, no nonce (NIST SP 800-38A 6.1). */
#define MH_CIPHER_AES_ECB 1u
/* AES in CBC mode: whole blocks, no padding, 16-byte nonce (NIST SP 800-38A 6.2). */
#define MH_CIPHER_AES_CBC 2u
/* AES in CTR mode: any length, the 16-byte nonce is the first counter block (NIST SP 800-38A 6.5). */
#define MH_CIPHER_AES_CTR 3u
/* AES-CCM: nonce of 7 to 13 bytes, tag of 4 to 16 even, behind the ciphertext (NIST SP 800-38C, RFC 3610). */
#define MH_CIPHER_AES_CCM 4u
/* AES-GCM: 12-byte nonce, 16-byte tag behind the ciphertext (NIST SP 800-38D). */
#define MH_CIPHER_AES_GCM 5u

#define MH_CIPHER_ENCRYPT 1u
#define MH_CIPHER_DECRYPT 2u

/* AES-CMAC (RFC 4493): 16 bytes. */
#define MH_MAC_AES_CMAC 1u
/* HMAC-SHA-256 (RFC 2104): 32 bytes. */
#define MH_MAC_HMAC_SHA256 2u

/* One use of a cipher. `input` and what goes out hold the tag behind the text for CCM and GCM. */
typedef struct mh_cipher {
  uint32_t struct_size;
  uint16_t algorithm;
  uint16_t direction;
  /* Bytes of the tag; 0 for ciphers without one. */
  uint32_t tag_length;
  uint32_t reserved;
  mh_str key;
  mh_bytes nonce;
  /* Authenticated and not encrypted; CCM and GCM only. */
  mh_bytes associated;
  mh_bytes input;
} mh_cipher;

/* One derivation by HKDF-SHA-256 (RFC 5869). `info` may be empty. */
typedef struct mh_derivation {
  uint32_t struct_size;
  /* Bytes of the new key, 1 to 255 * 32. */
  uint32_t length;
  mh_str key;
  mh_bytes salt;
  mh_bytes info;
  /* "session/...": where the new key goes. */
  mh_str into;
} mh_derivation;

typedef struct mh_crypto {
  uint32_t struct_size;
  uint32_t reserved;
  void *ctx;
  /* In: *n is the room in out. Out: its length. `peer` is mh_open.peer, here and below. [in-call] */
  int32_t (*cipher)(void *ctx, uint64_t peer, const mh_cipher *request, uint8_t *out, uint64_t *n);
  /* In: *n is the room in out. Out: its length. [in-call] */
  int32_t (*mac)(void *ctx, uint64_t peer, uint32_t algorithm, mh_str key, mh_bytes input, uint8_t *out, uint64_t *n);
  /* SHA-256 (FIPS 180-4) into 32 bytes. [in-call] */
  int32_t (*sha256)(void *ctx, mh_bytes input, uint8_t *out);
  /* Makes a key from a key. [in-call] */
  int32_t (*derive)(void *ctx, uint64_t peer, const mh_derivation *request);
  /* Makes a P-256 key pair, keeps the private key as `into` ("session/...") and gives the public key: X then Y, 32
   * bytes each, most significant first (SEC 1 2.3.3 without its first byte). [in-call] */
  int32_t (*make_key_pair)(void *ctx, uint64_t peer, mh_str into, uint8_t *public_key);
  /* ECDH on P-256 (NIST SP 800-56A 5.7.1.2): the X coordinate, 32 bytes, becomes the key `into` ("session/...").
   * MH_E_CRYPTO when `public_key` is not on the curve. [in-call] */
  int32_t (*agree)(void *ctx, uint64_t peer, mh_str private_key, const uint8_t *public_key, mh_str into);
} mh_crypto;

#ifdef __cplusplus
}
#endif
#endif
