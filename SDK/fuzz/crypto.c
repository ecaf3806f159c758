/* A stand-in for meterhost.crypto/1: lengths and refusals as the contract has them, and results that are no cryptography
 * but the same every time. What a driver makes of a plaintext is fuzzed by it, not whether a check holds. */
#include <string.h>

#include "fuzz.h"

#define HAS_TAG(algorithm) ((algorithm) == MH_CIPHER_AES_CCM || (algorithm) == MH_CIPHER_AES_GCM)

static int32_t check_lengths(const mh_cipher *request) {
  switch (request->algorithm) {
    case MH_CIPHER_AES_ECB: return request->input.n % 16 == 0 && request->nonce.n == 0 ? MH_OK : MH_E_ARG;
    case MH_CIPHER_AES_CBC: return request->input.n % 16 == 0 && request->nonce.n == 16 ? MH_OK : MH_E_ARG;
    case MH_CIPHER_AES_CTR: return request->nonce.n == 16 ? MH_OK : MH_E_ARG;
    case MH_CIPHER_AES_CCM:
      return request->nonce.n >= 7 && request->nonce.n <= 13 && request->tag_length >= 4 && request->tag_length <= 16 &&
                     request->tag_length % 2 == 0
                 ? MH_OK
                 : MH_E_ARG;
    case MH_CIPHER_AES_GCM: return request->nonce.n == 12 && request->tag_length == 16 ? MH_OK : MH_E_ARG;
    default: return MH_E_UNSUPPORTED;
  }
}

/* The text is its own cipher; the tag is ones. */
static int32_t cipher(void *ctx, uint64_t peer, const mh_cipher *request, uint8_t *out, uint64_t *n) {
  (void)ctx, (void)peer;
  int32_t status = check_lengths(request);
  if (status != MH_OK) return status;
  if (request->key.n == 0 || request->input.n > MH_CRYPTO_INPUT_MAX) return MH_E_ARG;
  uint64_t tag = HAS_TAG(request->algorithm) ? request->tag_length : 0, length = request->input.n;
  int decrypts = request->direction == MH_CIPHER_DECRYPT;
  if (decrypts && length < tag) return MH_E_ARG;
  uint64_t plain = decrypts ? length - tag : length;
  if (decrypts && tag != 0 && request->input.p[length - 1] == 0) return MH_E_CRYPTO;
  uint64_t needed = decrypts ? plain : plain + tag;
  if (*n < needed) {
    *n = needed;
    return MH_E_FULL;
  }
  if (plain != 0) memcpy(out, request->input.p, plain);
  if (!decrypts && tag != 0) memset(out + plain, 1, tag);
  *n = needed;
  return MH_OK;
}

static int32_t digest(mh_bytes input, uint8_t *out, uint64_t n) {
  uint64_t state = UINT64_C(14695981039346656037);
  for (uint64_t i = 0; i < input.n; i++) state = (state ^ input.p[i]) * UINT64_C(1099511628211);
  for (uint64_t i = 0; i < n; i++) {
    state = (state ^ i) * UINT64_C(1099511628211);
    out[i] = (uint8_t)(state >> 56);
  }
  return MH_OK;
}

static int32_t mac(void *ctx, uint64_t peer, uint32_t algorithm, mh_str key, mh_bytes input, uint8_t *out,
                   uint64_t *n) {
  (void)ctx, (void)peer;
  if (algorithm != MH_MAC_AES_CMAC && algorithm != MH_MAC_HMAC_SHA256) return MH_E_UNSUPPORTED;
  uint64_t length = algorithm == MH_MAC_AES_CMAC ? 16 : 32;
  if (key.n == 0 || input.n > MH_CRYPTO_INPUT_MAX) return MH_E_ARG;
  if (*n < length) {
    *n = length;
    return MH_E_FULL;
  }
  *n = length;
  return digest(input, out, length);
}

static int32_t sha256(void *ctx, mh_bytes input, uint8_t *out) {
  (void)ctx;
  return input.n > MH_CRYPTO_INPUT_MAX ? MH_E_ARG : digest(input, out, 32);
}

static int is_session_key(mh_str name) {
  return name.n > 8 && name.n <= MH_KEY_NAME_MAX && memcmp(name.p, "session/", 8) == 0;
}

static int32_t derive(void *ctx, uint64_t peer, const mh_derivation *request) {
  (void)ctx, (void)peer;
  return is_session_key(request->into) && request->length >= 1 && request->length <= 255 * 32 ? MH_OK : MH_E_ARG;
}

static int32_t make_key_pair(void *ctx, uint64_t peer, mh_str into, uint8_t *public_key) {
  (void)ctx, (void)peer;
  if (!is_session_key(into)) return MH_E_ARG;
  memset(public_key, 2, 64);
  return MH_OK;
}

/* A key that begins with zero is not on the curve. */
static int32_t agree(void *ctx, uint64_t peer, mh_str private_key, const uint8_t *public_key, mh_str into) {
  (void)ctx, (void)peer;
  if (!is_session_key(into) || !is_session_key(private_key)) return MH_E_ARG;
  return public_key[0] == 0 ? MH_E_CRYPTO : MH_OK;
}

const mh_crypto fuzz_crypto = {.struct_size = sizeof(mh_crypto),
                               .cipher = cipher,
                               .mac = mac,
                               .sha256 = sha256,
                               .derive = derive,
                               .make_key_pair = make_key_pair,
                               .agree = agree};
