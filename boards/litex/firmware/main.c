/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the RSA core, loads the key of key.h, signs its padded digest, prints the signature.
 * Waits for the core's interrupt instead of polling it over the bus.
 */
#include "generated/csr.h"
#include "generated/mem.h"
#include "generated/soc.h"
#include "key.h" /* KEY_WORDS, KEY_PRIME_WORDS, KEY_E_BITS, key_p .. key_qi, key_e, key_message */
#include "modfab_rsa.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

/* What the compiler calls by itself. */
void *memcpy(void *to, const void *from, size_t size) {
  char *out = to;
  const char *in = from;
  while (size--) *out++ = *in++;
  return to;
}
void *memset(void *to, int value, size_t size) {
  char *out = to;
  while (size--) *out++ = (char)value;
  return to;
}

static void put_char(char c) {
  while (REGISTER(CSR_UART_TXFULL_ADDR)) {
  }
  REGISTER(CSR_UART_RXTX_ADDR) = (uint32_t)c;
}

static void put_text(const char *text) {
  while (*text) put_char(*text++);
}

static void put_number(const uint32_t *words, size_t num_words) {
  while (num_words--)
    for (int shift = 28; shift >= 0; shift -= 4)
      put_char("0123456789abcdef"[words[num_words] >> shift & 15]);
}

static uint32_t pending(void) { /* of the interrupts; VexRiscv's register as LiteX builds it */
  uint32_t lines;
  __asm__ volatile("csrr %0, 0xFC0" : "=r"(lines));
  return lines;
}

enum { LOOKS = 2000 }; /* a wipe ends without an interrupt: look at the core then */
static uint32_t num_interrupts;

/* The driver calls this between two looks at a busy core. */
static void wait_for_interrupt(void *context) {
  static uint32_t before; /* the driver clears the interrupt when it starts an operation */
  (void)context;
  for (int look = 0; look < LOOKS; look++) {
    const uint32_t now = pending() >> RSA_INTERRUPT & 1;
    num_interrupts += now & ~before;
    before = now;
    if (now) return;
  }
}

static modfab_status_t step(modfab_status_t status, const char *what) {
  if (status != MODFAB_OK) {
    put_text(what);
    put_text(": ");
    put_text(modfab_message(status));
    put_char('\n');
  }
  return status;
}

static modfab_status_t sign(uint32_t *signature) {
  static const modfab_rsa_key_t key = {
      .p = key_p, .q = key_q, .dp = key_dp, .dq = key_dq, .qi = key_qi, .e = key_e, .e_bits = KEY_E_BITS};
  modfab_rsa_t core;
  modfab_status_t status = step(modfab_rsa_open_mmio(&core, (volatile void *)RSA_BASE), "open");
  if (status != MODFAB_OK) return status;
  __asm__ volatile("csrw 0xBC0, %0" : : "r"(1u << RSA_INTERRUPT)); /* which ones count as pending */
  REGISTER(CSR_RSA_EV_ENABLE_ADDR) = 1;
  core.bus.idle = wait_for_interrupt;
  status = step(modfab_rsa_irq_enable(&core, 1), "interrupt");
  if (status == MODFAB_OK) status = step(modfab_rsa_selftest(&core, NULL), "self-test");
  if (status == MODFAB_OK) status = step(modfab_rsa_load_key(&core, &key, NULL), "key");
  if (status == MODFAB_OK) status = step(modfab_rsa_lock(&core), "lock");
  if (status == MODFAB_OK)
    status = step(modfab_rsa_private(&core, key_message, signature, NULL), "signature");
  return status;
}

int main(void) {
  static uint32_t signature[KEY_WORDS];
  if (sign(signature) == MODFAB_OK) {
    put_text("signature ");
    put_number(signature, KEY_WORDS);
    put_text("\ninterrupts ");
    put_number(&num_interrupts, 1);
    put_char('\n');
  }
  put_char('\004'); /* end of the session */
  return 0;
}
