/* The bidirectional GRU layer of paper II-B for CPUs with AVX-512: all steps, forward and backward. And, at the end,
   the attention layer of paper II-D (equation 7 with coverage) for one step.

   `number` is what matrix products take: bfloat16 if BF16 is defined (AVX-512 BF16), else float32. They add up in
   float32; the hidden state is float32. Weights are packed once per call and stay in the cache; each step is two small
   matrix products per direction and one pass over the gates. The backward direction reads every sequence from its own
   end (`lengths`), so no reversed copy is ever made.

   Shapes: projections, d_projections (T, B, 2, 3H) numbers, in z | r | candidate order; output, d_output (T, B, 2, H)
   numbers; gates (2, T, B, 2H) and candidates (2, T, B, H) f32 in the order of steps; before and reset_hidden
   (2, T, B, H) numbers in the order of time, as the weight gradients need them; hidden (2, T + 1, B, H) f32. H is a
   multiple of 64. */

#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef BF16
typedef uint16_t number;
#define VECTORS 4 /* of 16 columns in a block; with MOST rows their sums fill the registers */
#define MOST 6
#define TOGETHER 2 /* rows of weights that one instruction takes */

static inline __m512 load(const number *p) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p)), 16));
}
static inline void store(number *p, __m512 x) { _mm256_storeu_si256((__m256i *)p, (__m256i)_mm512_cvtneps_pbh(x)); }
static inline void store_inside(number *p, __mmask16 here, __m512 x) {
    _mm256_mask_storeu_epi16(p, here, (__m256i)_mm512_cvtneps_pbh(x));
}
static inline number rounded(float x) { return (number)_mm_extract_epi16((__m128i)_mm_cvtneps_pbh(_mm_set_ss(x)), 0); }
static inline __m512 spread(const number *p) { return (__m512)_mm512_set1_epi32(*(const int32_t *)p); }
static inline __m512 add_product(__m512 sum, __m512 left, __m512 right) {
    return _mm512_dpbf16_ps(sum, (__m512bh)left, (__m512bh)right);
}
#else
typedef float number;
#define VECTORS 2
#define MOST 12
#define TOGETHER 1

static inline __m512 load(const number *p) { return _mm512_loadu_ps(p); }
static inline void store(number *p, __m512 x) { _mm512_storeu_ps(p, x); }
static inline void store_inside(number *p, __mmask16 here, __m512 x) { _mm512_mask_storeu_ps(p, here, x); }
static inline number rounded(float x) { return x; }
static inline __m512 spread(const number *p) { return _mm512_set1_ps(*p); }
static inline __m512 add_product(__m512 sum, __m512 left, __m512 right) { return _mm512_fmadd_ps(left, right, sum); }
#endif
#define BLOCK (16 * VECTORS)

static inline __m512 exponential(__m512 x) {
    /* In this order of arguments, what is not a number stays so. */
    x = _mm512_max_ps(_mm512_set1_ps(-87.0f), _mm512_min_ps(_mm512_set1_ps(87.0f), x));
    __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)), 8);
    __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693359375f), x);
    r = _mm512_fnmadd_ps(n, _mm512_set1_ps(-2.12194440e-4f), r);
    __m512 p = _mm512_set1_ps(1.9875691500e-4f);
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.3981999507e-3f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(8.3334519073e-3f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(4.1665795894e-2f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.6666665459e-1f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(5.0000001201e-1f));
    p = _mm512_fmadd_ps(p, _mm512_mul_ps(r, r), _mm512_add_ps(r, _mm512_set1_ps(1.0f)));
    return _mm512_scalef_ps(p, n);
}
static inline __m512 sigmoid(__m512 x) {
    __m512 one = _mm512_set1_ps(1.0f);
    return _mm512_div_ps(one, _mm512_add_ps(one, exponential(_mm512_sub_ps(_mm512_setzero_ps(), x))));
}
static inline __m512 hyperbolic_tangent(__m512 x) {
    __m512 s = sigmoid(_mm512_add_ps(x, x));
    return _mm512_sub_ps(_mm512_add_ps(s, s), _mm512_set1_ps(1.0f));
}

/* Columns in blocks, rows in the groups that one instruction takes. */
static void pack(const float *w, int rows, int columns, int row_step, int column_step, number *out) {
    for (int block = 0; block < columns; block += BLOCK)
        for (int row = 0; row < rows; row += TOGETHER)
            for (int column = block; column < block + BLOCK; column++)
                for (int k = 0; k < TOGETHER; k++)
                    *out++ = rounded(w[(size_t)(row + k) * row_step + (size_t)column * column_step]);
}

/* ROWS rows and one block of columns; made once for every number of rows, so that the sums stay in registers. */
static inline __attribute__((always_inline)) void tile(int ROWS, int depth, const number *a, int a_step, const number *b, float *c, int c_step) {
    __m512 sum[MOST][VECTORS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < VECTORS; j++) sum[i][j] = _mm512_setzero_ps();
    for (int k = 0; k < depth; k += TOGETHER, b += TOGETHER * BLOCK) {
        __m512 right[VECTORS];
        for (int j = 0; j < VECTORS; j++) right[j] = _mm512_loadu_ps((const void *)(b + 16 * TOGETHER * j));
        for (int i = 0; i < ROWS; i++) {
            __m512 left = spread(a + (size_t)i * a_step + k);
            for (int j = 0; j < VECTORS; j++) sum[i][j] = add_product(sum[i][j], left, right[j]);
        }
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < VECTORS; j++) _mm512_storeu_ps(c + (size_t)i * c_step + 16 * j, sum[i][j]);
}
#define TILE(ROWS)                                                                                                \
    static void tile##ROWS(int depth, const number *a, int a_step, const number *b, float *c, int c_step) {       \
        tile(ROWS, depth, a, a_step, b, c, c_step);                                                               \
    }
TILE(1) TILE(2) TILE(3) TILE(4) TILE(5) TILE(6)
#if MOST == 12
TILE(7) TILE(8) TILE(9) TILE(10) TILE(11) TILE(12)
#endif

/* c (rows, columns) = a (rows, depth) times packed b */
static void product(int rows, int depth, int columns, const number *a, int a_step, const number *b, float *c) {
    static void (*const tiles[])(int, const number *, int, const number *, float *, int) = {
        tile1, tile2, tile3, tile4, tile5, tile6,
#if MOST == 12
        tile7, tile8, tile9, tile10, tile11, tile12,
#endif
    };
    for (int block = 0; block < columns; block += BLOCK, b += (size_t)depth * BLOCK)
        for (int row = 0; row < rows;) {
            int left = rows - row, take = left > MOST ? (left < 2 * MOST ? (left + 1) / 2 : MOST) : left;
            tiles[take - 1](depth, a + (size_t)row * a_step, a_step, b, c + (size_t)row * columns + block, columns);
            row += take;
        }
}

static inline int time_of(int direction, int step, int length) {
    return direction && step < length ? length - 1 - step : step;
}

int gru_forward(int steps, int batch, int units, const number *projections, const float *weight_gates,
                const float *weight_candidate, const int64_t *lengths, number *output, float *gates, float *candidates,
                number *before, number *reset_hidden, float *hidden) {
    const int h = units, h2 = 2 * units;
    number *packed_gates = aligned_alloc(64, sizeof(number) * h * h2), *packed_candidate = aligned_alloc(64, sizeof(number) * h * h);
    number *state = aligned_alloc(64, sizeof(number) * batch * h), *reset_state = aligned_alloc(64, sizeof(number) * batch * h);
    float *sums = aligned_alloc(64, sizeof(float) * batch * h2);
    int failed = !packed_gates || !packed_candidate || !state || !reset_state || !sums;
    for (int d = 0; d < 2 && !failed; d++) {
        pack(weight_gates + (size_t)d * h * h2, h, h2, h2, 1, packed_gates);
        pack(weight_candidate + (size_t)d * h * h, h, h, h, 1, packed_candidate);
        float *now = hidden + (size_t)d * (steps + 1) * batch * h;
        for (int i = 0; i < batch * h; i++) now[i] = 0.0f, state[i] = 0;
        for (int t = 0; t < steps; t++, now += batch * h) {
            float *next = now + batch * h;
            float *gate = gates + ((size_t)d * steps + t) * batch * h2, *cand = candidates + ((size_t)d * steps + t) * batch * h;
            product(batch, h, h2, state, h, packed_gates, sums);
            for (int b = 0; b < batch; b++) {
                int time = time_of(d, t, (int)lengths[b]);
                const number *x = projections + (((size_t)time * batch + b) * 2 + d) * 3 * h;
                size_t place = (((size_t)d * steps + time) * batch + b) * h;
                for (int i = 0; i < h2; i += 16)
                    _mm512_storeu_ps(gate + b * h2 + i, sigmoid(_mm512_add_ps(_mm512_loadu_ps(sums + b * h2 + i), load(x + i))));
                for (int i = 0; i < h; i += 16) {
                    __m512 old = _mm512_loadu_ps(now + b * h + i);
                    __m512 reset = _mm512_mul_ps(_mm512_loadu_ps(gate + b * h2 + h + i), old);
                    store(reset_state + b * h + i, reset);
                    store(reset_hidden + place + i, reset);
                    store(before + place + i, old);
                }
            }
            product(batch, h, h, reset_state, h, packed_candidate, sums);
            for (int b = 0; b < batch; b++) {
                int time = time_of(d, t, (int)lengths[b]);
                const number *x = projections + (((size_t)time * batch + b) * 2 + d) * 3 * h + h2;
                number *out = output + (((size_t)time * batch + b) * 2 + d) * h;
                for (int i = 0; i < h; i += 16) {
                    __m512 c = hyperbolic_tangent(_mm512_add_ps(_mm512_loadu_ps(sums + b * h + i), load(x + i)));
                    __m512 old = _mm512_loadu_ps(now + b * h + i), z = _mm512_loadu_ps(gate + b * h2 + i);
                    __m512 new = _mm512_fmadd_ps(z, _mm512_sub_ps(c, old), old);
                    _mm512_storeu_ps(cand + b * h + i, c);
                    _mm512_storeu_ps(next + b * h + i, new);
                    store(state + b * h + i, new);
                    store(out + i, new);
                }
            }
        }
    }
    free(packed_gates), free(packed_candidate), free(state), free(reset_state), free(sums);
    return failed;
}

int gru_backward(int steps, int batch, int units, const number *d_output, const float *weight_gates,
                 const float *weight_candidate, const int64_t *lengths, const float *gates, const float *candidates,
                 const float *hidden, number *d_projections) {
    const int h = units, h2 = 2 * units;
    const __m512 one = _mm512_set1_ps(1.0f);
    number *packed_gates = aligned_alloc(64, sizeof(number) * h * h2), *packed_candidate = aligned_alloc(64, sizeof(number) * h * h);
    number *d_gate = aligned_alloc(64, sizeof(number) * batch * h2), *d_cand = aligned_alloc(64, sizeof(number) * batch * h);
    float *carry = aligned_alloc(64, sizeof(float) * batch * h), *sums = aligned_alloc(64, sizeof(float) * batch * h);
    int failed = !packed_gates || !packed_candidate || !d_gate || !d_cand || !carry || !sums;
    for (int d = 0; d < 2 && !failed; d++) {
        pack(weight_gates + (size_t)d * h * h2, h2, h, 1, h2, packed_gates); /* transposed */
        pack(weight_candidate + (size_t)d * h * h, h, h, 1, h, packed_candidate);
        for (int i = 0; i < batch * h; i++) carry[i] = 0.0f;
        for (int t = steps - 1; t >= 0; t--) {
            const float *gate = gates + ((size_t)d * steps + t) * batch * h2, *cand = candidates + ((size_t)d * steps + t) * batch * h;
            const float *old = hidden + ((size_t)d * (steps + 1) + t) * batch * h;
            for (int b = 0; b < batch; b++) {
                int time = time_of(d, t, (int)lengths[b]);
                size_t row = ((size_t)time * batch + b) * 2 + d;
                number *out = d_projections + row * 3 * h;
                for (int i = 0; i < h; i += 16) {
                    __m512 dh = _mm512_add_ps(_mm512_loadu_ps(carry + b * h + i), load(d_output + row * h + i));
                    __m512 c = _mm512_loadu_ps(cand + b * h + i), z = _mm512_loadu_ps(gate + b * h2 + i);
                    __m512 keep = _mm512_sub_ps(one, z);
                    __m512 dc = _mm512_mul_ps(_mm512_mul_ps(dh, z), _mm512_fnmadd_ps(c, c, one));
                    __m512 dz = _mm512_mul_ps(_mm512_mul_ps(dh, _mm512_sub_ps(c, _mm512_loadu_ps(old + b * h + i))), _mm512_mul_ps(z, keep));
                    store(d_cand + b * h + i, dc);
                    store(out + h2 + i, dc);
                    store(d_gate + b * h2 + i, dz);
                    store(out + i, dz);
                    _mm512_storeu_ps(carry + b * h + i, _mm512_mul_ps(dh, keep));
                }
            }
            product(batch, h, h, d_cand, h, packed_candidate, sums);
            for (int b = 0; b < batch; b++) {
                int time = time_of(d, t, (int)lengths[b]);
                number *out = d_projections + (((size_t)time * batch + b) * 2 + d) * 3 * h + h;
                for (int i = 0; i < h; i += 16) {
                    __m512 drh = _mm512_loadu_ps(sums + b * h + i), r = _mm512_loadu_ps(gate + b * h2 + h + i);
                    __m512 dr = _mm512_mul_ps(_mm512_mul_ps(drh, _mm512_loadu_ps(old + b * h + i)), _mm512_mul_ps(r, _mm512_sub_ps(one, r)));
                    store(d_gate + b * h2 + h + i, dr);
                    store(out + i, dr);
                    _mm512_storeu_ps(carry + b * h + i, _mm512_fmadd_ps(drh, r, _mm512_loadu_ps(carry + b * h + i)));
                }
            }
            product(batch, h2, h, d_gate, h2, packed_gates, sums);
            for (int i = 0; i < batch * h; i += 16)
                _mm512_storeu_ps(carry + i, _mm512_add_ps(_mm512_loadu_ps(carry + i), _mm512_loadu_ps(sums + i)));
        }
    }
    free(packed_gates), free(packed_candidate), free(d_gate), free(d_cand), free(carry), free(sums);
    return failed;
}

static inline __mmask16 inside(int left) { return left < 16 ? (__mmask16)((1u << left) - 1) : (__mmask16)0xffff; }
static int up_to_block(int size) { return (size + BLOCK - 1) / BLOCK * BLOCK; }

/* A matrix padded with zeros to whole blocks of columns and an even number of rows, then packed; NULL: no memory. */
static number *pack_padded(const float *w, int rows, int columns, int row_step, int column_step) {
    int depth = rows + (rows & 1), wide = up_to_block(columns);
    float *padded = calloc((size_t)depth * wide, sizeof(float));
    number *packed = aligned_alloc(64, sizeof(number) * depth * wide);
    if (padded && packed) {
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) padded[(size_t)i * wide + j] = w[(size_t)i * row_step + (size_t)j * column_step];
        pack(padded, depth, wide, wide, 1, packed);
    } else
        free(packed), packed = NULL;
    free(padded);
    return packed;
}

/* The attention layer of one decoder step, in one pass over the annotations: layer (B, L, A) = tanh(coverage's windows
   times kernel + keys + query) and energy (B, L) = its product with v. The windows of one expression overlap in memory
   (a step of one element), so they are never copied. kernel (window, A); window 0: no coverage. */
int attention_forward(int batch, int length, int width, int window, const float *coverage, const float *kernel,
                      const float *keys, const float *query, const float *v, float *layer, float *energy) {
    const int wide = up_to_block(width), depth = window + (window & 1), reach = window / 2;
    number *packed = window ? pack_padded(kernel, window, width, width, 1) : NULL;
    number *near = calloc(length + depth + 16, sizeof(number));
    float *sums = aligned_alloc(64, sizeof(float) * length * wide);
    int failed = (window && !packed) || !near || !sums;
    for (int b = 0; b < batch && !failed; b++) {
        if (window) {
            for (int l = 0; l < length; l++)
                near[reach + l] = rounded(coverage[(size_t)b * length + l]);
            product(length, depth, wide, near, 1, packed, sums);
        }
        for (int l = 0; l < length; l++) {
            size_t row = ((size_t)b * length + l) * width;
            __m512 total = _mm512_setzero_ps();
            for (int i = 0; i < width; i += 16) {
                __mmask16 here = inside(width - i);
                __m512 x = _mm512_add_ps(_mm512_maskz_loadu_ps(here, keys + row + i),
                                         _mm512_maskz_loadu_ps(here, query + (size_t)b * width + i));
                if (window) x = _mm512_add_ps(x, _mm512_loadu_ps(sums + (size_t)l * wide + i));
                x = hyperbolic_tangent(x);
                _mm512_mask_storeu_ps(layer + row + i, here, x);
                total = _mm512_fmadd_ps(x, _mm512_maskz_loadu_ps(here, v + i), total);
            }
            energy[(size_t)b * length + l] = _mm512_reduce_add_ps(total);
        }
    }
    free(packed), free(near), free(sums);
    return failed;
}

/* Its gradient: d_layer (numbers) = (1 - layer^2) d_energy v; d_query, the sum of that over the annotations; and what
   coverage gets is added to d_coverage (B, L). A is even. */
int attention_backward(int batch, int length, int width, int window, const float *layer, const float *d_energy,
                       const float *v, const float *kernel, number *d_layer, float *d_query, float *d_coverage) {
    const __m512 one = _mm512_set1_ps(1.0f);
    const int wide = up_to_block(window), reach = window / 2;
    number *packed = window ? pack_padded(kernel, width, window, 1, width) : NULL; /* transposed */
    float *sums = aligned_alloc(64, sizeof(float) * length * (wide ? wide : BLOCK)), *moved = calloc(length + wide, sizeof(float));
    int failed = (window && !packed) || !sums || !moved;
    for (int b = 0; b < batch && !failed; b++) {
        float *sum = d_query + (size_t)b * width;
        for (int i = 0; i < width; i++) sum[i] = 0.0f;
        for (int l = 0; l < length; l++) {
            size_t row = ((size_t)b * length + l) * width;
            __m512 energy = _mm512_set1_ps(d_energy[(size_t)b * length + l]);
            for (int i = 0; i < width; i += 16) {
                __mmask16 here = inside(width - i);
                __m512 x = _mm512_maskz_loadu_ps(here, layer + row + i);
                __m512 d = _mm512_mul_ps(_mm512_mul_ps(_mm512_fnmadd_ps(x, x, one), energy), _mm512_maskz_loadu_ps(here, v + i));
                store_inside(d_layer + row + i, here, d);
                _mm512_mask_storeu_ps(sum + i, here, _mm512_add_ps(_mm512_maskz_loadu_ps(here, sum + i), d));
            }
        }
        if (!window) continue;
        product(length, width, wide, d_layer + (size_t)b * length * width, width, packed, sums);
        for (int i = 0; i < length + wide; i++) moved[i] = 0.0f;
        for (int l = 0; l < length; l++)
            for (int w = 0; w < wide; w++) moved[l + w] += sums[(size_t)l * wide + w];
        for (int l = 0; l < length; l++) d_coverage[(size_t)b * length + l] += moved[l + reach];
    }
    free(packed), free(sums), free(moved);
    return failed;
}
