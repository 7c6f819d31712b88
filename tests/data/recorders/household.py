"""Record episodes of Mini-BEHAVIOR: python HERE/tests/data/recorders/household.py FILE.npz [PLANS.json]

HERE is the folder of this repository; the current folder must be that of StanfordVL/mini_behavior, commit 37cbc3f, with
gym 0.26.2, gym-minigrid 1.0.3, numpy < 2, pillow and matplotlib. Actions are random, but often lead to a thing and try
what can be done with it; none is `cook`. PLANS has more episodes, lists of [activity, size, seed, actions]: those of
our planner from starts of a file without them.

Starts are the source's own, with three repairs: an object that is in the grid twice is taken out of the place where it
is not; an object whose place another one has taken gets the lowest free layer of its cell; and the goal of
`moving_boxes_to_storage`, which raises an error, is that one carton is on top of the other. The seed is a RandomState.

Numbers of activities, furniture and objects are those of envsuite/gridworlds/household/activities.py. Entries that
begin with "start" have a row for each episode, others a row for each step, after it. Columns of objects are x, y,
layer, 1 + the number of the furniture that it is inside of, and states; of a held object 0, but for states. "view" has
rows for the first steps of the first episode of each activity, "kinds" a row for each kind, see `kind_row`.
"""

import importlib.util
import json
import signal
import sys
from collections import deque
from pathlib import Path

sys.path.insert(0, ".")
import numpy as np
from mini_behavior import envs
from mini_behavior.minibehavior import ACTION_FUNC_MAPPING, OBJECT_CLASS, OBJECT_TO_IDX, MiniBehaviorEnv, WorldObj

file = Path(__file__).parents[3] / "envsuite/gridworlds/household/activities.py"
spec = importlib.util.spec_from_file_location("home_activities", file)
homes = importlib.util.module_from_spec(spec)
sys.modules["home_activities"] = homes
spec.loader.exec_module(homes)

CLASSES = (
    "InstallingAPrinter", "OpeningPackages", "WateringHouseplants", "WashingPotsAndPans",
    "PuttingAwayDishesAfterCleaning", "StoringFood", "BoxingBooksUpForStorage", "SortingBooks", "SettingUpCandles",
    "OrganizingFileCabinet", "CollectMisplacedItems", "LayingWoodFloors", "CleaningShoes", "CleaningACar",
    "ThrowingAwayLeftovers", "ThawingFrozenFood", "MakingTea", "CleaningUpTheKitchenOnly", "MovingBoxesToStorage",
)  # fmt: skip
NAMES = {
    "fridge": "electric_refrigerator", "brush": "scrub_brush", "chips": "chip", "oil": "vegetable_oil",
    "plant": "pot_plant", "sneaker": "gym_shoe", "tea bag": "tea_bag",
}  # fmt: skip
ABILITIES = ("dustyable", "stainable", "openable", "toggleable", "soakable", "sliceable", "freezable")
DX, DY = (1, 0, -1, 0), (0, 1, 0, -1)
STEPS, VIEWS = 160, 4


def stacked(self):
    one, other = self.objs["carton"]
    return one.check_rel_state(self, other, "onTop") or other.check_rel_state(self, one, "onTop")


def seeded(self, seed=None):
    self.np_random = np.random.RandomState(seed)


def impatient(*_):
    raise TimeoutError


MiniBehaviorEnv.seed = seeded
envs.MovingBoxesToStorageEnv._end_conditions = stacked
signal.signal(signal.SIGALRM, impatient)


class Source:
    """An activity of the source, from a start of its own."""

    def __init__(self, activity, size, seed):
        np.random.seed(seed)
        self.activity, self.env = activity, getattr(envs, CLASSES[activity] + "Env")(room_size=size)
        self.env.seed(seed)
        signal.alarm(4)
        self.env.reset()
        signal.alarm(0)
        self.things = {}
        for t in range(homes.THINGS):
            if kind := int(homes.KIND_OF[activity, t]):
                name = homes.KINDS[kind]
                self.things[t] = self.env.objs[NAMES.get(name, name)][int(homes.NUMBER[activity, t]) - 1]
        self.pieces = [self.things[t] for t in range(homes.FURNITURE) if t in self.things]
        self.objects = [self.things[t] for t in range(homes.FURNITURE, homes.THINGS) if t in self.things]
        self.repair()
        self.env.update_states()

    def repair(self):
        grid = self.env.grid
        for x in range(grid.width):
            for y in range(grid.height):
                for layer, thing in enumerate(grid.get_all_objs(x, y)):
                    if thing is not None and tuple(thing.cur_pos) != (x, y):
                        grid.set(x, y, None, layer)
        for thing in self.objects:
            cell = grid.get_all_objs(*thing.cur_pos)
            if thing not in cell:
                grid.set(*thing.cur_pos, thing, cell.index(None))

    def bits(self, thing):
        able = thing.get_ability_values(self.env)
        return sum(1 << k for k, name in enumerate(ABILITIES) if able.get(name))

    def row(self, thing):
        inside = 1 + self.pieces.index(thing.inside_of) if thing.inside_of is not None else 0
        if thing in self.env.carrying:
            return [0, 0, 0, 0, self.bits(thing)]
        layer = self.env.grid.get_all_objs(*thing.cur_pos).index(thing)
        return [*map(int, thing.cur_pos), layer, inside, self.bits(thing)]

    def state(self):
        env, objects, pieces = self.env, np.zeros((homes.OBJECTS, 5)), np.zeros(homes.FURNITURE)
        for k, thing in enumerate(self.objects):
            objects[k] = self.row(thing)
        pieces[: len(self.pieces)] = [self.bits(thing) for thing in self.pieces]
        held = [1 + self.objects.index(thing) for thing in env.carrying] or [0]
        return {"agent": [*map(int, env.agent_pos), env.agent_dir, *held], "objects": objects, "pieces": pieces}

    def start(self):
        corners = np.zeros((homes.FURNITURE, 2))
        for k, thing in enumerate(self.pieces):
            corners[k] = thing.cur_pos
        doors = getattr(self.env, "doors", [])
        return {**self.state(), "corners": corners, "door": doors[0].cur_pos[1] if doors else 0}

    def blocked(self, x, y):
        return any(thing is not None and not thing.can_overlap for thing in self.env.grid.get_all_items(x, y))

    def possible(self):
        """The actions that do something to what is in front."""
        env, found = self.env, []
        cell = env.grid.get(*env.front_pos)
        for action in env.actions:
            name = action.name
            if action < 3 or name == "cook":
                continue
            rule = ACTION_FUNC_MAPPING["drop_in" if name == "drop_in" else name.split("_")[0]](env)
            if name.startswith("drop"):
                for thing in env.carrying:
                    if rule.can(thing) and (name == "drop_in" or int(name[-1]) in thing.available_dims):
                        found.append(int(action))
            else:
                layers = [cell[int(name[-1])]] if name.startswith("pickup") else cell
                if any(thing is not None and rule.can(thing) for layer in layers for thing in layer):
                    found.append(int(action))
        return found

    def way(self, goal):
        """The actions that lead in front of a cell, or None."""
        start = (*map(int, self.env.agent_pos), int(self.env.agent_dir))
        queue, before = deque([start]), {start: None}
        while queue:
            state = x, y, facing = queue.popleft()
            if (x + DX[facing], y + DY[facing]) == goal:
                actions = []
                while before[state]:
                    state, action = before[state]
                    actions.append(action)
                return actions[::-1]
            front = x + DX[facing], y + DY[facing]
            moves = [(0, (x, y, (facing + 3) % 4)), (1, (x, y, (facing + 1) % 4))]
            for action, after in moves + [(2, (*front, facing))] * (not self.blocked(*front)):
                if after not in before:
                    before[after] = state, action
                    queue.append(after)
        return None

    def wish(self, rng):
        """A list of actions: go to a thing or to a free cell, and do something there."""
        cells = [tuple(map(int, cell)) for thing in self.pieces for cell in thing.all_pos]
        cells += [tuple(map(int, thing.cur_pos)) for thing in self.objects if thing not in self.env.carrying] * 3
        if self.env.carrying or not cells:
            cells.append(tuple(rng.integers(1, [self.env.width - 1, self.env.height - 1]).tolist()))
        return self.way(cells[rng.integers(len(cells))]) or []


def record(activity, size, seed, actions, views):
    """The rows of an episode, or None if the source finds no place for all things."""
    rng = np.random.default_rng(seed)
    try:
        source = Source(activity, size, seed)
    except TimeoutError:
        return None
    rows, todo = {"start_" + name: value for name, value in source.start().items()}, []
    steps = []
    choices = []

    def choose(values):
        choices.append(int(rng.integers(len(values))))
        return values[choices[-1]]

    for t in range(STEPS if actions is None else len(actions)):
        if actions is not None:
            action = actions[t]
        elif todo:
            action = todo.pop(0)
        elif (able := source.possible()) and rng.random() < 0.8:
            action = able[rng.integers(len(able))]
        else:
            todo = source.wish(rng)
            action = int(rng.choice([a for a in range(15) if a != 7], p=[0.07, 0.07, 0.09, *[0.07] * 11]))
        choices.clear()
        np.random.choice = choose
        seen, reward, done, _ = source.env.step(action)
        steps.append({
            "action": action, "choice": choices[0] if choices else 0, "reward": reward, "done": done, **source.state(),
        })  # fmt: skip
        if t < views:
            steps[-1]["view"] = seen["image"].swapaxes(0, 1)
        if done and actions is None:
            break
    return rows, steps


def kind_row(name):
    """The source's number of a kind, its states, and of furniture the layers that it fills and holds, and its size."""
    if name == "empty":
        return [OBJECT_TO_IDX[name], 0, 0, 0, 0, 0]
    thing = OBJECT_CLASS[name]() if name in OBJECT_CLASS else WorldObj(name, None, name)
    able = sum(1 << k for k, state in enumerate(ABILITIES) if state in thing.states)
    fills, holds = (sum(1 << k for k in part or ()) for part in (getattr(thing, "dims", ()), thing.can_contain))
    return [OBJECT_TO_IDX[name], able, fills, holds, thing.width * (fills > 0), thing.height * (fills > 0)]


def main(file, plans=None):
    todo = []
    for activity, least in enumerate(homes.LEAST.tolist()):
        for size, count in ((least, 4), (16, 2), (10, 2 * (least < 10))):
            todo += [[activity, size, 100 * size + k, None] for k in range(count)]
    if plans:
        todo += json.loads(Path(plans).read_text())
    held, seen = {}, {}
    for activity, size, seed, actions in todo:
        views = 0 if actions else VIEWS * 10
        found = record(activity, size, seed, actions, views if activity not in seen else 0)
        if found is None:
            print("no place:", homes.NAMES[activity], size, seed, flush=True)
            continue
        rows, steps = found
        if not actions:
            seen[activity] = True
        rows["start_kind"] = [activity, size, seed, len(steps)]
        for name, value in rows.items():
            held.setdefault(name, []).append(value)
        for step in steps:
            for name, value in step.items():
                held.setdefault(name, []).append(value)
        print(homes.NAMES[activity], size, seed, len(steps), "done" if steps[-1]["done"] else "", flush=True)
    held["kinds"] = [kind_row(NAMES.get(name, name)) for name in ("empty", *homes.KINDS[1:])]
    kinds = {name: np.float32 if name == "reward" else np.int32 if name == "start_kind" else np.uint8 for name in held}
    np.savez_compressed(file, **{name: np.array(value, kinds[name]) for name, value in held.items()})


if __name__ == "__main__":
    main(*sys.argv[1:])
