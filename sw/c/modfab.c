/* SPDX-License-Identifier: Apache-2.0 */
#include "modfab.h"

#include "generated/mf_modexp_regs.h"

#define REG(name) ((uint32_t)offsetof(mf_modexp_t, regs.name))
#define WINDOW(name) ((uint32_t)offsetof(mf_modexp_t, name))
#define FIELD(value, mask, position) (((value) & (uint32_t)(mask)) >> (position))

static int mmio_read(void *context, uint32_t offset, uint32_t *value) {
  *value = ((volatile uint32_t *)context)[offset / 4];
  return 0;
}

static int mmio_write(void *context, uint32_t offset, uint32_t value) {
  ((volatile uint32_t *)context)[offset / 4] = value;
  return 0;
}

static modfab_status_t get(const modfab_t *core, uint32_t offset, uint32_t *value) {
  return core->read(core->context, offset, value) == 0 ? MODFAB_OK : MODFAB_BUS_ERROR;
}

static modfab_status_t put(const modfab_t *core, uint32_t offset, uint32_t value) {
  return core->write(core->context, offset, value) == 0 ? MODFAB_OK : MODFAB_BUS_ERROR;
}

static modfab_status_t put_words(const modfab_t *core, uint32_t window, const uint32_t *words,
                                 size_t num_words) {
  modfab_status_t status = MODFAB_OK;
  for (size_t i = 0; i < num_words && status == MODFAB_OK; ++i)
    status = put(core, window + 4 * (uint32_t)i, words[i]);
  return status;
}

/* A counter of 64 bits, which may be counting: read until the high half was the same twice. */
static modfab_status_t get_long(const modfab_t *core, uint32_t low_offset, uint32_t high_offset,
                                uint64_t *value) {
  uint32_t low = 0, high = 0, again = 0;
  modfab_status_t status = get(core, high_offset, &high);
  while (status == MODFAB_OK) {
    status = get(core, low_offset, &low);
    if (status == MODFAB_OK) status = get(core, high_offset, &again);
    if (again == high) break;
    high = again;
  }
  if (status == MODFAB_OK) *value = (uint64_t)high << 32 | low;
  return status;
}

static modfab_status_t wait_until_idle(modfab_t *core) {
  for (uint32_t polls = 0;; ++polls) {
    const modfab_status_t status = modfab_busy(core);
    if (status != MODFAB_BUSY) return status;
    if (core->max_polls != 0 && polls == core->max_polls) return MODFAB_TIMEOUT;
    if (core->idle != NULL) core->idle(core->context);
  }
}

static modfab_status_t identify(modfab_t *core) {
  uint32_t id = 0, version = 0, capability = 0;
  modfab_status_t status = get(core, REG(ID), &id);
  if (status != MODFAB_OK) return status;
  if (id != MF_MODEXP__REGS__ID__MAGIC_reset) return MODFAB_NOT_FOUND;
  status = get(core, REG(VERSION), &version);
  if (status != MODFAB_OK) return status;
  if (FIELD(version, MF_MODEXP__REGS__VERSION__MAJOR_bm, MF_MODEXP__REGS__VERSION__MAJOR_bp) !=
      MF_MODEXP__REGS__VERSION__MAJOR_reset)
    return MODFAB_VERSION;
  status = get(core, REG(CAPABILITY), &capability);
  if (status == MODFAB_OK) status = get(core, REG(NUM_BITS), &core->num_bits);
  if (status == MODFAB_OK) status = get(core, REG(EXP_BITS_MAX), &core->exp_bits);
  core->engine = (uint8_t)FIELD(capability, MF_MODEXP__REGS__CAPABILITY__ENGINE_bm,
                                MF_MODEXP__REGS__CAPABILITY__ENGINE_bp);
  core->sequencer = (uint8_t)FIELD(capability, MF_MODEXP__REGS__CAPABILITY__SEQUENCER_bm,
                                   MF_MODEXP__REGS__CAPABILITY__SEQUENCER_bp);
  core->lanes = (uint8_t)FIELD(capability, MF_MODEXP__REGS__CAPABILITY__LANES_bm,
                               MF_MODEXP__REGS__CAPABILITY__LANES_bp);
  return status;
}

modfab_status_t modfab_open(modfab_t *core, modfab_read_t read, modfab_write_t write,
                            modfab_idle_t idle, void *context) {
  core->read = read;
  core->write = write;
  core->idle = idle;
  core->context = context;
  core->max_polls = 0;
  core->num_bits = core->exp_bits = 0;
  return identify(core);
}

modfab_status_t modfab_open_mmio(modfab_t *core, volatile void *registers) {
  /* Only mmio_read and mmio_write use the context, and they make it volatile again. */
  return modfab_open(core, mmio_read, mmio_write, NULL, (void *)(uintptr_t)registers);
}

size_t modfab_num_words(const modfab_t *core) { return ((size_t)core->num_bits + 31) / 32; }

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
  if (status == MODFAB_OK) status = put(core, REG(CTRL), MF_MODEXP__REGS__CTRL__START_bm);
  return status;
}

modfab_status_t modfab_busy(modfab_t *core) {
  uint32_t value = 0;
  const modfab_status_t status = get(core, REG(STATUS), &value);
  if (status != MODFAB_OK) return status;
  return (value & MF_MODEXP__REGS__STATUS__BUSY_bm) != 0 ? MODFAB_BUSY : MODFAB_OK;
}

modfab_status_t modfab_result(modfab_t *core, uint32_t *result, modfab_cycles_t *cycles) {
  uint32_t value = 0;
  modfab_status_t status = get(core, REG(STATUS), &value);
  if (status != MODFAB_OK) return status;
  if ((value & MF_MODEXP__REGS__STATUS__BUSY_bm) != 0) return MODFAB_BUSY;
  const uint32_t error =
      FIELD(value, MF_MODEXP__REGS__STATUS__ERROR_bm, MF_MODEXP__REGS__STATUS__ERROR_bp);
  if (error > MODFAB_ZEROIZED) return MODFAB_UNKNOWN;
  if (error != MODFAB_OK) return (modfab_status_t)error;
  if (cycles != NULL) {
    status = get(core, REG(SETUP_CYCLES), &cycles->setup_cycles);
    if (status == MODFAB_OK)
      status = get_long(core, REG(EXP_CYCLES_LO), REG(EXP_CYCLES_HI), &cycles->exp_cycles);
    if (status == MODFAB_OK)
      status = get_long(core, REG(TOTAL_CYCLES_LO), REG(TOTAL_CYCLES_HI), &cycles->total_cycles);
  }
  for (size_t i = 0; i < modfab_num_words(core) && status == MODFAB_OK; ++i)
    status = get(core, WINDOW(RESULT) + 4 * (uint32_t)i, &result[i]);
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

const char *modfab_message(modfab_status_t status) {
  switch (status) {
    case MODFAB_OK: return "The operation ended well.";
    case MODFAB_MOD_EVEN: return "The modulus is even; use an odd one.";
    case MODFAB_MOD_ZERO: return "The modulus is zero; use an odd one of 3 or more.";
    case MODFAB_MOD_ONE: return "The modulus is one; use an odd one of 3 or more.";
    case MODFAB_MOD_WIDE: return "The modulus has more bits than the core was built for.";
    case MODFAB_NUM_WORDS: return "The engine was not built for this number of words.";
    case MODFAB_NO_MODULUS: return "The core holds no modulus; load one before computing.";
    case MODFAB_OPERAND: return "The base is not below the modulus; reduce it first.";
    case MODFAB_EXP_BITS: return "More exponent bits were asked for than the core holds.";
    case MODFAB_ZEROIZED: return "The core was zeroized, which ended the operation.";
    case MODFAB_BUS_ERROR: return "The core refused an access.";
    case MODFAB_NOT_FOUND: return "There is no modfab core at this address.";
    case MODFAB_VERSION: return "The core's register map is of another major version.";
    case MODFAB_BUSY: return "An operation is running.";
    case MODFAB_TIMEOUT: return "The core is still busy; check its clock and reset.";
    case MODFAB_UNKNOWN: break;
  }
  return "The core answered with an unknown code.";
}
