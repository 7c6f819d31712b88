"""`Generator`: one kind of level, compiled and seeded; inside a world's reset, and alone through `generate`.

A generator is a kernel ``make(s)`` that fills `s.level` from `s.params`, with draws from the record's own stream. A
world calls it in its `reset`; the world's record has the generator's `fields`, and its `params` hold the generator's
`values`. Alone, it runs over records that hold nothing else.
"""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from envsuite import registry
from envsuite.compile import tiers
from envsuite.compile.bound import Bound, bind
from envsuite.core.batch import Batch, compiled_run, stream_starts
from envsuite.core.errors import LevelError, ParameterError, UnknownIdError, reading, suggest
from envsuite.core.parameters import Checked, is_integer, layout, record_of, to_json
from envsuite.core.random import mix
from envsuite.core.ranges import bare
from envsuite.core.record import as_views
from envsuite.generators.kinds import KINDS
from envsuite.scale.job import Job, Part, packed, unpacked

if TYPE_CHECKING:
    from envsuite.core.world import World
    from envsuite.render.scene import Scene

Split = Literal["train", "test"] | None

#: The levels of a block.
BLOCK = 1024

#: One in this number of levels belongs to the test split; the content of a level decides.
TEST_SHARE = 5


class Level(dict[str, Any]):
    """A level as plain data; notebooks show its picture if it has a kind."""

    def _repr_svg_(self) -> str | None:
        return picture(self).svg() if "kind" in self else None


class Generator(metaclass=Checked):
    """One kind of level. A subclass has the kernels and calls `define` in its constructor.

    Subclasses override `decode`, `encode`, `describe` and `scene`. Parameters are declared as those of worlds.
    """

    #: ``make(s)`` fills every field of `s.level`.
    make: ClassVar[Any]
    #: ``change(s)`` makes a small change to `s.level` that keeps it sound.
    change: ClassVar[Any] = None

    kind: str
    parameters: dict[str, Any]
    #: What a world with these levels adds to its record and to its `params`.
    fields: list[tuple[str, np.dtype]]
    values: dict[str, Any]

    def __new__(cls, **_: Any) -> Self:
        made = super().__new__(cls)
        made.kind = next((kind for kind, place in KINDS.items() if place.endswith(f":{cls.__name__}")), cls.__name__)
        return made

    def __reduce__(self) -> Any:
        return partial(type(self), **self.parameters), ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.parameters.items())})"

    def define(
        self, *, level: Sequence[tuple], params: Mapping[str, Any] | None = None, scratch: Sequence[tuple] = ()
    ) -> None:
        """Set the fields of `s.level`, as in `World.define`, and the tunable numbers in `s.params`.

        `scratch` are the fields of `s.scratch`, which the kernels use while they run and leave at zero.
        """
        self.values = dict(params or {})
        self.fields = [("level", np.dtype(list(level), align=True))]
        if scratch:
            self.fields.append(("scratch", np.dtype(list(scratch), align=True)))
        settings = record_of(type(self).__name__, self.values)
        made = layout(type(self).__name__, [("rng", np.uint64), ("params", settings.dtype), *self.fields])
        self.record = bare(made)
        self._first = np.zeros(1, self.record)
        self._first["params"] = settings

    def records(self, num: int) -> np.ndarray:
        """(num,) records with this generator's parameters."""
        return np.repeat(self._first, num)

    # What a subclass overrides; `s` is a record, a level is plain data.

    def decode(self, s: Any) -> dict[str, Any]:
        """The level of a record as plain data."""
        raise NotImplementedError

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        """Fill `s.level` from plain data, or raise `LevelError` that says what is wrong."""
        raise NotImplementedError

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        """The generator with default parameters whose levels have the size of this one."""
        return cls()

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """Figures of a level: "size", "solvable", "difficulty", and those of the kind."""
        raise NotImplementedError

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The picture of a level."""
        raise NotImplementedError


def _make(records, wanted, first, last):
    """Fill the levels of the wanted records among first .. last - 1."""
    for i in range(np.uint64(first), np.uint64(last)):
        if wanted[i]:
            make(records[i])
    return 0


def make(s: Any) -> None:
    """The kernel that a call of `_make` is bound to."""
    raise NotImplementedError


@cache
def _bound(name: str, kernel: Any, title: str) -> Bound:
    return bind(_make, f"generator.{name}", title=title, make=kernel)


def over_records(generator: Generator, kernel: Any, name: str) -> Bound:
    """The loop over records of a generator's kernel."""
    path = f"{type(generator).__module__}.{type(generator).__qualname__}.{name}"
    return _bound(path, kernel, f"the generator of {generator.kind}")


def _run(
    generator: Generator, kernel: Any, name: str, records: np.ndarray, wanted: np.ndarray, compiled: bool | None = None
) -> None:
    arguments = records, wanted, 0, len(records)
    tiers.entry(over_records(generator, kernel, name), arguments, compiled, join=operator.add)(*arguments)


def generator_class(kind: str) -> type[Generator]:
    """The generators of a kind of level; `UnknownIdError` names near matches."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise UnknownIdError(f"there is no kind of level {kind!r}{suggest(str(kind), KINDS)}")
    return registry.resolve(KINDS[kind])


def generator(kind: str, **params: Any) -> Generator:
    """The generator of a kind of level with these parameters."""
    return generator_class(kind)(**params)


def source_class(kind: str) -> type[Generator] | type[World]:
    """What makes levels: the generator of a kind of level, or the world with this id."""
    if isinstance(kind, str) and kind in KINDS:
        return generator_class(kind)
    try:
        return registry.world_class(kind)
    except UnknownIdError:
        near = suggest(str(kind), [*KINDS, *map(registry.short_name, registry.ids())])
        raise UnknownIdError(f"there is no kind of level and no world {kind!r}{near}") from None


def fill(made: Generator, records: np.ndarray, split: Split = None) -> None:
    """Make new levels in all records, drawn from their own streams; levels of the other split are drawn again."""

    def draw(wanted: np.ndarray) -> None:
        _run(made, type(made).make, "make", records, wanted)

    _draw_split(made.kind, len(records), draw, lambda wanted: in_test(records["level"][wanted]), split)


def draw_levels(world: World, seeds: Sequence[int], split: Split = None) -> list[dict[str, Any]]:
    """The levels that a world draws for episodes with these seeds; levels of the other split are drawn again.

    A world with a parameter `split` draws from its own split.
    """
    if split is not None and "split" in world.parameters:
        world, split = registry.build_class(type(world), {**world.parameters, "split": split}), None
    batch = Batch(world, len(seeds))
    batch.records["rng"] = stream_starts(seeds)
    levels: list[dict[str, Any]] = [{}] * batch.num

    def draw(wanted: np.ndarray) -> None:
        batch.start(where=wanted)
        for k in np.flatnonzero(wanted).tolist():
            levels[k] = Level(world.get_level(batch.record(k)))

    def test(wanted: np.ndarray) -> np.ndarray:
        return starts_in_test(batch.records[wanted], (levels[k] for k in np.flatnonzero(wanted).tolist()))

    _draw_split(world.id, batch.num, draw, test, split)
    return levels


def _draw_split(
    name: str,
    num: int,
    draw: Callable[[np.ndarray], None],
    test: Callable[[np.ndarray], np.ndarray],
    split: Split,
) -> None:
    """Draw `num` levels until all are in the split.

    ``draw(wanted)`` draws the levels where (num,) bool says so; ``test(wanted)`` says which of these are in the test
    split.
    """
    if split not in (None, "train", "test"):
        raise ParameterError(f"split={split!r} must be 'train', 'test' or None")
    wanted = np.ones(num, np.bool_)
    for _ in range(1000):
        draw(wanted)
        if split is None:
            return
        wanted[wanted] = test(wanted) != (split == "test")
        if not wanted.any():
            return
    raise ParameterError(f"{name}: no level of the {split} split was found: the levels are too small to be split")


def in_test(levels: np.ndarray) -> np.ndarray:
    """Which of N levels, as records hold them, belong to the test split: (N,) bool."""
    return content(levels) % np.uint64(TEST_SHARE) == 0


def content(levels: np.ndarray) -> np.ndarray:
    """A uint64 number for the content of each of N levels; equal levels have equal numbers."""
    number = np.zeros(len(levels), np.uint64)
    for name in levels.dtype.names or ():  # field by field: bytes between fields are undefined
        part = np.ascontiguousarray(levels[name]).reshape(len(levels), -1)
        for column in part.view(np.uint8).reshape(len(levels), -1).T:
            number = (number ^ column) * np.uint64(0x100000001B3)
    return mix(number)


def starts_in_test(records: np.ndarray, levels: Iterable[Mapping[str, Any]]) -> np.ndarray:
    """Which of N episodes of a world that have just started from these levels belong to the test split: (N,) bool.

    Where records hold the level of a generator, its content decides; elsewhere the level as plain data.
    """
    if "level" in (records.dtype.names or ()):
        return in_test(records["level"])
    return np.array([int(levels_digest([level])[:8], 16) % TEST_SHARE == 0 for level in levels])


def levels_digest(levels: Sequence[Mapping[str, Any]]) -> str:
    """A digest of levels as plain data."""
    return hashlib.blake2b(json.dumps(levels, sort_keys=True).encode(), digest_size=16).hexdigest()


def generate(kind: str, seed: int = 0, split: Split = None, **params: Any) -> dict[str, Any]:
    """One level as plain data that JSON can hold; worlds of its kind take it as ``options["level"]``.

    Args:
        kind: one of `KINDS`, or a world's id for a level as the world draws it itself.
        seed: the level's number: equal seeds give equal levels.
        split: "train" or "test"; no level is in both, whatever the seeds. Without it, any level.
        params: the parameters of the generator or of the world.
    """
    return generate_many(kind, 1, seed, split, **params)[0]


def generate_many(kind: str, n: int, seed: int = 0, split: Split = None, **params: Any) -> list[dict[str, Any]]:
    """`n` levels of a kind: number k is ``generate(kind, seed + k)``. The arguments are those of `generate`."""
    return _made(_source(kind, params), _count(n), _seed(seed), split)


def _source(kind: str, params: Mapping[str, Any]) -> Generator | World:
    """The generator or the world with these parameters."""
    cls = source_class(kind)
    return cls(**params) if issubclass(cls, Generator) else registry.build_class(cls, params)


def _count(n: int) -> int:
    if not is_integer(n) or n < 1:
        raise ParameterError(f"n={n!r} must be a positive integer")
    return int(n)


def _made(made: Generator | World, n: int, first: int, split: Split) -> list[dict[str, Any]]:
    seeds = [_seed(first + k) for k in range(n)]
    if not isinstance(made, Generator):
        return draw_levels(made, seeds, split)
    records = made.records(n)
    records["rng"] = stream_starts(seeds)
    fill(made, records, split)
    return [plain(made, s) for s in as_views(records)]


class Levels(Job):
    """Levels of a kind as a job; its result is what `generate_many` returns.

    Args:
        level_kind, n, seed, split, params: see `generate_many`.
    """

    kind = "levels"

    def __init__(
        self,
        level_kind: str,
        n: int,
        seed: int = 0,
        split: Split = None,
        params: Mapping[str, Any] | None = None,
    ):
        self.level_kind, self.n, self.seed, self.split = level_kind, _count(n), _seed(seed), split
        _seed(self.seed + self.n - 1)
        self.source = _source(level_kind, params or {})
        self.size = BLOCK
        self.blocks = -(-self.n // self.size)

    def header(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "levels": self.level_kind,
            "version": registry.__version__,
            "params": to_json(self.source.parameters, str),
            "split": self.split,
            "seed": self.seed,
        }

    def key(self, k: int) -> dict[str, Any]:
        return {"first": k * self.size, "levels": self.units(k)}

    def code(self) -> str:
        if isinstance(self.source, Generator):
            return over_records(self.source, type(self.source).make, "make").rules
        return compiled_run(self.source).rules

    def units(self, k: int) -> int:
        return min(self.size, self.n - k * self.size)

    def work(self, k: int, progress: Callable[[int], None] | None = None) -> Part:
        levels = _made(self.source, self.units(k), self.seed + k * self.size, self.split)
        if progress is not None:
            progress(len(levels))
        return {"levels": packed(levels)}

    def fits(self, k: int, part: Part) -> bool:
        return set(part) == {"levels"} and len(unpacked(part["levels"])) == self.units(k)

    def reduce(self, parts: Sequence[Part]) -> list[dict[str, Any]]:
        return [Level(level) for part in parts for level in unpacked(part["levels"])]


def _seed(seed: Any) -> int:
    """A checked seed."""
    if not is_integer(seed) or not 0 <= seed < 2**64:
        raise ParameterError(f"seed={seed!r} must be an integer from 0 to 2**64 - 1")
    return int(seed)


def plain(made: Generator, s: Any) -> dict[str, Any]:
    """The level of a record as plain data, its kind included."""
    return Level(kind=made.kind, **made.decode(s))


def _held(level: Mapping[str, Any]) -> tuple[Generator, np.ndarray]:
    """The generator that a level belongs to, and a record that holds the level; `LevelError` if it is broken."""
    if not (isinstance(level, Mapping) and isinstance(level.get("kind"), str) and level["kind"] in KINDS):
        raise LevelError(f"a level is a mapping whose 'kind' is one of {', '.join(KINDS)}, not {level!r:.80}")
    with reading(f"the level of kind {level['kind']!r}"):
        made = generator_class(level["kind"]).of(level)
        records = made.records(1)
        made.encode(as_views(records)[0], level)
    return made, records


def split_of(level: Mapping[str, Any]) -> Literal["train", "test"]:
    """The split that a level belongs to."""
    _, records = _held(level)
    return "test" if in_test(records["level"])[0] else "train"


def mutate(level: Mapping[str, Any], seed: int = 0) -> dict[str, Any]:
    """A level with one small change that keeps it sound, such as one more or one less wall."""
    made, records = _held(level)
    if made.change is None:
        raise LevelError(f"levels of kind {made.kind!r} cannot be changed")
    records["rng"] = stream_starts([_seed(seed)])
    _run(made, type(made).change, "change", records, np.ones(1, np.bool_))
    return plain(made, as_views(records)[0])


def describe(level: Mapping[str, Any]) -> dict[str, Any]:
    """Figures of a level: "kind", "size" (height, width), "solvable", "difficulty", and those of the kind."""
    made, records = _held(level)
    return {"kind": made.kind, **made.describe(plain(made, as_views(records)[0]))}


def picture(level: Mapping[str, Any]) -> Scene:
    """The picture of a level."""
    made, records = _held(level)
    return made.scene(plain(made, as_views(records)[0]))
