/* The kernel of envsuite/games/connect_four.py in C, with the batch loop around it: the yardstick of its speed.
   Same rules, records, commands, observations and masks; actions are checked before anything is written. */

#include <stdint.h>
#include <string.h>

enum { ROWS = 6, COLUMNS = 7, CELLS = ROWS * COLUMNS, LINES = 3 * (ROWS + COLUMNS) - 2 };
enum { SKIP, STEP, RESET, OBSERVE };

typedef struct {
    uint64_t rng;
    int64_t t;
    uint8_t terminated[2], truncated[2], level_given;
    int64_t connect;
    uint8_t player;
    int64_t count;
    uint8_t heights[COLUMNS];
    int64_t won;
    int8_t seen[2][ROWS][COLUMNS][2];
    uint16_t lines[2][LINES];
    struct __attribute__((packed)) {
        int64_t length;
        uint8_t moves[CELLS];
    } level;
} Record;

int64_t record_size(void) { return sizeof(Record); }

static void reset(Record *s) {
    s->player = 0;
    s->count = 0;
    s->won = 0;
    memset(s->heights, 0, sizeof s->heights);
    memset(s->seen, 0, sizeof s->seen);
    memset(s->lines, 0, sizeof s->lines);
    s->level.length = 0;
}

static inline uint64_t put(Record *s, int64_t player, int64_t line, int64_t place) {
    return s->lines[player][line] |= (uint16_t)(1 << place);
}

static inline void drop(Record *s, int64_t column) {
    int64_t player = s->player, row = s->heights[column];
    s->seen[player][row][column][0] = 1;
    s->seen[1 - player][row][column][1] = 1;
    /* The four lines side by side in one word. */
    uint64_t discs = put(s, player, row, column) | put(s, player, ROWS + column, row) << 16 |
                     put(s, player, ROWS + COLUMNS + row + column, column) << 32 |
                     put(s, player, 2 * ROWS + 3 * COLUMNS - 2 + row - column, column) << 48;
    for (int64_t k = 1; k < s->connect; k++) discs &= discs >> 1 & 0x7FFF7FFF7FFF7FFFu;
    s->won = discs != 0;
    s->heights[column]++;
    s->count++;
    s->player = 1 - player;
}

static inline void step(Record *s, const int64_t *actions, double *rewards) {
    int64_t player = s->player;
    drop(s, actions[player]);
    if (s->won) {
        rewards[player] = 1;
        rewards[1 - player] = -1;
    }
    s->terminated[0] = s->terminated[1] = s->won || s->count == CELLS;
}

int64_t run(Record *records, const int64_t *actions, int8_t *commands, int8_t *observations, int8_t *masks,
            int8_t *acting, double *rewards, uint8_t *terminations, uint8_t *truncations, uint8_t *finished,
            int64_t num) {
    for (int64_t i = 0; i < num; i++)
        if (commands[i] == STEP)
            for (int64_t a = 0; a < 2; a++) {
                int64_t action = actions[2 * i + a];
                if (acting[2 * i + a] && (action < 0 || action >= COLUMNS || !masks[(2 * i + a) * COLUMNS + action]))
                    return 2 * i + a;
            }
    for (int64_t i = 0; i < num; i++) {
        Record *s = records + i;
        rewards[2 * i] = rewards[2 * i + 1] = 0;
        if (commands[i] == SKIP) {
            commands[i] = finished[i] ? RESET : STEP;
            continue;
        }
        if (commands[i] == STEP) {
            s->t++;
            step(s, actions + 2 * i, rewards + 2 * i);
        } else if (commands[i] == RESET) {
            s->t = 0;
            memset(s->terminated, 0, 2);
            memset(s->truncated, 0, 2);
            reset(s);
            s->level_given = 0;
        }
        int everyone = 1;
        for (int64_t a = 0; a < 2; a++) {
            int8_t *mask = masks + (2 * i + a) * COLUMNS, any = 0;
            int over = s->terminated[a] || s->truncated[a];
            everyone &= over;
            for (int64_t c = 0; c < COLUMNS; c++) {
                mask[c] = !over && s->player == a && s->heights[c] < ROWS;
                any |= mask[c];
            }
            acting[2 * i + a] = any;
            terminations[2 * i + a] = s->terminated[a] != 0;
            truncations[2 * i + a] = s->truncated[a] != 0;
            memcpy(observations + (2 * i + a) * 2 * CELLS, s->seen[a], 2 * CELLS);
        }
        finished[i] = everyone;
        commands[i] = everyone ? RESET : STEP;
    }
    return -1;
}
