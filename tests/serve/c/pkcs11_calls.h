/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of a PKCS#11 module and checks of what they give, for tests whose token has one key. */
#ifndef MODFAB_PKCS11_CALLS_H
#define MODFAB_PKCS11_CALLS_H

#include <dlfcn.h>
#include <p11-kit/pkcs11.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

#define GIVES(call, wanted)                                                             \
  do {                                                                                  \
    const CK_RV got_ = (call);                                                          \
    if (got_ != (wanted)) {                                                             \
      fprintf(stderr, "%s:%d: %s: %#lx, not " #wanted "\n", __FILE__, __LINE__, #call, got_); \
      exit(1);                                                                          \
    }                                                                                   \
  } while (0)

enum { KEY_BYTES = 128, PUBLIC_KEY = 1, PRIVATE_KEY = 2 };

static CK_FUNCTION_LIST *module;
static CK_SESSION_HANDLE session;

static void load_module(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  CHECK(library != NULL);
  CK_C_GetFunctionList get = (CK_C_GetFunctionList)dlsym(library, "C_GetFunctionList");
  CHECK(get != NULL && get(&module) == CKR_OK);
}

static void open_one(void) {
  GIVES(module->C_OpenSession(0, CKF_SERIAL_SESSION, NULL, NULL, &session), CKR_OK);
}

#endif
