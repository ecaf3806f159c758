/* What PEM files (RFC 7468) hold, before TLS is built on them; by OpenSSL's libcrypto. */
#ifndef CCRYPTO_PEM_H
#define CCRYPTO_PEM_H

#include "ccrypto.h"

#define CCRYPTO_PEM_NO_CERTIFICATE 10
#define CCRYPTO_PEM_NO_KEY 11
/* The key is encrypted: a host that starts by itself has nobody to ask for the password. */
#define CCRYPTO_PEM_ENCRYPTED_KEY 12
/* Certificate and key do not belong together. */
#define CCRYPTO_PEM_MISMATCH 13
/* A key that signs nothing here: neither P-384 nor RSA of 2048 to 8192 bits. */
#define CCRYPTO_PEM_WRONG_KEY 14

#define CCRYPTO_KEY_P384 1
#define CCRYPTO_KEY_RSA 2
/* As many bytes as the longest signature has. */
#define CCRYPTO_PEM_SIGNATURE_LIMIT 1024

/* How many X.509 certificates the text holds, 0 for none; the count ends at the first that cannot be read, and is
 * negative then. PEM_read_bio_X509(3). */
int32_t ccrypto_pem_certificates(ccrypto_bytes pem);

/* Whether the first certificate of one text and the private key of another make a pair: CCRYPTO_OK or one of the above.
 * X509_check_private_key(3). */
int32_t ccrypto_pem_pair(ccrypto_bytes certificate, ccrypto_bytes key);

/* Which private key the text holds, CCRYPTO_KEY_P384 or CCRYPTO_KEY_RSA into `kind`: CCRYPTO_OK or one of the above. */
int32_t ccrypto_pem_key_kind(ccrypto_bytes key, int32_t *kind);

/* Signs with SHA-384 as JSON Web Signatures do (RFC 7518): on P-384 R and S, 48 bytes each, most significant first
 * (ES384); with RSA by RSASSA-PKCS1-v1_5 (RS384). `out` has room for CCRYPTO_PEM_SIGNATURE_LIMIT bytes, `length` says how
 * many were written. EVP_DigestSign(3). */
int32_t ccrypto_pem_sign(ccrypto_bytes key, ccrypto_bytes input, uint8_t *out, size_t *length);

#endif
