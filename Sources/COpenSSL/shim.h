// OpenSSL for Swift: its headers, and what Swift cannot import of them (macros that are functions or shifts).
// Without feature macros: Glibc's own module is built without them, and a second view of its headers cannot be imported.
#ifndef USHER_COPENSSL_H
#define USHER_COPENSSL_H

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

static inline int usher_ssl_set_minimum(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/// No renegotiation and compression; a peer that ends without close_notify has ended.
static inline void usher_ssl_set_options(SSL_CTX *context) {
    SSL_CTX_set_options(
        context, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_COMPRESSION
                     | SSL_OP_PRIORITIZE_CHACHA | SSL_OP_IGNORE_UNEXPECTED_EOF);
    // What is to be written lies in a queue that grows and moves; an idle connection keeps no buffers.
    SSL_CTX_set_mode(
        context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
}

static inline void usher_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }
static inline void usher_bio_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void usher_bio_retry_write(BIO *bio) { BIO_set_retry_write(bio); }

static inline EVP_PKEY *usher_make_p256(void) { return EVP_EC_gen("P-256"); }

// Codes, signatures and random bytes (UsherCrypto). Plain functions: Swift imports them as they are.
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#endif
