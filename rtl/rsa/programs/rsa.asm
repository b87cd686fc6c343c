; SPDX-License-Identifier: Apache-2.0
; Programs of the RSA core. Instructions: rtl/rsa/README.md; text form: modfab.rsa.assembler.
;
; Constants of a build: H bits of a prime; HW words of H bits, HV = HW + 1; NW words of 2 H bits;
; K words that are below every prime; EB exponent bits of a private half, EBW of their words random;
; BLIND 1 or 0; ENG engines, 1 or 2 (unit 0 for p, unit 1 for q); the slots ONE, R, R2, MOD of an engine; the endings KEY, OPERAND, FAULT.

; ---- memory: the key first, then what is made of it, then what one operation uses ----
.var P, HV
.var Q, HV
.var DP, HV
.var DQ, HV
.var QI, HV
.var E, NW
.var D, NW              ; program derive only
.var KEY_END, 0
.var AP, HV             ; blinding pairs: A = r, B = r^-d
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
.var N, 2 * HW
.var C, NW              ; message in
.var M, 2 * HW          ; result
.var WORK, 0
.var C2, NW             ; copies that the check uses; the host's writes to C come here too
.var M2, 2 * HW
.var MP, HV
.var MQ, HV
.var X, HV
.var Y, HV
.var T, HV
.var U, HV
.var XD, HW + EBW + 1   ; blinded exponent
.var XE, (ENG - 1) * (HW + EBW + 1)
.var RND, EBW + K + 1
.var UNITY, HV          ; the number 1
.var WORK_END, 0

.macro copy, DST, SRC, LEN
  sel DST, SRC, SRC, LEN
.end

; Engine <- modulus; a modulus that it refuses ends the program.
.macro enter, PRIME
  load MOD, PRIME
  setup
.end

; DST <- SRC mod PRIME, which the engine holds: chunks of K words, each below PRIME, by Horner's
; rule. Slot 7 holds 2^(32 K) R.
.macro reduce, DST, SRC, WORDS, PRIME
  set T, 0, HV
  set T + K, 1, 1
  load 7, T
  mul 7, 7, R2
  set DST, 0, HV
  .let COUNT, (WORDS + K - 1) / K
  .repeat I, COUNT
    .let FROM, (COUNT - 1 - I) * K
    .let LEN, K - (FROM + K > WORDS) * (FROM + K - WORDS)
    .if I > 0
      load 4, DST
      mul 4, 4, 7
      store DST, 4
    .end
    set T, 0, HV
    copy T, SRC + FROM, LEN
    add DST, DST, T, HV
    sub U, DST, PRIME, HV
    sel DST, DST, U, HV
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

; Slot 4 <- SRC mod PRIME, blinded with A; POWER <- the blinded exponent. FRESH: the engine takes
; the prime anew, even where it could have kept it.
.macro half_in, SRC, PRIME, EXPONENT, A, POWER, FRESH
  .if FRESH + (ENG == 1)
    enter PRIME
  .end
  reduce X, SRC, NW, PRIME
  set POWER, 0, HW + EBW + 1
  copy POWER, EXPONENT, HW
  .if EBW > 0
    set UNITY, 1, HV
    sub U, PRIME, UNITY, HV
    rnd RND, EBW
    .repeat I, EBW
      ldm RND + I
      mac POWER + I, U, HW
    .end
  .end
  load 4, X
  .if BLIND
    load 5, A
    mul 4, 4, R2
    mul 4, 4, 5
  .end
.end

; DST <- slot 5, unblinded with B; the pair A, B is squared.
.macro half_out, DST, A, B
  .if BLIND
    load 4, B
    mul 4, 4, R2
    mul 5, 5, 4
  .end
  store DST, 5
  .if BLIND
    square A
    square B
  .end
.end

; Slot 4 <- FROM mod PRIME.
.macro public_in, PRIME, FROM
  reduce X, FROM, NW, PRIME
  load 4, X
.end

; M <- MQ + Q ((MP - MQ) QI mod P); the engine holds P. Then M2, the copy that the check uses.
.macro recombine
  reduce X, MQ, HW, P
  sub X, MP, X, HV
  add U, X, P, HV       ; carries out exactly when the difference has borrowed
  sel X, U, X, HV
  load 4, X
  mul 4, 4, R2
  load 5, QI
  mul 4, 4, 5
  store X, 4
  set M, 0, 2 * HW
  copy M, MQ, HW
  .repeat I, HW
    ldm X + I
    mac M + I, Q, HW
  .end
  copy M2, M, 2 * HW
.end

; Y has to be TO mod PRIME.
.macro agree, PRIME, TO
  reduce X, TO, NW, PRIME
  same X, Y, HV, FAULT
.end

; FROM^E has to be TO, modulo both primes; with one engine it holds P and is left with Q.
.macro prove, FROM, TO
  .if ENG == 1
    public_in P, FROM
    exp E, 0
    store Y, 5
    agree P, TO
    enter Q
    public_in Q, FROM
    exp E, 0
    store Y, 5
    agree Q, TO
  .end
  .if ENG == 2
    public_in P, FROM
    unit 1
    public_in Q, FROM
    exp2 E, E, 0
    store Y, 5
    agree Q, TO
    unit 0
    store Y, 5
    agree P, TO
  .end
.end

.macro begin
  sub M2, C, N, NW
  need 1, OPERAND
.end

; Nothing is written between the last comparison of M and its release.
.macro finish
  set MP, 0, WORK_END - MP
  same M, M2, 2 * HW, FAULT
  release
  halt
.end

; M, M2 <- C^D mod N.
.macro power
  .if ENG == 1
    half_in C, Q, DQ, AQ, XD, 0
    exp XD, EB
    half_out MQ, AQ, BQ
    half_in C, P, DP, AP, XD, 0
    exp XD, EB
  .end
  .if ENG == 2
    unit 1
    half_in C, Q, DQ, AQ, XE, 0
    unit 0
    half_in C, P, DP, AP, XD, 0
    exp2 XD, XE, EB
    unit 1
    half_out MQ, AQ, BQ
    unit 0
  .end
  half_out MP, AP, BP
  recombine
.end

.entry private
  begin
  power
  prove M2, C2          ; the result to the power e is the message
  finish

; Where e is unknown: the power once more, from the copies of message and key, with other pairs.
.entry private_again
  begin
  power
  .if ENG == 1
    half_in C2, P2, DP2, AP2, XD, 1
    exp XD, EB
    half_out Y, AP2, BP2
    agree P2, M2
    half_in C2, Q2, DQ2, AQ2, XD, 1
    exp XD, EB
    half_out Y, AQ2, BQ2
    agree Q2, M2
  .end
  .if ENG == 2
    unit 1
    half_in C2, Q2, DQ2, AQ2, XE, 1
    unit 0
    half_in C2, P2, DP2, AP2, XD, 1
    exp2 XD, XE, EB
    unit 1
    half_out Y, AQ2, BQ2
    agree Q2, M2
    unit 0
    half_out Y, AP2, BP2
    agree P2, M2
  .end
  finish

.entry public
  begin
  .if ENG == 1
    enter Q
    public_in Q, C
    exp E, 0
    store MQ, 5
    enter P
    public_in P, C
    exp E, 0
  .end
  .if ENG == 2
    public_in P, C
    unit 1
    public_in Q, C
    exp2 E, E, 0
    store MQ, 5
    unit 0
  .end
  store MP, 5
  recombine
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

; The engine takes PRIME.
.macro key_prime, PRIME
  set U, 0, HV
  set U + K, 1, 1
  sub U, U, PRIME, HV
  need 1, KEY
  enter PRIME
.end

; E and the exponent fit each other and the prime: B^E A = 1.
.macro fits, A, B
  load 4, B
  exp E, 0
  load 4, A
  mul 4, 4, R2
  mul 4, 4, 5
  set T, 0, HV
  store T, 4
  same T, UNITY, HV, KEY
.end

; A pair for each prime, (A1, B1) for p and (A2, B2) for q; with one engine it holds Q and is left
; with P. CHECK: e is known.
.macro pairs, A1, B1, A2, B2, CHECK
  .if ENG == 1
    pair_in Q, DQ, A2, XD
    exp XD, H
    store B2, 5
    .if CHECK
      fits A2, B2
    .end
    key_prime P
    pair_in P, DP, A1, XD
    exp XD, H
  .end
  .if ENG == 2
    unit 1
    pair_in Q, DQ, A2, XE
    unit 0
    pair_in P, DP, A1, XD
    exp2 XD, XE, H
    unit 1
    store B2, 5
    .if CHECK
      fits A2, B2
    .end
    unit 0
  .end
  store B1, 5
  .if CHECK
    fits A1, B1
  .end
.end

; Before the pairs: the number 1, and the engine or engines hold their primes.
.macro key_begin
  set UNITY, 1, HV
  .if ENG == 2
    key_prime P
    unit 1
  .end
  key_prime Q
.end

; After the pairs: the check of QI with the engine of p, then N.
.macro key_end
  reduce X, Q, HW, P
  load 4, X
  mul 4, 4, R2
  load 5, QI
  mul 4, 4, 5
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
  key_begin
  pairs AP, BP, AQ, BQ, 1
  key_end

; The same where e is unknown: nothing shows whether the exponents fit; two pairs for each prime,
; and copies, which are compared once the pairs are there.
.entry key_again
  copy P2, P, 4 * HV
  key_begin
  pairs AP, BP, AQ, BQ, 0
  .if ENG == 1
    enter Q
  .end
  pairs AP2, BP2, AQ2, BQ2, 0
  same P2, P, 4 * HV, KEY
  key_end

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
  reduce X, Q, HW, P
  set T, 2, HV
  sub U, P, T, HV
  load 4, X
  exp U, H
  store QI, 5
  set C, 0, WORK_END - C
  release
  halt

; Where a program goes that did not pass a `need`.
.entry fail
  set C, 0, WORK_END - C
  halt
