/* SPDX-License-Identifier: Apache-2.0 */
#include "modfab.h"

#include "generated/mf_modexp_regs.h"

#define REG(name) ((uint32_t)offsetof(mf_modexp_t, regs.name))
#define WINDOW(name) ((uint32_t)offsetof(mf_modexp_t, name))

static const modfab_map_t MAP = {
    REG(ID), MF_MODEXP__REGS__ID__MAGIC_reset,
    REG(VERSION), MF_MODEXP__REGS__VERSION__MAJOR_bm, MF_MODEXP__REGS__VERSION__MAJOR_reset,
    REG(STATUS), MF_MODEXP__REGS__STATUS__BUSY_bm,
};

static modfab_status_t get(const modfab_t *core, uint32_t offset, uint32_t *value) {
  return modfab_bus_get(&core->bus, offset, value);
}

static modfab_status_t put(const modfab_t *core, uint32_t offset, uint32_t value) {
  return modfab_bus_put(&core->bus, offset, value);
}

static modfab_status_t put_words(const modfab_t *core, uint32_t window, const uint32_t *words,
                                 size_t num_words) {
  return modfab_bus_put_words(&core->bus, window, words, num_words);
}

static modfab_status_t wait_until_idle(const modfab_t *core) {
  return modfab_bus_wait(&core->bus, &MAP);
}

static size_t built_words(const modfab_t *core) { return ((size_t)core->num_bits + 31) / 32; }

/* The core's word on its widths decides how far loops over words go. */
static modfab_status_t check_widths(modfab_t *core) {
  modfab_status_t status = modfab_bus_fits(core->num_bits, sizeof((mf_modexp_t *)0)->MODULUS);
  if (status == MODFAB_OK)
    status = modfab_bus_fits(core->exp_bits, sizeof((mf_modexp_t *)0)->EXPONENT);
  if (status == MODFAB_OK && core->num_words > built_words(core)) status = MODFAB_NOT_FOUND;
  if (status != MODFAB_OK) core->num_bits = core->exp_bits = core->num_words = 0;
  return status;
}

static modfab_status_t identify(modfab_t *core) {
  uint32_t capability = 0;
  core->num_bits = core->exp_bits = core->num_words = 0;
  modfab_status_t status = modfab_bus_identify(&core->bus, &MAP);
  if (status != MODFAB_OK) return status;
  status = get(core, REG(CAPABILITY), &capability);
  if (status == MODFAB_OK) status = get(core, REG(NUM_BITS), &core->num_bits);
  if (status == MODFAB_OK) status = get(core, REG(EXP_BITS_MAX), &core->exp_bits);
  if (status == MODFAB_OK) status = get(core, REG(NUM_WORDS), &core->num_words);
  core->engine = (uint8_t)modfab_field(capability, MF_MODEXP__REGS__CAPABILITY__ENGINE_bm);
  core->sequencer = (uint8_t)modfab_field(capability, MF_MODEXP__REGS__CAPABILITY__SEQUENCER_bm);
  core->lanes = (uint8_t)modfab_field(capability, MF_MODEXP__REGS__CAPABILITY__LANES_bm);
  core->runtime_words =
      (uint8_t)modfab_field(capability, MF_MODEXP__REGS__CAPABILITY__RUNTIME_WORDS_bm);
  return status == MODFAB_OK ? check_widths(core) : status;
}

modfab_status_t modfab_open(modfab_t *core, modfab_read_t read, modfab_write_t write,
                            modfab_idle_t idle, void *context) {
  const modfab_bus_t bus = {read, write, idle, context, 0, NULL};
  core->bus = bus;
  return identify(core);
}

modfab_status_t modfab_open_mmio(modfab_t *core, volatile void *registers) {
  core->bus = modfab_bus_mmio(registers);
  return identify(core);
}

modfab_status_t modfab_choose_words(modfab_t *core, uint32_t num_words) {
  if (num_words > built_words(core) || (num_words != 0 && !core->runtime_words))
    return MODFAB_NUM_WORDS;
  modfab_status_t status = modfab_busy(core); /* the register cannot be written meanwhile */
  if (status == MODFAB_OK) status = put(core, REG(NUM_WORDS), num_words);
  if (status == MODFAB_OK) core->num_words = num_words;
  return status;
}

size_t modfab_num_words(const modfab_t *core) {
  return core->num_words != 0 ? core->num_words : built_words(core);
}

size_t modfab_exp_words(const modfab_t *core) { return ((size_t)core->exp_bits + 31) / 32; }

modfab_status_t modfab_start(modfab_t *core, const uint32_t *base, const uint32_t *exponent,
                             uint32_t exp_bits, const uint32_t *modulus) {
  modfab_status_t status = modfab_busy(core);
  if (status == MODFAB_OK && modulus != NULL)
    status = put_words(core, WINDOW(MODULUS), modulus, modfab_num_words(core));
  if (status == MODFAB_OK) status = put_words(core, WINDOW(BASE), base, modfab_num_words(core));
  if (status == MODFAB_OK)
    status = put_words(core, WINDOW(EXPONENT), exponent, modfab_exp_words(core));
  if (status == MODFAB_OK) status = put(core, REG(EXP_BITS), exp_bits);
  if (status == MODFAB_OK) status = modfab_irq_clear(core);
  if (status == MODFAB_OK && modfab_bus_awaits(&core->bus)) status = modfab_irq_enable(core, 1);
  if (status == MODFAB_OK) status = put(core, REG(CTRL), MF_MODEXP__REGS__CTRL__START_bm);
  return status;
}

modfab_status_t modfab_busy(modfab_t *core) {
  uint32_t value = 0;
  return modfab_bus_status(&core->bus, &MAP, &value);
}

modfab_status_t modfab_result(modfab_t *core, uint32_t *result, modfab_cycles_t *cycles) {
  uint32_t value = 0;
  modfab_status_t status = modfab_bus_status(&core->bus, &MAP, &value);
  if (status != MODFAB_OK) return status;
  const uint32_t error = modfab_field(value, MF_MODEXP__REGS__STATUS__ERROR_bm);
  if (error > MODFAB_MOD_SMALL) return MODFAB_UNKNOWN;
  if (error != MODFAB_OK) return (modfab_status_t)error;
  if (cycles != NULL) {
    status = get(core, REG(SETUP_CYCLES), &cycles->setup_cycles);
    if (status == MODFAB_OK)
      status = modfab_bus_get_long(&core->bus, REG(EXP_CYCLES_LO), REG(EXP_CYCLES_HI),
                                   &cycles->exp_cycles);
    if (status == MODFAB_OK)
      status = modfab_bus_get_long(&core->bus, REG(TOTAL_CYCLES_LO), REG(TOTAL_CYCLES_HI),
                                   &cycles->total_cycles);
  }
  if (status == MODFAB_OK)
    status = modfab_bus_get_words(&core->bus, WINDOW(RESULT), result, modfab_num_words(core));
  return status;
}

modfab_status_t modfab_powmod_bits(modfab_t *core, const uint32_t *base, const uint32_t *exponent,
                                   uint32_t exp_bits, const uint32_t *modulus, uint32_t *result,
                                   modfab_cycles_t *cycles) {
  modfab_status_t status = wait_until_idle(core); /* after reset the core wipes itself */
  if (status == MODFAB_OK) status = modfab_start(core, base, exponent, exp_bits, modulus);
  if (status == MODFAB_OK) status = wait_until_idle(core);
  if (status == MODFAB_OK) status = modfab_result(core, result, cycles);
  return status;
}

modfab_status_t modfab_powmod(modfab_t *core, const uint32_t *base, const uint32_t *exponent,
                              const uint32_t *modulus, uint32_t *result, modfab_cycles_t *cycles) {
  return modfab_powmod_bits(core, base, exponent, core->exp_bits, modulus, result, cycles);
}

modfab_status_t modfab_irq_enable(modfab_t *core, int enable) {
  return put(core, REG(IRQ_ENABLE), enable != 0 ? MF_MODEXP__REGS__IRQ_ENABLE__DONE_bm : 0);
}

modfab_status_t modfab_irq_clear(modfab_t *core) {
  return put(core, REG(IRQ_STATUS), MF_MODEXP__REGS__IRQ_STATUS__DONE_bm);
}

modfab_status_t modfab_zeroize(modfab_t *core) {
  const modfab_status_t status = put(core, REG(CTRL), MF_MODEXP__REGS__CTRL__ZEROIZE_bm);
  return status == MODFAB_OK ? wait_until_idle(core) : status;
}
