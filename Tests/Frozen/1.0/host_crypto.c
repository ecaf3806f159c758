/* The table of cryptography with nothing cryptographic in it: the same bytes for the same key, arguments and lengths.
 * What a driver seals it can open, and its calls are held against the contract. Protects nothing. */
#include "host.h"

#define START 0xcbf29ce484222325u

/* FNV-1a, going on from `hash`. */
static uint64_t mix(uint64_t hash, const void *p, uint64_t n) {
  const uint8_t *from = p;
  for (uint64_t i = 0; i < n; i++) hash = (hash ^ from[i]) * 0x100000001b3u;
  return hash;
}

static uint64_t mix_number(uint64_t hash, uint64_t number) { return mix(hash, &number, sizeof number); }

/* `n` bytes that follow from a number (SplitMix64). */
static void expand(uint64_t seed, uint8_t *out, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    out[i] = (uint8_t)(z >> 56);
  }
}

/* Whether the algorithm has these lengths. */
static int fits(const mh_cipher *r, uint64_t text) {
  uint64_t nonce = r->nonce.n, tag = r->tag_length;
  switch (r->algorithm) {
    case MH_CIPHER_AES_ECB: return nonce == 0 && tag == 0 && r->associated.n == 0 && text % 16 == 0;
    case MH_CIPHER_AES_CBC: return nonce == 16 && tag == 0 && r->associated.n == 0 && text % 16 == 0;
    case MH_CIPHER_AES_CTR: return nonce == 16 && tag == 0 && r->associated.n == 0;
    case MH_CIPHER_AES_CCM: return nonce >= 7 && nonce <= 13 && tag >= 4 && tag <= 16 && tag % 2 == 0;
    default: return nonce == 12 && tag == 16;
  }
}

static int32_t cipher(void *ctx, uint64_t peer, const mh_cipher *r, uint8_t *out, uint64_t *n) {
  (void)ctx;
  if (peer != PEER) return MH_E_DENIED;
  if (!MH_HAS(r, input) || r->input.n > MH_CRYPTO_INPUT_MAX) return MH_E_ARG;
  if (r->algorithm < MH_CIPHER_AES_ECB || r->algorithm > MH_CIPHER_AES_GCM) return MH_E_UNSUPPORTED;
  int opens = r->direction == MH_CIPHER_DECRYPT;
  if (!opens && r->direction != MH_CIPHER_ENCRYPT) return MH_E_ARG;
  if (opens && r->input.n < r->tag_length) return MH_E_ARG;
  uint64_t text = opens ? r->input.n - r->tag_length : r->input.n;
  const key *with = find_key(r->key);
  if (!with) return MH_E_NOT_FOUND;
  if (!fits(r, text) || (with->n != 16 && with->n != 24 && with->n != 32)) return MH_E_ARG;
  uint64_t space = *n;
  *n = opens ? text : text + r->tag_length;
  if (space < *n) return MH_E_FULL;
  static uint8_t result[MH_CRYPTO_INPUT_MAX];
  uint8_t tag[16];
  uint64_t seed = mix_number(mix(mix(START, with->value, with->n), r->nonce.p, r->nonce.n), r->algorithm);
  expand(seed, result, text);
  for (uint64_t i = 0; i < text; i++) result[i] ^= r->input.p[i];
  seed = mix(mix(seed, r->associated.p, r->associated.n), opens ? result : r->input.p, text);
  expand(seed, tag, r->tag_length);
  if (opens && memcmp(tag, r->input.p + text, r->tag_length) != 0) return MH_E_CRYPTO;
  memcpy(out, result, text);
  if (!opens) memcpy(out + text, tag, r->tag_length);
  return MH_OK;
}

static int32_t mac(void *ctx, uint64_t peer, uint32_t algorithm, mh_str name, mh_bytes input, uint8_t *out,
                   uint64_t *n) {
  (void)ctx;
  if (peer != PEER) return MH_E_DENIED;
  if (algorithm != MH_MAC_AES_CMAC && algorithm != MH_MAC_HMAC_SHA256) return MH_E_UNSUPPORTED;
  const key *with = find_key(name);
  if (!with) return MH_E_NOT_FOUND;
  if (input.n > MH_CRYPTO_INPUT_MAX) return MH_E_ARG;
  uint64_t space = *n;
  *n = algorithm == MH_MAC_AES_CMAC ? 16 : 32;
  if (space < *n) return MH_E_FULL;
  expand(mix(mix_number(mix(START, with->value, with->n), algorithm), input.p, input.n), out, *n);
  return MH_OK;
}

static int32_t sha256(void *ctx, mh_bytes input, uint8_t *out) {
  (void)ctx;
  if (input.n > MH_CRYPTO_INPUT_MAX) return MH_E_ARG;
  expand(mix(START, input.p, input.n), out, 32);
  return MH_OK;
}

static int32_t keep(mh_str into, const uint8_t *value, uint64_t n) {
  if (into.n <= 8 || into.n > MH_KEY_NAME_MAX || memcmp(into.p, "session/", 8) != 0) return MH_E_ARG;
  if (!find_key(into) && count_session_keys() >= MH_SESSION_KEYS_MAX) return MH_E_DENIED;
  return keep_key(into, value, n, 1);
}

static int32_t derive(void *ctx, uint64_t peer, const mh_derivation *r) {
  static uint8_t made[255 * 32];
  (void)ctx;
  if (peer != PEER) return MH_E_DENIED;
  if (!MH_HAS(r, into) || r->length == 0 || r->length > sizeof made) return MH_E_ARG;
  const key *from = find_key(r->key);
  if (!from) return MH_E_NOT_FOUND;
  uint64_t seed = mix(mix(mix(START, from->value, from->n), r->salt.p, r->salt.n), r->info.p, r->info.n);
  expand(seed, made, r->length);
  return keep(r->into, made, r->length);
}

static int32_t make_key_pair(void *ctx, uint64_t peer, mh_str into, uint8_t *public_key) {
  static uint64_t pairs;
  uint8_t made[32];
  (void)ctx;
  if (peer != PEER) return MH_E_DENIED;
  pairs += 1;
  expand(pairs, made, sizeof made);
  expand(mix(START, made, sizeof made), public_key, 64);
  return keep(into, made, sizeof made);
}

/* The two ends add the same two numbers. A point is on this host's curve when it does not begin with 4 and nothing. */
static int32_t agree(void *ctx, uint64_t peer, mh_str private_key, const uint8_t *public_key, mh_str into) {
  static const uint8_t no_point[64] = {4};
  uint8_t own[64], made[32];
  (void)ctx;
  if (peer != PEER) return MH_E_DENIED;
  const key *from = find_key(private_key);
  if (!from) return MH_E_NOT_FOUND;
  if (from->n != 32) return MH_E_ARG;
  if (memcmp(public_key, no_point, 64) == 0) return MH_E_CRYPTO;
  expand(mix(START, from->value, from->n), own, sizeof own);
  expand(mix(START, own, sizeof own) + mix(START, public_key, 64), made, sizeof made);
  return keep(into, made, sizeof made);
}

const mh_crypto crypto = {.struct_size = sizeof(mh_crypto), .cipher = cipher, .mac = mac, .sha256 = sha256,
                          .derive = derive, .make_key_pair = make_key_pair, .agree = agree};
