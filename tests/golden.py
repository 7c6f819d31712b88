"""Golden playthroughs: an episode of each world between baselines, stored as a replay, and digests of all it showed.

    python tests/golden.py Harvest Coins         # make those of new worlds; with --force, also of worlds that have one

Make one again only where a world is meant to play differently, which is a new version of the world.
"""

import argparse
import json
from hashlib import blake2b
from pathlib import Path

from envsuite import registry
from envsuite.cli.common import cast_of
from envsuite.cli.gallery import cast
from envsuite.episodes.replay import Replay
from envsuite.episodes.session import Session
from envsuite.testing.case import content

DATA = Path(__file__).parent / "data"
SEEDS, STEPS = range(1, 11), 60


def file(id: str) -> Path:
    return DATA / registry.short_name(id) / "golden.replay"


def stored(id: str) -> dict[str, str]:
    """The digests of a world's episode."""
    return json.loads(file(id).with_suffix(".json").read_text())


def digests(replay: Replay) -> dict[str, str]:
    """A digest of each part of a batch over all moments, and under "steps" one of all parts up to each moment."""
    names = ("records", "observations", "masks", "rewards", "terminations", "truncations")
    parts, everything, steps = {name: blake2b(digest_size=8) for name in names}, blake2b(digest_size=2), ""
    for step in range(len(replay) + 1):
        batch = replay.batch_at(step)
        for name in names:
            shown = content(getattr(batch, name))
            parts[name].update(shown)
            everything.update(shown)
        steps += everything.hexdigest()
    return {**{name: part.hexdigest() for name, part in parts.items()}, "steps": steps}


def make(id: str) -> Replay:
    """The episode of the first seed with a return other than 0, or else of the last seed."""
    world = registry.build(id)
    for seed in SEEDS:
        session = Session(world, cast_of(world, cast(world)), seed)
        for _ in session.play(STEPS):
            pass
        if session.returns.any():
            break
    return session.timeline.replay(session.players())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("worlds", nargs="+", metavar="World", help="ids; the namespace and version may be left out")
    parser.add_argument("--force", action="store_true", help="replace stored playthroughs")
    arguments = parser.parse_args()
    ids = [registry.spec(name).id for name in arguments.worlds]
    there = [registry.short_name(id) for id in ids if file(id).exists()]
    if there and not arguments.force:
        parser.error(f"{', '.join(there)}: stored already; --force replaces it")
    for id in ids:
        made = make(id)
        file(id).parent.mkdir(exist_ok=True)
        made.save(file(id))
        file(id).with_suffix(".json").write_text(json.dumps(digests(made), indent=1) + "\n")
        print(f"{registry.short_name(id)}: {len(made)} steps, {file(id).stat().st_size} bytes", flush=True)


if __name__ == "__main__":
    main()
