// OpenSSL for Swift: its headers, and what Swift cannot import of them (macros that are functions or shifts).
// Without feature macros: Glibc's own module is built without them, and a second view of its headers cannot be imported.
#ifndef USHER_COPENSSL_H
#define USHER_COPENSSL_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

// Codes, signatures and random bytes (UsherCrypto). Plain functions: Swift imports them as they are.
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#endif
