/* Ciphers, MACs, key derivation and key agreement for Swift, by OpenSSL's libcrypto.
 *
 * Lengths are checked by the caller. Every function returns CCRYPTO_OK, CCRYPTO_REFUSED when a check fails (a tag, a
 * point that is not on the curve), or CCRYPTO_BROKEN when the library itself fails.
 */
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <stddef.h>
#include <stdint.h>

#define CCRYPTO_OK 0
#define CCRYPTO_REFUSED 1
#define CCRYPTO_BROKEN 2

/* What a block cipher does; AES with a key of 16, 24 or 32 bytes. */
#define CCRYPTO_ECB 1
#define CCRYPTO_CBC 2
#define CCRYPTO_CTR 3
#define CCRYPTO_CCM 4
#define CCRYPTO_GCM 5

typedef struct ccrypto_bytes {
  const uint8_t *p;
  size_t n;
} ccrypto_bytes;

/* One use of AES. ECB and CBC take whole blocks, without padding. With CCM and GCM the tag of `tag_length` bytes stands
 * behind the ciphertext, in `input` when decrypting and in `out` when encrypting. `out` has room for the result, and
 * holds nothing of it when a tag is wrong. EVP_EncryptInit_ex2(3). */
int32_t ccrypto_aes(int32_t mode, int32_t encrypts, ccrypto_bytes key, ccrypto_bytes nonce, ccrypto_bytes associated,
                    size_t tag_length, ccrypto_bytes input, uint8_t *out);

/* AES-CMAC (RFC 4493) into 16 bytes; EVP_MAC(3). */
int32_t ccrypto_cmac(ccrypto_bytes key, ccrypto_bytes input, uint8_t *out);
/* HMAC-SHA-256 (RFC 2104) into 32 bytes. */
int32_t ccrypto_hmac_sha256(ccrypto_bytes key, ccrypto_bytes input, uint8_t *out);
/* SHA-256 (FIPS 180-4) into 32 bytes. */
int32_t ccrypto_sha256(ccrypto_bytes input, uint8_t *out);
/* HKDF-SHA-256 (RFC 5869) into `length` bytes, 255 * 32 at most; EVP_KDF-HKDF(7). */
int32_t ccrypto_hkdf_sha256(ccrypto_bytes key, ccrypto_bytes salt, ccrypto_bytes info, uint8_t *out, size_t length);

/* scrypt (RFC 7914) into `length` bytes, at a cost of 2^`log2_cost`; EVP_KDF-SCRYPT(7). It takes 128 * `block` * 2^`log2_cost`
 * bytes of memory, which the caller has bounded. */
int32_t ccrypto_scrypt(ccrypto_bytes passphrase, ccrypto_bytes salt, uint32_t log2_cost, uint32_t block, uint32_t parallel,
                       uint8_t *out, size_t length);

/* A new P-256 key pair: 32 bytes of private key; X and Y of the public one, 32 bytes each, most significant first. */
int32_t ccrypto_p256_make(uint8_t *private_key, uint8_t *public_key);
/* ECDH on P-256 (NIST SP 800-56A 5.7.1.2): the X coordinate, 32 bytes. CCRYPTO_REFUSED when the public key is not a
 * point of the curve. */
int32_t ccrypto_p256_agree(const uint8_t *private_key, const uint8_t *public_key, uint8_t *out);

/* Overwrites key material in a way that the compiler keeps. */
void ccrypto_wipe(void *p, size_t n);

#include "ccrypto_pem.h"

#endif
