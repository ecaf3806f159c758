/* Every service of the host once. What each answered becomes a number of a fact, in order. */
#include "driver.h"

#define SECRET "user/secret/key"

static void note(fact *out, int64_t number) {
  if (out->n < NUMBERS) out->numbers[out->n++] = number;
}

static void name(fact *out, const char *text) {
  out->text_n = (uint16_t)strlen(text);
  memcpy(out->text, text, out->text_n);
}

/* How a key is read, and its length when it was. */
static int64_t get(const mh_session *session, const char *key, uint64_t room) {
  uint8_t buffer[64];
  uint64_t n = room;
  int32_t status = session->host->kv_get(session->host->ctx, session->peer, words(key), buffer, &n);
  return status == MH_OK ? (int64_t)n : status;
}

static int64_t set(const mh_session *session, const char *key, const void *value, uint64_t n) {
  return session->host->kv_set(session->host->ctx, session->peer, words(key), bytes(value, n));
}

void use_host(const mh_session *session, fact *out) {
  static const uint8_t large[MH_VALUE_MAX + 1];
  const mh_host *host = session->host;
  uint8_t random[MH_RANDOM_MAX + 1];
  mh_bytes file = {NULL, 0};
  name(out, "services");
  for (int32_t level = MH_LOG_ERROR; level <= MH_LOG_DEBUG; level++) host->log(host->ctx, level, words("all services"));
  note(out, host->random(host->ctx, random, MH_RANDOM_MAX));
  note(out, host->random(host->ctx, random, sizeof random));
  note(out, set(session, "meter/fact", "abc", 3));
  note(out, get(session, "meter/fact", 64));
  note(out, get(session, "meter/fact", 1));
  note(out, get(session, "user/none", 64));
  note(out, set(session, "meter/gone", "x", 1));
  note(out, set(session, "meter/gone", NULL, 0));
  note(out, get(session, "meter/gone", 64));
  note(out, set(session, "user/large", large, sizeof large));
  note(out, set(session, "credential/open", "abc", 3));
  note(out, set(session, SECRET, "0123456789abcdef", 16));
  note(out, get(session, SECRET, 64));
  note(out, set(session, "meter/secret/seed", "seed", 4));
  note(out, get(session, "meter/secret/seed", 64));
  note(out, get(session, "credential/open", 64));
  note(out, get(session, "credential/closed", 64));
  note(out, get(session, "credential/none", 64));
  note(out, host->asset(host->ctx, words("table.bin"), &file));
  note(out, (int64_t)file.n);
  note(out, host->asset(host->ctx, words("none"), &file));
  note(out, host->extension(host->ctx, "org.example.none/1") == NULL);
}

/* A use of a cipher, and the bytes that it has given or why not. */
static int64_t cipher(const mh_session *session, const mh_crypto *crypto, const mh_cipher *use, uint8_t *out,
                      uint64_t room) {
  int32_t status = crypto->cipher(crypto->ctx, session->peer, use, out, &room);
  return status == MH_OK ? (int64_t)room : status;
}

static mh_cipher encryption(uint16_t algorithm) {
  static const uint8_t nonces[] = {0, 0, 16, 16, 13, 12}, tags[] = {0, 0, 0, 0, 8, 16};
  mh_cipher use = {.struct_size = sizeof use, .algorithm = algorithm, .direction = MH_CIPHER_ENCRYPT};
  use.tag_length = tags[algorithm];
  use.key = words(SECRET);
  use.nonce = bytes("a nonce of bytes", nonces[algorithm]);
  if (use.tag_length > 0) use.associated = bytes("header", 6);
  use.input = bytes("sixteen bytes of", 16);
  return use;
}

static void use_ciphers(const mh_session *session, const mh_crypto *crypto, fact *out) {
  uint8_t sealed[64], opened[64];
  for (uint16_t algorithm = MH_CIPHER_AES_ECB; algorithm <= MH_CIPHER_AES_GCM; algorithm++) {
    mh_cipher use = encryption(algorithm);
    int64_t n = cipher(session, crypto, &use, sealed, sizeof sealed);
    use.direction = MH_CIPHER_DECRYPT;
    use.input = bytes(sealed, n > 0 ? (uint64_t)n : 0);
    int64_t length = cipher(session, crypto, &use, opened, sizeof opened);
    note(out, length == 16 && memcmp(opened, "sixteen bytes of", 16) == 0 ? n : -1);
  }
  mh_cipher use = encryption(MH_CIPHER_AES_CCM);
  note(out, cipher(session, crypto, &use, sealed, 23));
  (void)cipher(session, crypto, &use, sealed, sizeof sealed);
  sealed[3] ^= 1;
  use.direction = MH_CIPHER_DECRYPT;
  use.input = bytes(sealed, 24);
  note(out, cipher(session, crypto, &use, opened, sizeof opened));
  use.nonce.n = 6;
  note(out, cipher(session, crypto, &use, opened, sizeof opened));
  use.algorithm = 999;
  note(out, cipher(session, crypto, &use, opened, sizeof opened));
}

/* A code over "abc", and its length or why there is none. */
static int64_t mac(const mh_session *session, const mh_crypto *crypto, uint32_t algorithm, const char *key,
                   uint8_t *out) {
  uint64_t n = 32;
  int32_t status = crypto->mac(crypto->ctx, session->peer, algorithm, words(key), bytes("abc", 3), out, &n);
  return status == MH_OK ? (int64_t)n : status;
}

static void use_key_pairs(const mh_session *session, const mh_crypto *crypto, fact *out) {
  uint8_t mine[64], yours[64], one[32], other[32];
  static const uint8_t no_point[64] = {4};
  note(out, crypto->make_key_pair(crypto->ctx, session->peer, words("session/mine"), mine));
  note(out, crypto->make_key_pair(crypto->ctx, session->peer, words("session/yours"), yours));
  note(out, crypto->agree(crypto->ctx, session->peer, words("session/mine"), yours, words("session/one")));
  note(out, crypto->agree(crypto->ctx, session->peer, words("session/yours"), mine, words("session/other")));
  int64_t first = mac(session, crypto, MH_MAC_HMAC_SHA256, "session/one", one);
  int64_t second = mac(session, crypto, MH_MAC_HMAC_SHA256, "session/other", other);
  note(out, first == 32 && second == 32 && memcmp(one, other, 32) == 0);
  note(out, crypto->agree(crypto->ctx, session->peer, words("session/mine"), no_point, words("session/none")));
}

void use_crypto(const mh_session *session, fact *out) {
  const mh_crypto *crypto = session->host->extension(session->host->ctx, MH_EXT_CRYPTO);
  uint8_t code[32];
  name(out, "cryptography");
  if (crypto == NULL || !MH_HAS(crypto, agree)) return;
  use_ciphers(session, crypto, out);
  note(out, mac(session, crypto, MH_MAC_AES_CMAC, SECRET, code));
  note(out, mac(session, crypto, MH_MAC_HMAC_SHA256, "credential/closed", code));
  note(out, mac(session, crypto, MH_MAC_AES_CMAC, "session/none", code));
  note(out, mac(session, crypto, 999, SECRET, code));
  note(out, crypto->sha256(crypto->ctx, bytes("abc", 3), code));
  note(out, code[0]);
  mh_derivation derivation = {.struct_size = sizeof derivation, .length = 16, .key = words(SECRET)};
  derivation.salt = bytes("salt", 4);
  derivation.info = bytes("info", 4);
  derivation.into = words("session/derived");
  note(out, crypto->derive(crypto->ctx, session->peer, &derivation));
  note(out, mac(session, crypto, MH_MAC_AES_CMAC, "session/derived", code));
  use_key_pairs(session, crypto, out);
}
