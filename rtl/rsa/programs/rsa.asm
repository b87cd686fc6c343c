; SPDX-License-Identifier: Apache-2.0
; Programs of the RSA core. Instructions: rtl/rsa/README.md; text form: modfab.models.rsa.assembler.
;
; Constants of a build: H bits of a prime; HW words of H bits, HV = HW + 1; NW words of 2 H bits;
; K words that are below every prime; EB exponent bits of a private half, EBW of their words random;
; BLIND 1 or 0; ENG engines, 1 or 2 (unit 0 for p, unit 1 for q); WIDE 1 where an engine takes every
; number of HW words, else 0; the slots ONE, R2, MOD of an engine, OTHER for what an exponentiation may
; overwrite; the endings KEY, OPERAND, FAULT.
;
; KEEP is 1 where each prime has an engine of its own. Then what is made of it stays there from one
; operation to the next, times R: WEIGHT (a chunk's), INVERSE (QI), BLINDER and UNBLINDER (A and B). A
; macro's KEPT says whether it uses these; what is done without e does not.

; ---- memory: the key first, then what is made of it, then what one operation uses ----
.var P, HV
.var Q, HV
.var DP, HV
.var DQ, HV
.var QI, HV
.var E, NW
.var D, NW              ; program derive only
.var KEY_END, 0
.var AP, HV             ; blinding pairs: A = r, B = r^-d; where they are not kept in the engines
.var BP, HV
.var AQ, HV
.var BQ, HV
.var P2, HV             ; where e is unknown: copies and pairs of the second computation
.var Q2, HV
.var DP2, HV
.var DQ2, HV
.var AP2, HV
.var BP2, HV
.var AQ2, HV
.var BQ2, HV
.var UNITY, HV          ; the number 1
.var N, 2 * HW
.var C, NW              ; message in
.var M, 2 * HW          ; result
.var WORK, 0
.var C2, NW             ; copies that the check uses; the host's writes to C come here too
.var M2, 2 * HW
.var MQ, HV
.var X, HV
.var Y, HV
.var T, HV
.var U, HV
.var XD, HW + EBW + 1   ; blinded exponent
.var XE, (ENG - 1) * (HW + EBW + 1)
.var RND, EBW + K + 1
.var WORK_END, 0

.macro copy, DST, SRC, LEN
  sel DST, SRC, SRC, LEN
.end

; Engine <- modulus; a modulus that it refuses ends the program.
.macro enter, PRIME
  load MOD, PRIME
  setup
.end

; SLOT <- 2^(32 K) R, or 2^(32 HW) R where WIDE: the weight of a chunk.
.macro weight, SLOT
  set T, 0, HV
  set T + K * (1 - WIDE) + HW / 2 * WIDE, 1, 1
  load SLOT, T
  mul SLOT, SLOT, R2
  .if WIDE
    mul SLOT, SLOT, SLOT
  .end
.end

; DST <- SRC mod PRIME, which the engine holds: chunks of K words, each below PRIME, by Horner's
; rule.
.macro reduce, DST, SRC, WORDS, PRIME, WEIGHT
  set DST, 0, HV
  .let COUNT, (WORDS + K - 1) / K
  .repeat I, COUNT
    .let FROM, (COUNT - 1 - I) * K
    .let LEN, K - (FROM + K > WORDS) * (FROM + K - WORDS)
    .if I > 0
      load 4, DST
      mul 4, 4, WEIGHT
      store DST, 4
    .end
    set T, 0, HV
    copy T, SRC + FROM, LEN
    add DST, DST, T, HV
    sub U, DST, PRIME, HV
    sel DST, DST, U, HV
  .end
.end

; Slot 4 <- SRC mod PRIME. Where WIDE, the engine itself reduces what it loads: two chunks of HW
; words, whose sum stays below 2^H when PRIME is taken off as soon as that leaves it positive.
.macro residue, SRC, WORDS, PRIME, WEIGHT
  .if WIDE * (WORDS == HW)
    load 4, SRC
  .end
  .if WIDE * (WORDS > HW)
    load 4, SRC + HW
    mul 4, 4, WEIGHT
    store X, 4
    add T, SRC, X, HW
    sub U, PRIME, X, HW
    sub U, SRC, U, HW     ; borrows exactly when the sum is below PRIME
    sel X, T, U, HW
    load 4, X
  .end
  .if WIDE == 0
    reduce X, SRC, WORDS, PRIME, WEIGHT
    load 4, X
  .end
.end

; Twice, so that no single wrong register passes it.
.macro same, A1, A2, LEN, CODE
  eq A1, A2, LEN
  need 1, CODE
  eq A2, A1, LEN
  need 1, CODE
.end

; VALUE <- VALUE^2 mod the engine's modulus.
.macro square, VALUE
  load 4, VALUE
  mul 6, 4, R2
  mul 4, 6, 4
  store VALUE, 4
.end

; Slot 4 <- SRC mod PRIME, blinded with A; POWER <- the blinded exponent. KEPT: as said
; above. FRESH: the engine takes the prime anew, even where it could have kept it.
.macro half_in, SRC, PRIME, EXPONENT, A, POWER, KEPT, FRESH
  .if FRESH + (ENG == 1)
    enter PRIME
  .end
  .if KEPT == 0
    weight OTHER
  .end
  set POWER, 0, HW + EBW + 1
  copy POWER, EXPONENT, HW
  .if EBW > 0
    sub U, PRIME, UNITY, HV
    rnd RND, EBW
    .repeat I, EBW
      ldm RND + I
      mac POWER + I, U, HW
    .end
  .end
  residue SRC, NW, PRIME, OTHER + KEPT * (WEIGHT - OTHER)
  .if BLIND * KEPT
    mul 4, 4, BLINDER
  .end
  .if BLIND * (1 - KEPT)
    load 5, A
    mul 4, 4, R2
    mul 4, 4, 5
  .end
.end

; Slot 5 is unblinded with B; the pair A, B is squared.
.macro half_out, A, B, KEPT
  .if BLIND * KEPT
    mul 5, 5, UNBLINDER
    mul BLINDER, BLINDER, BLINDER
    mul UNBLINDER, UNBLINDER, UNBLINDER
  .end
  .if BLIND * (1 - KEPT)
    load 4, B
    mul 4, 4, R2
    mul 5, 5, 4
    square A
    square B
  .end
.end

; M <- MQ + Q ((MP - MQ) QI mod P), MP in slot 5; the engine holds P. Then M2, the copy that the
; check uses.
.macro recombine, KEPT
  .let INVERSE_R, OTHER + KEPT * (INVERSE - OTHER)
  .if KEPT == 0
    weight OTHER
  .end
  residue MQ, HW, P, OTHER + KEPT * (WEIGHT - OTHER)
  .if KEPT == 0
    load OTHER, QI
    mul OTHER, OTHER, R2
  .end
  mul 5, 5, INVERSE_R
  store Y, 5
  mul 4, 4, INVERSE_R
  store X, 4
  sub X, Y, X, HV
  add U, X, P, HV       ; carries out exactly when the difference has borrowed
  sel X, U, X, HV
  set M, 0, 2 * HW
  copy M, MQ, HW
  .repeat I, HW
    ldm X + I
    mac M + I, Q, HW
  .end
  copy M2, M, 2 * HW
.end

; Slot 4 <- FROM mod PRIME.
.macro public_in, PRIME, FROM, KEPT
  .if KEPT == 0
    weight OTHER
  .end
  residue FROM, NW, PRIME, OTHER + KEPT * (WEIGHT - OTHER)
.end

; Y, which a power has left, has to be TO mod PRIME. Then -1 takes a power's way into Montgomery form
; and out of it, and has to come back: were R2 or ONE not what it should be, or did the engine answer
; everything with the same number, power and comparison could agree on a wrong value.
.macro agree, PRIME, TO, KEPT
  .if KEPT == 0
    weight OTHER
  .end
  residue TO, NW, PRIME, OTHER + KEPT * (WEIGHT - OTHER)
  store X, 4
  same X, Y, HV, FAULT
  sub U, PRIME, UNITY, HV
  load 4, U
  mul 4, 4, R2
  mul 4, 4, ONE
  store X, 4
  same X, U, HV, FAULT
.end

; FROM^E has to be TO, modulo both primes; with one engine it holds P and is left with Q.
.macro prove, FROM, TO
  public_in P, FROM, KEEP
  .if ENG == 1
    exp E, 0
    store Y, 5
    agree P, TO, KEEP
    enter Q
    public_in Q, FROM, KEEP
    exp E, 0
    store Y, 5
    agree Q, TO, KEEP
  .end
  .if ENG == 2
    unit 1
    public_in Q, FROM, KEEP
    exp2 E, E, 0
    store Y, 5
    agree Q, TO, KEEP
    unit 0
    store Y, 5
    agree P, TO, KEEP
  .end
.end

.macro begin
  sub M2, C, N, NW
  need 1, OPERAND
.end

; Nothing is written between the last comparison of M and its release.
.macro finish
  set MQ, 0, WORK_END - MQ
  same M, M2, 2 * HW, FAULT
  release
  halt
.end

; M, M2 <- C^D mod N.
.macro power, KEPT
  .if ENG == 1
    half_in C, Q, DQ, AQ, XD, KEPT, 0
    exp XD, EB
    half_out AQ, BQ, KEPT
    store MQ, 5
    half_in C, P, DP, AP, XD, KEPT, 0
    exp XD, EB
  .end
  .if ENG == 2
    unit 1
    half_in C, Q, DQ, AQ, XE, KEPT, 0
    unit 0
    half_in C, P, DP, AP, XD, KEPT, 0
    exp2 XD, XE, EB
    unit 1
    half_out AQ, BQ, KEPT
    store MQ, 5
    unit 0
  .end
  half_out AP, BP, KEPT
  recombine KEPT
.end

.entry private
  begin
  power KEEP
  prove M2, C2          ; the result to the power e is the message
  finish

; Where e is unknown: the power once more, from the copies of message and key, with other pairs.
.entry private_again
  begin
  power 0
  .if ENG == 1
    half_in C2, P2, DP2, AP2, XD, 0, 1
    exp XD, EB
    half_out AP2, BP2, 0
    store Y, 5
    agree P2, M2, 0
    half_in C2, Q2, DQ2, AQ2, XD, 0, 1
    exp XD, EB
    half_out AQ2, BQ2, 0
    store Y, 5
    agree Q2, M2, 0
  .end
  .if ENG == 2
    unit 1
    half_in C2, Q2, DQ2, AQ2, XE, 0, 1
    unit 0
    half_in C2, P2, DP2, AP2, XD, 0, 1
    exp2 XD, XE, EB
    unit 1
    half_out AQ2, BQ2, 0
    store Y, 5
    agree Q2, M2, 0
    unit 0
    half_out AP2, BP2, 0
    store Y, 5
    agree P2, M2, 0
  .end
  finish

.entry public
  begin
  .if ENG == 1
    enter Q
    public_in Q, C, KEEP
    exp E, 0
    store MQ, 5
    enter P
    public_in P, C, KEEP
    exp E, 0
  .end
  .if ENG == 2
    public_in P, C, KEEP
    unit 1
    public_in Q, C, KEEP
    exp2 E, E, 0
    store MQ, 5
    unit 0
  .end
  recombine KEEP
  prove C2, M2          ; the power once more, from the copy of the message
  finish

; A <- a random number below PRIME, which is long enough; slot 4 <- A; POWER <- the exponent that
; makes B of it, PRIME - 1 - EXPONENT.
.macro pair_in, PRIME, EXPONENT, A, POWER
  set A, 0, HV
  rnd A, K
  add A, A, UNITY, HV   ; 1 .. 2^(32 K)
  sub POWER, PRIME, UNITY, HV
  sub POWER, POWER, EXPONENT, HV
  need 0, KEY
  load 4, A
.end

; BLINDER <- A R, UNBLINDER <- B R, slot 4 <- B, from A in slot 4 and B in slot 5.
.macro pair_out
  mul BLINDER, 4, R2
  mul UNBLINDER, 5, R2
  mul 4, UNBLINDER, ONE
.end

; PRIME has to be longer than K words.
.macro key_prime, PRIME
  set U, 0, HV
  set U + K, 1, 1
  sub U, U, PRIME, HV
  need 1, KEY
.end

; E and the exponent fit each other and the prime: B^E A = 1. Slot 5 has B^E; A is in BLINDER where
; it is kept.
.macro fits, A
  .if KEEP
    mul 4, BLINDER, 5
  .end
  .if KEEP == 0
    load 4, A
    mul 4, 4, R2
    mul 4, 4, 5
  .end
  set T, 0, HV
  store T, 4
  same T, UNITY, HV, KEY
.end

; With one engine: the pair of PRIME, which it takes first if FRESH. CHECK: e is known.
.macro pair_alone, PRIME, EXPONENT, A, B, CHECK, FRESH
  .if FRESH
    key_prime PRIME
    enter PRIME
  .end
  pair_in PRIME, EXPONENT, A, XD
  exp XD, H
  store B, 5
  .if CHECK
    load 4, B
    exp E, 0
    fits A
  .end
.end

; A pair for each prime, (A1, B1) for p and (A2, B2) for q; with one engine it holds Q and is left
; with P. CHECK: e is known.
.macro pairs, A1, B1, A2, B2, CHECK
  .if ENG == 1
    pair_alone Q, DQ, A2, B2, CHECK, 0
    pair_alone P, DP, A1, B1, CHECK, 1
  .end
  .if ENG == 2
    unit 1
    pair_in Q, DQ, A2, XE
    unit 0
    pair_in P, DP, A1, XD
    exp2 XD, XE, H
    .if CHECK
      pair_out
      unit 1
      pair_out
      exp2 E, E, 0
      fits A2
      unit 0
      fits A1
    .end
    .if CHECK == 0
      store B1, 5
      unit 1
      store B2, 5
      unit 0
    .end
  .end
.end

; Before the pairs: the number 1, and the engine or engines hold their primes. KEPT: so does each
; the weight of a chunk.
.macro key_begin, KEPT
  set UNITY, 1, HV
  key_prime Q
  .if ENG == 1
    enter Q
  .end
  .if ENG == 2
    key_prime P
    load MOD, P
    unit 1
    load MOD, Q
    setup2
    .if KEPT
      weight WEIGHT
      unit 0
      weight WEIGHT
    .end
  .end
.end

; After the pairs: the check of QI with the engine of p, then N.
.macro key_end, KEPT
  .if KEPT == 0
    weight OTHER
  .end
  residue Q, HW, P, OTHER + KEPT * (WEIGHT - OTHER)
  .let INVERSE_R, OTHER + KEPT * (INVERSE - OTHER)
  load INVERSE_R, QI
  mul INVERSE_R, INVERSE_R, R2
  mul 4, 4, INVERSE_R
  set X, 0, HV
  store X, 4
  same X, UNITY, HV, KEY
  set N, 0, 2 * HW
  .repeat I, HW
    ldm P + I
    mac N + I, Q, HW
  .end
  set C, 0, WORK_END - C
  release
  halt
.end

; N, the check of the key, the blinding pairs.
.entry key
  key_begin KEEP
  pairs AP, BP, AQ, BQ, 1
  key_end KEEP

; The same where e is unknown: nothing shows whether the exponents fit; two pairs for each prime,
; and copies, which are compared once the pairs are there.
.entry key_again
  copy P2, P, 4 * HV
  key_begin 0
  pairs AP, BP, AQ, BQ, 0
  .if ENG == 1
    enter Q
  .end
  pairs AP2, BP2, AQ2, BQ2, 0
  same P2, P, 4 * HV, KEY
  key_end 0

; DST <- D mod (PRIME - 1), bit by bit.
.macro derive_exponent, DST, PRIME
  set UNITY, 1, HV
  sub T, PRIME, UNITY, HV
  copy C2, D, NW
  set X, 0, HV
  loop 32 * NW
    add C2, C2, C2, NW
    adc X, X, X, HV
    sub U, X, T, HV
    sel X, X, U, HV
  endloop
  copy DST, X, HV
.end

; DP, DQ, QI of a key that is given by P, Q, D; QI = Q^(P - 2) mod P. `key` has to follow.
.entry derive
  derive_exponent DP, P
  derive_exponent DQ, Q
  enter P
  weight OTHER
  residue Q, HW, P, OTHER
  set T, 2, HV
  sub U, P, T, HV
  exp U, H
  store QI, 5
  set C, 0, WORK_END - C
  release
  halt

; Where a program goes that did not pass a `need`.
.entry fail
  set C, 0, WORK_END - C
  halt
