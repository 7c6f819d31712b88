/* Harvest-v0 in C: the same rules, observations and outputs, for a comparison of speed with `envsuite/social/harvest.py`.

   cc -O3 -march=native -shared -fPIC harvest.c -o harvest.so

   size_t harvest_size(void)
       bytes of one world; the caller owns an array of n worlds (zeroed or not) and all other buffers.
   void harvest_reset(world *worlds, long n, const uint8_t *maps, const uint64_t *seeds, uint8_t *slots)
       start an episode in each world from its map (18 x 24 codes: 0 wall, 1 floor, 2 site, 3 return, 4 inner start).
   void harvest_step(world *worlds, long n, const int64_t *actions, uint8_t *slots, double *rewards,
                     uint8_t *terminated, uint8_t *truncated)
       one step of each world; actions, rewards and ends are (n, 7). A slot is what an agent sees: 11 x 11 codes, three
       unused bytes and a float, 128 bytes.

   Seven players, the parameters of the map `open`, no end before 5000 steps but that of chance. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PLAYERS = 7, WIDTH = 24, HEIGHT = 18, BORDER = 8, STRIDE = WIDTH + 2 * BORDER, ROWS = HEIGHT + 2 * BORDER };
enum { CELLS = ROWS * STRIDE, INSIDE = (WIDTH - 2) * (HEIGHT - 2), VIEW = 11, SLOT = 128 };
enum { OUTSIDE, WALL, FLOOR, BARE, APPLE, SELF, PLAYER = 8, LIT = 128 };
enum { MAP_WALL, MAP_FLOOR, MAP_SITE, MAP_RETURN, MAP_INNER };
enum { ZAP = 7, TURN_LEFT = 5, TURN_RIGHT = 6 };

typedef struct {
    uint64_t rng;
    int64_t t, horizon, end_after, end_interval, zap_length, zap_radius, zap_cooldown, zap_away;
    double end_probability, regrowth[4];
    int64_t at[PLAYERS], facing[PLAYERS], cooldown[PLAYERS], away[PLAYERS], order[PLAYERS];
    uint8_t under[PLAYERS], hit[PLAYERS], cells[CELLS], near[CELLS];
    int64_t empty_count, lit_count, spot_count, inner_count;
    int16_t empty[INSIDE], lit[INSIDE + WIDTH * HEIGHT], spots[INSIDE], inner[INSIDE];
} world;

static const int64_t AHEAD[4] = {1, STRIDE, -1, -STRIDE};
static const int64_t MOVES[5] = {0, 0, 2, 3, 1};
static const int64_t DISC[12] = {-2 * STRIDE, -STRIDE - 1, -STRIDE, -STRIDE + 1, -2, -1, 1, 2,
                                 STRIDE - 1,  STRIDE,      STRIDE + 1, 2 * STRIDE};
static uint8_t stops[256], seen[4][256];

__attribute__((constructor)) static void tables(void) {
    for (int code = 0; code < 256; code++) {
        int plain = code & (LIT - 1), player = plain >= PLAYER;
        stops[code] = plain == WALL || plain == OUTSIDE || player;
        for (int f = 0; f < 4; f++)
            seen[f][code] = player ? (code & LIT) | (((plain - PLAYER) & ~3) + ((plain - f) & 3) + PLAYER) : code;
    }
}

static inline uint64_t bits(world *s) {
    uint64_t z = s->rng += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline int64_t randint(world *s, int64_t size) { return (int64_t)(((bits(s) >> 32) * (uint64_t)size) >> 32); }

static inline int bernoulli(world *s, double p) { return (double)(bits(s) >> 11) * 0x1p-53 < p; }

static inline void add_around(world *s, int64_t cell, int change) {
    for (int k = 0; k < 12; k++) s->near[cell + DISC[k]] += change;
}

static int64_t random_spot(world *s, const int16_t *spots, int64_t count) {
    int64_t left = 0;
    for (int64_t k = 0; k < count; k++) left += !stops[s->cells[spots[k]]];
    if (!left) return -1;
    left = randint(s, left);
    for (int64_t k = 0; k < count; k++)
        if (!stops[s->cells[spots[k]]] && left-- == 0) return spots[k];
    return -1;
}

static inline void enter(world *s, int a, int64_t cell) {
    uint8_t code = s->cells[cell];
    s->at[a] = cell;
    s->under[a] = code & (LIT - 1);
    s->cells[cell] = (code & LIT) | (PLAYER + 4 * a + s->facing[a]);
}

static void place(world *s, int a, int64_t cell) {
    s->facing[a] = randint(s, 4);
    enter(s, a, cell);
}

static inline void move(world *s, int a, int64_t action, double *rewards) {
    int64_t here = s->at[a];
    if (1 <= action && action <= 4) {
        int64_t there = here + AHEAD[(s->facing[a] + MOVES[action]) & 3];
        uint8_t code = s->cells[there];
        if (!stops[code]) {
            s->cells[here] = s->under[a];
            if (code == APPLE) {
                rewards[a] += 1.0;
                s->cells[there] = BARE;
                s->empty[s->empty_count++] = (int16_t)there;
                add_around(s, there, -1);
            }
            enter(s, a, there);
        }
    } else if (action == TURN_LEFT || action == TURN_RIGHT) {
        s->facing[a] = (s->facing[a] + (action == TURN_RIGHT ? 1 : 3)) & 3;
        s->cells[here] = PLAYER + 4 * a + s->facing[a];
    }
}

static inline int64_t ray(world *s, int64_t cell, int64_t facing, int64_t length, int64_t count) {
    for (int64_t k = 0; k < length; k++) {
        s->lit[count++] = (int16_t)cell;
        if (stops[s->cells[cell]]) break;
        cell += AHEAD[facing];
    }
    return count;
}

static void zap(world *s, int a) {
    int64_t cell = s->at[a], facing = s->facing[a], lit = s->lit_count, length = s->zap_length;
    s->cooldown[a] = s->zap_cooldown;
    int64_t reached = ray(s, cell + AHEAD[facing], facing, length, lit);
    for (int side = 1; side <= 3; side += 2)
        for (int64_t offset = 1, beside = cell; offset <= s->zap_radius && offset <= length; offset++) {
            beside += AHEAD[(facing + side) & 3];
            reached = ray(s, beside, facing, length - offset + 1, reached);
            if (stops[s->cells[beside]]) break;
        }
    for (int64_t k = lit; k < reached; k++) {
        uint8_t code = s->cells[s->lit[k]];
        if (code >= LIT) continue;
        if (code >= PLAYER) {
            s->hit[(code - PLAYER) >> 2] = 1;
        } else if (!stops[code]) {
            s->cells[s->lit[k]] = code | LIT;
            s->lit[lit++] = s->lit[k];
        }
    }
    s->lit_count = lit;
}

static inline void grow(world *s, int64_t old, double *rewards) {
    int64_t count = s->empty_count, left = count;
    for (int64_t i = old - 1; i >= 0; i--) {
        int16_t site = s->empty[i];
        int k = s->near[site];
        double chance = s->regrowth[k < 3 ? k : 3];
        if (chance > 0.0 && bernoulli(s, chance)) {
            s->empty[i] = s->empty[--left];
            s->empty[left] = site;
        }
    }
    s->empty_count = left;
    for (int64_t k = left; k < count; k++) {
        int16_t cell = s->empty[k];
        uint8_t code = s->cells[cell];
        if ((code & (LIT - 1)) >= PLAYER) {
            rewards[((code & (LIT - 1)) - PLAYER) >> 2] += 1.0;
            s->empty[s->empty_count++] = cell;
        } else {
            s->cells[cell] = (code & LIT) | APPLE;
            add_around(s, cell, 1);
        }
    }
}

static inline void window(const uint8_t *cell, int64_t down, int64_t right, const uint8_t *table, uint8_t *view) {
    const uint8_t *corner = cell - 9 * down - 5 * right;
    for (int i = 0; i < VIEW; i++)
        for (int j = 0; j < VIEW; j++) view[VIEW * i + j] = table[corner[i * down + j * right]];
}

static inline void observe(const world *s, int a, uint8_t *slot) {
    float *ready = (float *)(slot + 124);
    if (s->away[a]) {
        memset(slot, 0, VIEW * VIEW);
        *ready = 0.0f;
        return;
    }
    const uint8_t *cell = s->cells + s->at[a];
    switch (s->facing[a]) { /* each compiled with its steps as constants, as ours is */
    case 0: window(cell, -1, STRIDE, seen[0], slot); break;
    case 1: window(cell, -STRIDE, -1, seen[1], slot); break;
    case 2: window(cell, 1, -STRIDE, seen[2], slot); break;
    default: window(cell, STRIDE, 1, seen[3], slot);
    }
    slot[VIEW * 9 + 5] = (*cell & LIT) | SELF;
    *ready = s->cooldown[a] > 0 ? (float)(1.0 - (double)s->cooldown[a] / (double)s->zap_cooldown) : 1.0f;
}

static void step(world *s, const int64_t *actions, double *rewards) {
    for (int64_t k = 0; k < s->lit_count; k++) s->cells[s->lit[k]] &= LIT - 1;
    s->lit_count = 0;
    int64_t old = s->empty_count;
    for (int64_t i = PLAYERS - 1; i > 0; i--) {
        int64_t j = randint(s, i + 1), held = s->order[i];
        s->order[i] = s->order[j];
        s->order[j] = held;
    }
    for (int k = 0; k < PLAYERS; k++) {
        int64_t a = s->order[k];
        if (!s->away[a]) move(s, (int)a, actions[a], rewards);
    }
    for (int a = 0; a < PLAYERS; a++)
        if (!s->away[a]) {
            if (s->cooldown[a] > 0) s->cooldown[a]--;
            else if (actions[a] == ZAP) zap(s, a);
        }
    for (int a = 0; a < PLAYERS; a++)
        if (s->away[a] && --s->away[a] == 0) {
            int64_t cell = random_spot(s, s->spots, s->spot_count);
            if (cell < 0) s->away[a] = 1;
            else place(s, a, cell);
        }
    for (int a = 0; a < PLAYERS; a++)
        if (s->hit[a]) {
            s->hit[a] = 0;
            s->cells[s->at[a]] = s->under[a];
            s->away[a] = s->zap_away + 1;
        }
    grow(s, old, rewards);
}

size_t harvest_size(void) { return sizeof(world); }

void harvest_reset(world *worlds, long n, const uint8_t *maps, const uint64_t *seeds, uint8_t *slots) {
    for (long i = 0; i < n; i++) {
        world *s = &worlds[i];
        memset(s, 0, sizeof *s);
        s->rng = seeds[i];
        s->horizon = 5000, s->end_after = 1000, s->end_interval = 100, s->end_probability = 0.15;
        s->zap_length = 3, s->zap_radius = 1, s->zap_cooldown = 2, s->zap_away = 4;
        s->regrowth[1] = 0.0025, s->regrowth[2] = 0.005, s->regrowth[3] = 0.025;
        for (int k = 0; k < WIDTH * HEIGHT; k++) {
            static const uint8_t kind[5] = {WALL, FLOOR, APPLE, FLOOR, FLOOR};
            int64_t cell = (k / WIDTH + BORDER) * STRIDE + k % WIDTH + BORDER;
            uint8_t code = maps[i * WIDTH * HEIGHT + k];
            s->cells[cell] = kind[code];
            if (code == MAP_SITE) add_around(s, cell, 1);
            if (code == MAP_RETURN) s->spots[s->spot_count++] = (int16_t)cell;
            if (code == MAP_INNER) s->inner[s->inner_count++] = (int16_t)cell;
        }
        for (int a = 0; a < PLAYERS; a++) {
            s->order[a] = a;
            place(s, a, a < 2 ? random_spot(s, s->inner, s->inner_count) : random_spot(s, s->spots, s->spot_count));
        }
        for (int a = 0; a < PLAYERS; a++) observe(s, a, slots + (i * PLAYERS + a) * SLOT);
    }
}

void harvest_step(world *worlds, long n, const int64_t *actions, uint8_t *slots, double *rewards, uint8_t *terminated,
                  uint8_t *truncated) {
    for (long i = 0; i < n; i++) {
        world *s = &worlds[i];
        for (int a = 0; a < PLAYERS; a++) rewards[i * PLAYERS + a] = 0.0;
        s->t++;
        step(s, actions + i * PLAYERS, rewards + i * PLAYERS);
        uint8_t ends = s->t >= s->end_after && (s->t + 1) % s->end_interval == 0 && bernoulli(s, s->end_probability);
        for (int a = 0; a < PLAYERS; a++) {
            terminated[i * PLAYERS + a] = ends;
            truncated[i * PLAYERS + a] = !ends && s->t >= s->horizon;
            observe(s, a, slots + (i * PLAYERS + a) * SLOT);
        }
    }
}
