/* SPDX-License-Identifier: Apache-2.0 */
#include "modfab_rsa.h"

#include "generated/mf_rsa_regs.h"

#define REG(name) ((uint32_t)offsetof(mf_rsa_t, regs.name))
#define WITH_CONTEXTS 3u /* minor number of the register map */
#define MAX_CONTEXTS 4u
#define WINDOW(name) ((uint32_t)offsetof(mf_rsa_t, name))

static const modfab_key_map_t MAP = MODFAB_KEY_MAP(mf_rsa_t, MF_RSA, NULL);

static modfab_status_t put(const modfab_rsa_t *core, uint32_t offset, uint32_t value) {
  return modfab_bus_put(&core->bus, offset, value);
}

static modfab_status_t wait_until_idle(const modfab_rsa_t *core) {
  return modfab_bus_wait(&core->bus, &MAP.core);
}

/* The ending that a STATUS tells of an operation, which shows a result where it is good. */
static modfab_status_t ended(const modfab_rsa_t *core, uint32_t value, uint64_t *cycles) {
  const modfab_status_t status = modfab_key_ended(&core->bus, &MAP, value, cycles);
  if (status != MODFAB_OK) return status;
  return (value & MF_RSA__REGS__STATUS__RESULT_VALID_bm) != 0 ? MODFAB_OK : MODFAB_RSA_FAULT;
}

/* The result; zeros where not all of it can be read. */
static modfab_status_t get_result(const modfab_rsa_t *core, uint32_t *result) {
  const size_t words = modfab_rsa_words(core);
  const modfab_status_t status = modfab_bus_get_words(&core->bus, WINDOW(RESULT), result, words);
  for (size_t i = 0; i < words && status != MODFAB_OK; ++i) result[i] = 0;
  return status;
}

/* A map of an older minor version has one context and no register for it. */
static modfab_status_t count_contexts(modfab_rsa_t *core) {
  uint32_t version = 0, value = 0;
  modfab_status_t status = modfab_bus_get(&core->bus, REG(VERSION), &version);
  core->contexts = 1;
  if (status != MODFAB_OK) return status;
  if (modfab_field(version, MF_RSA__REGS__VERSION__MINOR_bm) < WITH_CONTEXTS) return MODFAB_OK;
  status = modfab_bus_get(&core->bus, REG(CONTEXT), &value);
  if (status != MODFAB_OK) return status;
  core->contexts = (uint8_t)modfab_field(value, MF_RSA__REGS__CONTEXT__COUNT_bm);
  return core->contexts >= 1 && core->contexts <= MAX_CONTEXTS ? MODFAB_OK : MODFAB_NOT_FOUND;
}

/* The core's word on its width decides how far loops over words go. */
static modfab_status_t check_width(const modfab_rsa_t *core) {
  const uint64_t num_bits = (core->public_only ? 1u : 2u) * (uint64_t)core->prime_bits;
  return modfab_bus_fits(num_bits, sizeof((mf_rsa_t *)0)->MESSAGE);
}

static modfab_status_t identify(modfab_rsa_t *core) {
  uint32_t capability = 0;
  core->prime_bits = core->min_prime_bits = 0;
  modfab_status_t status = modfab_bus_identify(&core->bus, &MAP.core);
  if (status != MODFAB_OK) return status;
  status = modfab_bus_get(&core->bus, REG(CAPABILITY), &capability);
  if (status == MODFAB_OK) status = modfab_bus_get(&core->bus, REG(PRIME_BITS), &core->prime_bits);
  if (status == MODFAB_OK)
    status = modfab_bus_get(&core->bus, REG(MIN_PRIME_BITS), &core->min_prime_bits);
  core->engine = (uint8_t)modfab_field(capability, MF_RSA__REGS__CAPABILITY__ENGINE_bm);
  core->sequencer = (uint8_t)modfab_field(capability, MF_RSA__REGS__CAPABILITY__SEQUENCER_bm);
  core->blinding = (uint8_t)modfab_field(capability, MF_RSA__REGS__CAPABILITY__BLIND_MESSAGE_bm |
                                                         MF_RSA__REGS__CAPABILITY__BLIND_EXPONENT_bm);
  core->public_only =
      (uint8_t)modfab_field(capability, MF_RSA__REGS__CAPABILITY__PUBLIC_ONLY_bm);
  if (status == MODFAB_OK) status = check_width(core);
  if (status == MODFAB_OK) status = count_contexts(core);
  if (status != MODFAB_OK) core->prime_bits = 0;
  return status;
}

modfab_status_t modfab_rsa_open(modfab_rsa_t *core, modfab_read_t read, modfab_write_t write,
                                modfab_idle_t idle, void *context) {
  const modfab_bus_t bus = {read, write, idle, context, 0, NULL};
  core->bus = bus;
  return identify(core);
}

modfab_status_t modfab_rsa_open_mmio(modfab_rsa_t *core, volatile void *registers) {
  core->bus = modfab_bus_mmio(registers);
  return identify(core);
}

size_t modfab_rsa_prime_words(const modfab_rsa_t *core) {
  return modfab_key_prime_words(core->prime_bits);
}

size_t modfab_rsa_words(const modfab_rsa_t *core) {
  return core->public_only ? modfab_rsa_prime_words(core) : modfab_key_words(core->prime_bits);
}

/* What makes room for a key: the other contexts keep theirs. */
static uint32_t wipe_of(const modfab_rsa_t *core) {
  return core->contexts > 1 ? MF_RSA__REGS__CTRL__ERASE_bm : MAP.zeroize_mask;
}

/* A key whose parts the core makes; one that makes keys has made another one, and shows its n. */
static modfab_status_t loaded_key(modfab_rsa_t *core, const modfab_rsa_key_t *key,
                                  uint64_t *cycles) {
  uint32_t value = 0;
  modfab_status_t status =
      modfab_key_load(&core->bus, &MAP, wipe_of(core), core->prime_bits, key, cycles);
  if (status != MODFAB_OK || key->dp != NULL) return status;
  status = modfab_bus_get(&core->bus, REG(STATUS), &value);
  if (status != MODFAB_OK) return modfab_key_finish(status, &core->bus, &MAP, wipe_of(core));
  if ((value & MF_RSA__REGS__STATUS__RESULT_VALID_bm) == 0) return MODFAB_OK;
  status = modfab_key_command(&core->bus, &MAP, wipe_of(core));
  return status == MODFAB_OK ? MODFAB_KIND : status;
}

modfab_status_t modfab_rsa_load_key(modfab_rsa_t *core, const modfab_rsa_key_t *key,
                                    uint64_t *cycles) {
  const modfab_status_t status = modfab_key_unlocked(&core->bus, &MAP);
  if (status != MODFAB_OK) return status;
  if (core->public_only) return MODFAB_KIND;
  return loaded_key(core, key, cycles);
}

modfab_status_t modfab_rsa_load_public(modfab_rsa_t *core, const uint32_t *n, const uint32_t *e,
                                       uint32_t e_bits, uint64_t *cycles) {
  const modfab_status_t status = modfab_key_unlocked(&core->bus, &MAP);
  if (status != MODFAB_OK) return status;
  if (!core->public_only) return MODFAB_KIND;
  return modfab_key_load_public(&core->bus, &MAP, modfab_rsa_words(core), n, e, e_bits, cycles);
}

static uint32_t mask_of(modfab_rsa_operation_t operation) {
  return operation == MODFAB_RSA_PRIVATE ? MF_RSA__REGS__CTRL__START_PRIVATE_bm
                                         : MF_RSA__REGS__CTRL__START_PUBLIC_bm;
}

modfab_status_t modfab_rsa_start(modfab_rsa_t *core, modfab_rsa_operation_t operation,
                                 const uint32_t *message) {
  modfab_status_t status = modfab_rsa_busy(core);
  if (core->public_only && operation == MODFAB_RSA_PRIVATE) return MODFAB_KIND;
  if (status == MODFAB_OK)
    status = modfab_bus_put_words(&core->bus, WINDOW(MESSAGE), message, modfab_rsa_words(core));
  return status == MODFAB_OK ? modfab_key_start(&core->bus, &MAP, mask_of(operation)) : status;
}

modfab_status_t modfab_rsa_busy(modfab_rsa_t *core) {
  uint32_t value = 0;
  return modfab_bus_status(&core->bus, &MAP.core, &value);
}

modfab_status_t modfab_rsa_result(modfab_rsa_t *core, uint32_t *result, uint64_t *cycles) {
  uint32_t value = 0;
  modfab_status_t status = modfab_bus_status(&core->bus, &MAP.core, &value);
  if (status == MODFAB_OK) status = ended(core, value, cycles);
  return status == MODFAB_OK ? get_result(core, result) : status;
}

/* An operation of a core at rest, until its result can be read. */
static modfab_status_t run(const modfab_rsa_t *core, modfab_rsa_operation_t operation,
                           const uint32_t *message, uint64_t *cycles) {
  const size_t words = modfab_rsa_words(core);
  uint32_t value = 0;
  modfab_status_t status = modfab_bus_put_words(&core->bus, WINDOW(MESSAGE), message, words);
  if (status == MODFAB_OK) status = modfab_key_start(&core->bus, &MAP, mask_of(operation));
  if (status == MODFAB_OK)
    modfab_key_expect(&core->bus, &MAP, cycles != NULL, WINDOW(RESULT), words);
  if (status == MODFAB_OK) status = modfab_bus_wait_status(&core->bus, &MAP.core, &value);
  return status == MODFAB_OK ? ended(core, value, cycles) : status;
}

static modfab_status_t operate(const modfab_rsa_t *core, modfab_rsa_operation_t operation,
                               const uint32_t *message, uint32_t *result, uint64_t *cycles) {
  modfab_status_t status = wait_until_idle(core);
  if (core->public_only && operation == MODFAB_RSA_PRIVATE) return MODFAB_KIND;
  if (status == MODFAB_OK) status = run(core, operation, message, cycles);
  return status == MODFAB_OK ? get_result(core, result) : status;
}

/* As modfab_rsa_check, of a core at rest. */
static modfab_status_t compare(const modfab_rsa_t *core, const uint32_t *message,
                               const uint32_t *result) {
  uint32_t different = 0;
  modfab_status_t status = run(core, MODFAB_RSA_PUBLIC, result, NULL);
  for (size_t i = 0; i < modfab_rsa_words(core) && status == MODFAB_OK; ++i) {
    uint32_t word = 0;
    status = modfab_bus_get(&core->bus, WINDOW(RESULT) + 4 * (uint32_t)i, &word);
    different |= word ^ message[i];
  }
  return status == MODFAB_OK && different != 0 ? MODFAB_WRONG : status;
}

/* A number that did not pass its check is wiped. */
static modfab_status_t kept(const modfab_rsa_t *core, modfab_status_t status, uint32_t *number) {
  for (size_t i = 0; i < modfab_rsa_words(core) && status != MODFAB_OK; ++i) number[i] = 0;
  return status;
}

/* MODFAB_WRONG where n is not the core's: n - 1 to the power e, which is odd, is n - 1. */
static modfab_status_t check_modulus(const modfab_rsa_t *core, uint32_t *n) {
  n[0] ^= 1;
  const modfab_status_t status = compare(core, n, n);
  n[0] ^= 1;
  return kept(core, status == MODFAB_RSA_OPERAND ? MODFAB_WRONG : status, n);
}

modfab_status_t modfab_rsa_generate_key(modfab_rsa_t *core, uint32_t *n, uint64_t *cycles) {
  modfab_status_t status = modfab_key_unlocked(&core->bus, &MAP);
  if (status != MODFAB_OK) return status;
  if (core->public_only) return MODFAB_KIND;
  status = modfab_key_make(&core->bus, &MAP, wipe_of(core), cycles);
  if (status != MODFAB_OK) return status;
  status = modfab_rsa_result(core, n, NULL);
  if (status == MODFAB_OK) status = check_modulus(core, n);
  return modfab_key_finish(status, &core->bus, &MAP, wipe_of(core));
}

modfab_status_t modfab_rsa_check(modfab_rsa_t *core, const uint32_t *message,
                                 const uint32_t *result) {
  const modfab_status_t status = wait_until_idle(core);
  return status == MODFAB_OK ? compare(core, message, result) : status;
}

/* Whether two arrays share memory; the check of a result needs the message, too. */
static int overlap(const uint32_t *one, const uint32_t *other, size_t num_words) {
  const uintptr_t bytes = 4 * (uintptr_t)num_words;
  return (uintptr_t)one < (uintptr_t)other + bytes && (uintptr_t)other < (uintptr_t)one + bytes;
}

modfab_status_t modfab_rsa_private(modfab_rsa_t *core, const uint32_t *message, uint32_t *result,
                                   uint64_t *cycles) {
  if (overlap(message, result, modfab_rsa_words(core))) return MODFAB_OVERLAP;
  modfab_status_t status = operate(core, MODFAB_RSA_PRIVATE, message, result, cycles);
  if (status != MODFAB_OK) return status;
  return kept(core, compare(core, message, result), result);
}

modfab_status_t modfab_rsa_public(modfab_rsa_t *core, const uint32_t *message, uint32_t *result,
                                  uint64_t *cycles) {
  return operate(core, MODFAB_RSA_PUBLIC, message, result, cycles);
}

modfab_status_t modfab_rsa_irq_enable(modfab_rsa_t *core, int enable) {
  return put(core, REG(IRQ_ENABLE), enable != 0 ? MF_RSA__REGS__IRQ_ENABLE__DONE_bm : 0);
}

modfab_status_t modfab_rsa_irq_clear(modfab_rsa_t *core) {
  return put(core, REG(IRQ_STATUS), MF_RSA__REGS__IRQ_STATUS__DONE_bm);
}

modfab_status_t modfab_rsa_lock(modfab_rsa_t *core) {
  const modfab_status_t status = modfab_rsa_busy(core);
  return status == MODFAB_OK ? modfab_key_lock(&core->bus, &MAP) : status;
}

modfab_status_t modfab_rsa_contexts(modfab_rsa_t *core, uint32_t *chosen, uint32_t *valid) {
  uint32_t value = 0;
  modfab_status_t status = MODFAB_OK;
  *chosen = 0;
  if (core->contexts == 1) {
    status = modfab_bus_get(&core->bus, REG(STATUS), &value);
    *valid = modfab_field(value, MF_RSA__REGS__STATUS__KEY_VALID_bm);
    return status;
  }
  status = modfab_bus_get(&core->bus, REG(CONTEXT), &value);
  *chosen = modfab_field(value, MF_RSA__REGS__CONTEXT__CHOSEN_bm);
  if (status == MODFAB_OK) status = modfab_bus_get(&core->bus, REG(KEYS), &value);
  *valid = modfab_field(value, MF_RSA__REGS__KEYS__VALID_bm);
  return status;
}

modfab_status_t modfab_rsa_choose(modfab_rsa_t *core, uint32_t context, uint64_t *cycles) {
  uint32_t chosen = 0, valid = 0;
  modfab_status_t status = wait_until_idle(core);
  if (cycles != NULL) *cycles = 0;
  if (status == MODFAB_OK) status = modfab_rsa_contexts(core, &chosen, &valid);
  if (status != MODFAB_OK) return status;
  if (context >= core->contexts) return MODFAB_CONTEXT;
  if (context == chosen) return MODFAB_OK;
  status = put(core, REG(CONTEXT), context);
  if (status == MODFAB_OK)
    status = modfab_key_start(&core->bus, &MAP, MF_RSA__REGS__CTRL__CHANGE_bm);
  if (status == MODFAB_OK) status = wait_until_idle(core);
  return status == MODFAB_OK ? modfab_key_ending(&core->bus, &MAP, cycles) : status;
}

modfab_status_t modfab_rsa_erase(modfab_rsa_t *core) {
  modfab_status_t status = wait_until_idle(core);
  if (status == MODFAB_OK) status = modfab_key_command(&core->bus, &MAP, wipe_of(core));
  return core->contexts > 1 && status == MODFAB_OK ? modfab_key_ending(&core->bus, &MAP, NULL)
                                                    : status;
}

modfab_status_t modfab_rsa_selftest(modfab_rsa_t *core, uint64_t *cycles) {
  uint32_t chosen = 0, valid = 0;
  modfab_status_t status = wait_until_idle(core);
  if (status == MODFAB_OK) status = modfab_rsa_contexts(core, &chosen, &valid);
  if (status == MODFAB_OK && valid != 0) return MODFAB_BUS_ERROR; /* which no memory tells */
  if (status == MODFAB_OK)
    status = modfab_key_start(&core->bus, &MAP, MF_RSA__REGS__CTRL__TEST_bm);
  if (status == MODFAB_OK) status = wait_until_idle(core);
  return status == MODFAB_OK ? modfab_key_ending(&core->bus, &MAP, cycles) : status;
}

modfab_status_t modfab_rsa_faults(modfab_rsa_t *core, uint32_t *count) {
  return modfab_bus_get(&core->bus, REG(FAULTS), count);
}

modfab_status_t modfab_rsa_zeroize(modfab_rsa_t *core) {
  return modfab_key_zeroize(&core->bus, &MAP);
}
