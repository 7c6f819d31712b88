/* The kernel of envsuite/gridworlds/door_key.py (kit/rooms.py, generators/layouts.py) in C, with the batch loop around it:
   the yardstick of its speed. Same rules, levels, random streams, records, commands, observations and masks; actions are
   checked before anything is written. */

#include <stdint.h>
#include <string.h>

enum { SIZE = 8, VIEW = 7, MIDDLE = 3, MARGIN = VIEW - 1, CELLS = (SIZE + 2 * MARGIN) * SIZE, ACTIONS = 7 };
enum { SKIP, STEP, RESET, OBSERVE };
enum { LEFT, RIGHT, FORWARD, PICKUP, DROP, TOGGLE, DONE };
enum { UNSEEN, EMPTY, WALL, FLOOR, DOOR, KEY, BALL, BOX, GOAL, LAVA, AGENT, CLOSED, LOCKED };
enum { KIND = 0x0F, COLOR = 0x70, OPAQUE = 0x80, GREEN = 1 << 4, YELLOW = 4 << 4, GREY = 5 << 4 };
enum { GREY_WALL = OPAQUE | GREY | WALL };
enum { WALKABLE = 1 << EMPTY | 1 << FLOOR | 1 << DOOR | 1 << GOAL | 1 << LAVA };
enum { PORTABLE = 1 << KEY | 1 << BALL | 1 << BOX };

typedef struct {
    uint64_t rng;
    int64_t t;
    uint8_t terminated, truncated, level_given;
    int64_t horizon, agent, direction;
    uint8_t carrying, grid[CELLS];
    struct {
        uint8_t grid[SIZE][SIZE];
        int64_t x, y, direction;
    } level;
} Record;

typedef struct {
    int64_t direction;
    uint8_t image[VIEW][VIEW][3], unused[5];
} Slot;

static const int64_t AHEAD[4] = {1, SIZE, -1, -SIZE}; /* east, south, west, north */
static uint8_t decode[256][3], spread[1 << VIEW][1 << VIEW];
static uint32_t packed[256];

__attribute__((constructor)) static void tables(void) {
    for (int code = 0; code < 256; code++) {
        int kind = code & KIND, closed = kind == CLOSED || kind == LOCKED;
        decode[code][0] = closed ? DOOR : kind;
        decode[code][1] = (code & COLOR) >> 4;
        decode[code][2] = closed ? kind - CLOSED + 1 : 0;
        packed[code] = decode[code][0] | decode[code][1] << 8 | decode[code][2] << 16;
    }
    for (int clear = 0; clear < 1 << VIEW; clear++)
        for (int row = 0; row < 1 << VIEW; row++) {
            int lit = row & clear;
            for (int k = 0; k < VIEW; k++) lit |= clear & (lit << 1 | lit >> 1);
            spread[clear][row] = (lit | lit << 1 | lit >> 1) & ((1 << VIEW) - 1);
        }
}

int64_t record_size(void) { return sizeof(Record); }

static inline int64_t randint(Record *s, int64_t size) {
    uint64_t word = s->rng += 0x9E3779B97F4A7C15u;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return (int64_t)((((word ^ (word >> 31)) >> 32) * (uint64_t)size) >> 32);
}

static inline int vacant(const Record *s, int64_t x, int64_t y) {
    return s->level.grid[y][x] == EMPTY && !(x == s->level.x && y == s->level.y);
}

/* A random vacant cell of a rectangle from (1, 1) on; (0, 0) where there is none. */
static void spot(Record *s, int64_t width, int64_t height, int64_t *at_x, int64_t *at_y) {
    int64_t count = 0, found_x = 0, found_y = 0;
    for (int64_t y = 1; y <= height; y++)
        for (int64_t x = 1; x <= width; x++) count += vacant(s, x, y);
    if (count) {
        int64_t left = randint(s, count);
        for (int64_t y = 1; y <= height; y++)
            for (int64_t x = 1; x <= width; x++)
                if (vacant(s, x, y) && left-- == 0) {
                    found_x = x, found_y = y;
                    goto found;
                }
    }
found:
    *at_x = found_x, *at_y = found_y;
}

static void generate(Record *s) {
    memset(s->level.grid, GREY_WALL, sizeof s->level.grid);
    for (int y = 1; y < SIZE - 1; y++) memset(&s->level.grid[y][1], EMPTY, SIZE - 2);
    s->level.grid[SIZE - 2][SIZE - 2] = GREEN | GOAL;
    int64_t split = 2 + randint(s, SIZE - 4), x, y;
    for (int row = 0; row < SIZE; row++) s->level.grid[row][split] = GREY_WALL;
    s->level.x = s->level.y = 0;
    spot(s, split - 1, SIZE - 2, &s->level.x, &s->level.y);
    s->level.direction = randint(s, 4);
    s->level.grid[1 + randint(s, SIZE - 3)][split] = OPAQUE | YELLOW | LOCKED;
    spot(s, split - 1, SIZE - 2, &x, &y);
    s->level.grid[y][x] = YELLOW | KEY;
}

static void reset(Record *s) {
    if (!s->level_given) generate(s);
    memset(s->grid, GREY_WALL, sizeof s->grid);
    memcpy(s->grid + MARGIN * SIZE, s->level.grid, sizeof s->level.grid);
    s->agent = (s->level.y + MARGIN) * SIZE + s->level.x;
    s->direction = s->level.direction;
    s->carrying = EMPTY;
}

static inline int act(Record *s, int64_t action) {
    if (action == LEFT) {
        s->direction = (s->direction + 3) & 3;
        return UNSEEN;
    }
    if (action == RIGHT) {
        s->direction = (s->direction + 1) & 3;
        return UNSEEN;
    }
    int64_t cell = s->agent + AHEAD[s->direction];
    uint8_t *ahead = &s->grid[cell];
    int code = *ahead, kind = code & KIND, color = code & COLOR;
    switch (action) {
    case FORWARD:
        if (WALKABLE >> kind & 1) {
            s->agent = cell;
            return kind;
        }
        break;
    case PICKUP:
        if (s->carrying == EMPTY && PORTABLE >> kind & 1) {
            s->carrying = code;
            *ahead = EMPTY;
        }
        break;
    case DROP:
        if (kind == EMPTY) {
            *ahead = s->carrying;
            s->carrying = EMPTY;
        }
        break;
    case TOGGLE:
        if (kind == CLOSED || (kind == LOCKED && s->carrying == (color | KEY))) *ahead = color | DOOR;
        else if (kind == DOOR) *ahead = OPAQUE | color | CLOSED;
        else if (kind == BOX) *ahead = EMPTY;
    }
    return UNSEEN;
}

static inline void step(Record *s, const int64_t *actions, double *rewards) {
    int entered = act(s, actions[0]);
    if (entered == GOAL) {
        rewards[0] = 1.0 - 0.9 * ((double)s->t / (double)s->horizon);
        s->terminated = 1;
    }
    if (entered == LAVA) s->terminated = 1;
    if (s->t >= s->horizon) s->truncated = 1;
}

static inline __attribute__((always_inline)) void look(const Record *s, int64_t ahead, int64_t right, Slot *out) {
    const uint8_t *nearest = s->grid + s->agent - MIDDLE * right, *row = nearest;
    uint64_t seen = 0;
    unsigned lit = 1 << MIDDLE;
    for (int j = VIEW - 1; j >= 0; j--) {
        unsigned clear = 0;
        for (int i = 0; i < VIEW; i++) clear |= (unsigned)(row[i * right] < OPAQUE) << i;
        unsigned onward = spread[clear][lit];
        seen |= (uint64_t)(lit | onward) << (8 * j);
        lit = onward;
        row += ahead;
    }
    const uint8_t *farthest = nearest + (VIEW - 1) * ahead;
    for (int i = 0; i < VIEW; i++)
        for (int j = 0; j < VIEW; j++) {
            uint32_t cell = packed[farthest[i * right - j * ahead]] & -(uint32_t)(seen >> (8 * j + i) & 1);
            memcpy(out->image[i][j], &cell, 4); /* the fourth byte is the next cell's, or the slot's last, unused */
        }
    memcpy(out->image[MIDDLE][VIEW - 1], decode[s->carrying], 3);
    out->direction = s->direction;
}

static inline void observe(const Record *s, Slot *out) {
    switch (s->direction) { /* each compiled with its steps as constants */
    case 0: look(s, 1, SIZE, out); break;
    case 1: look(s, SIZE, -1, out); break;
    case 2: look(s, -1, -SIZE, out); break;
    default: look(s, -SIZE, 1, out);
    }
}

int64_t run(Record *records, const int64_t *actions, int8_t *commands, Slot *observations, int8_t *masks,
            int8_t *acting, double *rewards, uint8_t *terminations, uint8_t *truncations, uint8_t *finished,
            int64_t num) {
    for (int64_t i = 0; i < num; i++)
        if (commands[i] == STEP && acting[i]) {
            int64_t action = actions[i];
            if (action < 0 || action >= ACTIONS || !masks[i * ACTIONS + action]) return i;
        }
    for (int64_t i = 0; i < num; i++) {
        Record *s = records + i;
        rewards[i] = 0;
        if (commands[i] == SKIP) {
            commands[i] = finished[i] ? RESET : STEP;
            continue;
        }
        if (commands[i] == STEP) {
            s->t++;
            step(s, actions + i, rewards + i);
        } else if (commands[i] == RESET) {
            s->t = 0;
            s->terminated = s->truncated = 0;
            reset(s);
            s->level_given = 0;
        }
        int over = s->terminated || s->truncated;
        memset(masks + i * ACTIONS, !over, ACTIONS);
        acting[i] = !over;
        terminations[i] = s->terminated != 0;
        truncations[i] = s->truncated != 0;
        finished[i] = over;
        commands[i] = over ? RESET : STEP;
        observe(s, observations + i);
    }
    return -1;
}
