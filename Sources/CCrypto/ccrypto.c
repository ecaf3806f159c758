#include "ccrypto.h"

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <string.h>

/* OpenSSL refuses NULL for an empty input here and there. */
static const uint8_t nothing[1] = {0};
static const uint8_t *start(ccrypto_bytes bytes) { return bytes.p == NULL ? nothing : bytes.p; }

static const EVP_CIPHER *cipher_of(int32_t mode, size_t key_length) {
  int size = key_length == 16 ? 0 : key_length == 24 ? 1 : key_length == 32 ? 2 : -1;
  if (size < 0) return NULL;
  switch (mode) {
    case CCRYPTO_ECB: return size == 0 ? EVP_aes_128_ecb() : size == 1 ? EVP_aes_192_ecb() : EVP_aes_256_ecb();
    case CCRYPTO_CBC: return size == 0 ? EVP_aes_128_cbc() : size == 1 ? EVP_aes_192_cbc() : EVP_aes_256_cbc();
    case CCRYPTO_CTR: return size == 0 ? EVP_aes_128_ctr() : size == 1 ? EVP_aes_192_ctr() : EVP_aes_256_ctr();
    case CCRYPTO_CCM: return size == 0 ? EVP_aes_128_ccm() : size == 1 ? EVP_aes_192_ccm() : EVP_aes_256_ccm();
    case CCRYPTO_GCM: return size == 0 ? EVP_aes_128_gcm() : size == 1 ? EVP_aes_192_gcm() : EVP_aes_256_gcm();
    default: return NULL;
  }
}

static int32_t plain(EVP_CIPHER_CTX *context, const EVP_CIPHER *cipher, int encrypts, ccrypto_bytes key,
                     ccrypto_bytes nonce, ccrypto_bytes input, uint8_t *out) {
  int n = 0, rest = 0;
  if (EVP_CipherInit_ex(context, cipher, NULL, key.p, nonce.n == 0 ? NULL : nonce.p, encrypts) != 1 ||
      EVP_CIPHER_CTX_set_padding(context, 0) != 1 ||
      (input.n != 0 && EVP_CipherUpdate(context, out, &n, input.p, (int)input.n) != 1) ||
      EVP_CipherFinal_ex(context, out + n, &rest) != 1)
    return CCRYPTO_BROKEN;
  return CCRYPTO_OK;
}

/* CCM wants the length of the text before its associated data, and checks the tag while it decrypts; GCM checks it at
 * the end. */
static int32_t authenticated(EVP_CIPHER_CTX *context, const EVP_CIPHER *cipher, int is_ccm, int encrypts,
                             ccrypto_bytes key, ccrypto_bytes nonce, ccrypto_bytes associated, size_t tag_length,
                             ccrypto_bytes input, uint8_t *out) {
  if (!encrypts && input.n < tag_length) return CCRYPTO_REFUSED;
  size_t length = encrypts ? input.n : input.n - tag_length;
  uint8_t tag[16];
  int n = 0;
  if (!encrypts) memcpy(tag, input.p + length, tag_length);
  if (EVP_CipherInit_ex(context, cipher, NULL, NULL, NULL, encrypts) != 1 ||
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, (int)nonce.n, NULL) != 1)
    return CCRYPTO_BROKEN;
  if ((is_ccm || !encrypts) &&
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, (int)tag_length, encrypts ? NULL : tag) != 1)
    return CCRYPTO_BROKEN;
  if (EVP_CipherInit_ex(context, NULL, NULL, key.p, nonce.p, encrypts) != 1) return CCRYPTO_BROKEN;
  if (is_ccm && EVP_CipherUpdate(context, NULL, &n, NULL, (int)length) != 1) return CCRYPTO_BROKEN;
  if (associated.n != 0 && EVP_CipherUpdate(context, NULL, &n, associated.p, (int)associated.n) != 1)
    return CCRYPTO_BROKEN;
  uint8_t scratch[16];
  uint8_t *to = length == 0 ? scratch : out;
  /* An empty text is given all the same with CCM: that is the call that makes or checks the tag. */
  if ((is_ccm || length != 0) && EVP_CipherUpdate(context, to, &n, start(input), (int)length) != 1)
    return encrypts ? CCRYPTO_BROKEN : CCRYPTO_REFUSED;
  if (!(is_ccm && !encrypts) && EVP_CipherFinal_ex(context, scratch, &n) != 1)
    return encrypts ? CCRYPTO_BROKEN : CCRYPTO_REFUSED;
  if (encrypts && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, (int)tag_length, out + length) != 1)
    return CCRYPTO_BROKEN;
  return CCRYPTO_OK;
}

int32_t ccrypto_aes(int32_t mode, int32_t encrypts, ccrypto_bytes key, ccrypto_bytes nonce, ccrypto_bytes associated,
                    size_t tag_length, ccrypto_bytes input, uint8_t *out) {
  const EVP_CIPHER *cipher = cipher_of(mode, key.n);
  if (cipher == NULL || input.n > INT_MAX || associated.n > INT_MAX || tag_length > 16) return CCRYPTO_BROKEN;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  if (context == NULL) return CCRYPTO_BROKEN;
  int is_authenticated = mode == CCRYPTO_CCM || mode == CCRYPTO_GCM;
  int32_t status = is_authenticated
                       ? authenticated(context, cipher, mode == CCRYPTO_CCM, encrypts != 0, key, nonce, associated,
                                       tag_length, input, out)
                       : plain(context, cipher, encrypts != 0, key, nonce, input, out);
  EVP_CIPHER_CTX_free(context);
  if (status != CCRYPTO_OK) {
    /* Text that failed its check is no text. */
    if (is_authenticated && !encrypts && input.n > tag_length) ccrypto_wipe(out, input.n - tag_length);
    ERR_clear_error();
  }
  return status;
}

static int32_t mac(const char *name, const OSSL_PARAM *params, ccrypto_bytes key, ccrypto_bytes input, uint8_t *out,
                   size_t room) {
  int32_t status = CCRYPTO_BROKEN;
  EVP_MAC *algorithm = EVP_MAC_fetch(NULL, name, NULL);
  EVP_MAC_CTX *context = algorithm == NULL ? NULL : EVP_MAC_CTX_new(algorithm);
  size_t n = 0;
  if (context != NULL && EVP_MAC_init(context, start(key), key.n, params) == 1 &&
      EVP_MAC_update(context, start(input), input.n) == 1 && EVP_MAC_final(context, out, &n, room) == 1 && n == room)
    status = CCRYPTO_OK;
  EVP_MAC_CTX_free(context);
  EVP_MAC_free(algorithm);
  if (status != CCRYPTO_OK) ERR_clear_error();
  return status;
}

int32_t ccrypto_cmac(ccrypto_bytes key, ccrypto_bytes input, uint8_t *out) {
  char name[] = "AES-000-CBC";
  const char *bits = key.n == 16 ? "128" : key.n == 24 ? "192" : key.n == 32 ? "256" : NULL;
  if (bits == NULL) return CCRYPTO_BROKEN;
  memcpy(name + 4, bits, 3);
  OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, name, 0), OSSL_PARAM_construct_end()};
  return mac("CMAC", params, key, input, out, 16);
}

int32_t ccrypto_hmac_sha256(ccrypto_bytes key, ccrypto_bytes input, uint8_t *out) {
  char digest[] = "SHA256";
  OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                         OSSL_PARAM_construct_end()};
  return mac("HMAC", params, key, input, out, 32);
}

int32_t ccrypto_sha256(ccrypto_bytes input, uint8_t *out) {
  return EVP_Digest(start(input), input.n, out, NULL, EVP_sha256(), NULL) == 1 ? CCRYPTO_OK : CCRYPTO_BROKEN;
}

int32_t ccrypto_hkdf_sha256(ccrypto_bytes key, ccrypto_bytes salt, ccrypto_bytes info, uint8_t *out, size_t length) {
  int32_t status = CCRYPTO_BROKEN;
  char digest[] = "SHA256";
  /* The library takes the parameters by pointers that are not const and does not write through them. */
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)(uintptr_t)start(key), key.n),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)(uintptr_t)start(salt), salt.n),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)(uintptr_t)start(info), info.n),
      OSSL_PARAM_construct_end()};
  EVP_KDF *algorithm = EVP_KDF_fetch(NULL, "HKDF", NULL);
  EVP_KDF_CTX *context = algorithm == NULL ? NULL : EVP_KDF_CTX_new(algorithm);
  if (context != NULL && EVP_KDF_derive(context, out, length, params) == 1) status = CCRYPTO_OK;
  EVP_KDF_CTX_free(context);
  EVP_KDF_free(algorithm);
  if (status != CCRYPTO_OK) ERR_clear_error();
  return status;
}

int32_t ccrypto_scrypt(ccrypto_bytes passphrase, ccrypto_bytes salt, uint32_t log2_cost, uint32_t block, uint32_t parallel,
                       uint8_t *out, size_t length) {
  if (log2_cost < 1 || log2_cost > 30 || block == 0 || block > 64 || parallel == 0 || parallel > 64) return CCRYPTO_BROKEN;
  int32_t status = CCRYPTO_BROKEN;
  uint64_t cost = (uint64_t)1 << log2_cost;
  /* The library's own bound is 32 MiB. What it counts is a little more than the table. */
  uint64_t room = 128 * (uint64_t)block * (cost + parallel + 2) + (1 << 20);
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_PASSWORD, (void *)(uintptr_t)start(passphrase), passphrase.n),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)(uintptr_t)start(salt), salt.n),
      OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_N, &cost),
      OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_R, &block),
      OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_P, &parallel),
      OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_MAXMEM, &room),
      OSSL_PARAM_construct_end()};
  EVP_KDF *algorithm = EVP_KDF_fetch(NULL, "SCRYPT", NULL);
  EVP_KDF_CTX *context = algorithm == NULL ? NULL : EVP_KDF_CTX_new(algorithm);
  if (context != NULL && EVP_KDF_derive(context, out, length, params) == 1) status = CCRYPTO_OK;
  EVP_KDF_CTX_free(context);
  EVP_KDF_free(algorithm);
  if (status != CCRYPTO_OK) ERR_clear_error();
  return status;
}

int32_t ccrypto_p256_make(uint8_t *private_key, uint8_t *public_key) {
  int32_t status = CCRYPTO_BROKEN;
  BIGNUM *number = NULL;
  uint8_t point[65];
  size_t n = 0;
  EVP_PKEY *pair = EVP_EC_gen("P-256");
  if (pair != NULL && EVP_PKEY_get_bn_param(pair, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1 &&
      BN_bn2binpad(number, private_key, 32) == 32 &&
      EVP_PKEY_get_octet_string_param(pair, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point, &n) == 1 && n == 65 &&
      point[0] == 4) {
    memcpy(public_key, point + 1, 64);
    status = CCRYPTO_OK;
  }
  BN_clear_free(number);
  EVP_PKEY_free(pair);
  if (status != CCRYPTO_OK) ERR_clear_error();
  return status;
}

/* A key of the curve from its parts; `private_key` may be NULL. NULL when the parts are no key. */
static EVP_PKEY *p256_key(const uint8_t *private_key, const uint8_t *public_key) {
  EVP_PKEY *key = NULL;
  BIGNUM *number = NULL;
  uint8_t point[65] = {4};
  OSSL_PARAM *params = NULL;
  OSSL_PARAM_BLD *parts = OSSL_PARAM_BLD_new();
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  int fits = parts != NULL && context != NULL &&
             OSSL_PARAM_BLD_push_utf8_string(parts, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1;
  if (fits && public_key != NULL) {
    memcpy(point + 1, public_key, 64);
    fits = OSSL_PARAM_BLD_push_octet_string(parts, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point) == 1;
  }
  if (fits && private_key != NULL) {
    number = BN_secure_new();
    fits = number != NULL && BN_bin2bn(private_key, 32, number) != NULL &&
           OSSL_PARAM_BLD_push_BN_pad(parts, OSSL_PKEY_PARAM_PRIV_KEY, number, 32) == 1;
  }
  if (fits) params = OSSL_PARAM_BLD_to_param(parts);
  if (params == NULL || EVP_PKEY_fromdata_init(context) != 1 ||
      EVP_PKEY_fromdata(context, &key, private_key == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR, params) != 1)
    key = NULL;
  OSSL_PARAM_free(params);
  OSSL_PARAM_BLD_free(parts);
  EVP_PKEY_CTX_free(context);
  BN_clear_free(number);
  return key;
}

int32_t ccrypto_p256_agree(const uint8_t *private_key, const uint8_t *public_key, uint8_t *out) {
  int32_t status = CCRYPTO_BROKEN;
  size_t n = 32;
  EVP_PKEY *mine = p256_key(private_key, NULL);
  /* fromdata refuses a point that is not on the curve; set_peer validates once more, with the group's order. */
  EVP_PKEY *theirs = p256_key(NULL, public_key);
  EVP_PKEY_CTX *context = mine == NULL || theirs == NULL ? NULL : EVP_PKEY_CTX_new(mine, NULL);
  if (theirs == NULL)
    status = CCRYPTO_REFUSED;
  else if (context != NULL && EVP_PKEY_derive_init(context) == 1) {
    if (EVP_PKEY_derive_set_peer(context, theirs) != 1)
      status = CCRYPTO_REFUSED;
    else if (EVP_PKEY_derive(context, out, &n) == 1 && n == 32)
      status = CCRYPTO_OK;
  }
  EVP_PKEY_CTX_free(context);
  EVP_PKEY_free(mine);
  EVP_PKEY_free(theirs);
  if (status != CCRYPTO_OK) ERR_clear_error();
  return status;
}

void ccrypto_wipe(void *p, size_t n) { OPENSSL_cleanse(p, n); }
