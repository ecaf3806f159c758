#include "ccrypto_pem.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>

static BIO *reader(ccrypto_bytes text) {
  return text.n == 0 || text.n > INT_MAX ? NULL : BIO_new_mem_buf(text.p, (int)text.n);
}

/* Refuses to ask anybody for a password, and notes that one is needed. */
static int refuse_password(char *buffer, int size, int writes, void *was_asked) {
  (void)buffer;
  (void)size;
  (void)writes;
  *(int *)was_asked = 1;
  return -1;
}

static int is_end(void) {
  const unsigned long error = ERR_peek_last_error();
  return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

int32_t ccrypto_pem_certificates(ccrypto_bytes pem) {
  BIO *const bio = reader(pem);
  if (bio == NULL) return 0;
  int32_t count = 0;
  int asked = 0;
  ERR_clear_error();
  for (;;) {
    X509 *const certificate = PEM_read_bio_X509(bio, NULL, refuse_password, &asked);
    if (certificate == NULL) break;
    X509_free(certificate);
    count++;
  }
  if (!is_end()) count = -count - 1;
  ERR_clear_error();
  BIO_free(bio);
  return count;
}

int32_t ccrypto_pem_pair(ccrypto_bytes certificate_text, ccrypto_bytes key_text) {
  int asked = 0;
  int32_t result = CCRYPTO_OK;
  BIO *const certificate_bio = reader(certificate_text);
  BIO *const key_bio = reader(key_text);
  X509 *const certificate =
    certificate_bio == NULL ? NULL : PEM_read_bio_X509(certificate_bio, NULL, refuse_password, &asked);
  asked = 0;
  EVP_PKEY *const key = key_bio == NULL ? NULL : PEM_read_bio_PrivateKey(key_bio, NULL, refuse_password, &asked);
  if (certificate == NULL) {
    result = CCRYPTO_PEM_NO_CERTIFICATE;
  } else if (key == NULL) {
    result = asked ? CCRYPTO_PEM_ENCRYPTED_KEY : CCRYPTO_PEM_NO_KEY;
  } else if (X509_check_private_key(certificate, key) != 1) {
    result = CCRYPTO_PEM_MISMATCH;
  }
  ERR_clear_error();
  EVP_PKEY_free(key);
  X509_free(certificate);
  BIO_free(key_bio);
  BIO_free(certificate_bio);
  return result;
}

/* The key that signs, or NULL with why in `result`. The caller frees it. */
static EVP_PKEY *signing_key(ccrypto_bytes text, int32_t *kind, int32_t *result) {
  int asked = 0;
  BIO *const bio = reader(text);
  EVP_PKEY *key = bio == NULL ? NULL : PEM_read_bio_PrivateKey(bio, NULL, refuse_password, &asked);
  BIO_free(bio);
  *kind = 0;
  if (key == NULL) {
    *result = asked ? CCRYPTO_PEM_ENCRYPTED_KEY : CCRYPTO_PEM_NO_KEY;
    return NULL;
  }
  char group[32] = "";
  size_t length = 0;
  const int bits = EVP_PKEY_get_bits(key);
  if (EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(key, group, sizeof group, &length) == 1 &&
      strcmp(group, "secp384r1") == 0) {
    *kind = CCRYPTO_KEY_P384;
  } else if (EVP_PKEY_is_a(key, "RSA") && bits >= 2048 && bits <= 8 * CCRYPTO_PEM_SIGNATURE_LIMIT) {
    *kind = CCRYPTO_KEY_RSA;
  } else {
    *result = CCRYPTO_PEM_WRONG_KEY;
    EVP_PKEY_free(key);
    return NULL;
  }
  *result = CCRYPTO_OK;
  return key;
}

int32_t ccrypto_pem_key_kind(ccrypto_bytes key_text, int32_t *kind) {
  int32_t result;
  EVP_PKEY_free(signing_key(key_text, kind, &result));
  ERR_clear_error();
  return result;
}

/* R and S of a signature in DER, 48 bytes each. */
static int plain_signature(const uint8_t *der, size_t der_length, uint8_t *out) {
  const uint8_t *start = der;
  ECDSA_SIG *const signature = d2i_ECDSA_SIG(NULL, &start, (long)der_length);
  if (signature == NULL) return 0;
  const int is_written = BN_bn2binpad(ECDSA_SIG_get0_r(signature), out, 48) == 48 &&
                         BN_bn2binpad(ECDSA_SIG_get0_s(signature), out + 48, 48) == 48;
  ECDSA_SIG_free(signature);
  return is_written;
}

int32_t ccrypto_pem_sign(ccrypto_bytes key_text, ccrypto_bytes input, uint8_t *out, size_t *length) {
  static const uint8_t nothing[1] = {0};
  int32_t kind = 0, result;
  *length = 0;
  EVP_PKEY *const key = signing_key(key_text, &kind, &result);
  if (key != NULL) {
    uint8_t signature[CCRYPTO_PEM_SIGNATURE_LIMIT];
    size_t count = sizeof signature;
    EVP_MD_CTX *const context = EVP_MD_CTX_new();
    result = CCRYPTO_BROKEN;
    if (context != NULL && EVP_DigestSignInit(context, NULL, EVP_sha384(), NULL, key) == 1 &&
        EVP_DigestSign(context, signature, &count, input.p == NULL ? nothing : input.p, input.n) == 1) {
      if (kind == CCRYPTO_KEY_RSA) {
        memcpy(out, signature, count);
        *length = count;
        result = CCRYPTO_OK;
      } else if (plain_signature(signature, count, out)) {
        *length = 96;
        result = CCRYPTO_OK;
      }
    }
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
  }
  ERR_clear_error();
  return result;
}
