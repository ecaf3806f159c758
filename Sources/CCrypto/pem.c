#include "ccrypto_pem.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

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
