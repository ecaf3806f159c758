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

/* How many X.509 certificates the text holds, 0 for none; the count ends at the first that cannot be read, and is
 * negative then. PEM_read_bio_X509(3). */
int32_t ccrypto_pem_certificates(ccrypto_bytes pem);

/* Whether the first certificate of one text and the private key of another make a pair: CCRYPTO_OK or one of the above.
 * X509_check_private_key(3). */
int32_t ccrypto_pem_pair(ccrypto_bytes certificate, ccrypto_bytes key);

#endif
