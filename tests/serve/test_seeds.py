"""Seeds of tables: what nobody can derive, and what a journal rebuilds."""

import asyncio

import numpy as np
import pytest

from envsuite.core.errors import ParameterError
from envsuite.episodes.replay import Replay
from envsuite.serve.host import Host
from envsuite.serve.journal import Journal, read
from envsuite.serve.plan import Condition
from envsuite.serve.settings import Settings
from envsuite.serve.tables import Table


async def over(table, rng):
    """Play the episode of a table to its end."""
    number = 0
    for a in table.people:
        if a not in table.digests:
            table.take(a)
    while not table.session.over:
        while (seat := table.session.waiting()) is not None:
            number += 1
            legal = np.flatnonzero(table.session.batch.masks[0, seat])
            await table.act(seat, {"act": int(rng.choice(legal)), "n": number})
        await table.step()


@pytest.mark.parametrize("world", ["HoldEm", "Werewolf", "Hanabi", "LiarsDice", "BridgeBidding"])
def test_two_tables_deal_differently(world, tmp_path):
    host = Host(tmp_path, [Settings(world)])
    made = [host.open(host.offers[0]) for _ in range(3)]
    seeds = {table.session.start.seed for table in made}
    assert len(seeds) == 3 and max(seeds) > 2**50
    assert len({table.session.batch.records.tobytes() for table in made}) == 3
    host.close()


def test_the_next_episode_cannot_be_derived(tmp_path, monkeypatch):
    """Its seed does not exist before it begins, and it depends on nothing but the system's random bits."""
    drawn = iter([5, 99, 5, 1234])
    monkeypatch.setattr("envsuite.serve.tables.secrets.randbits", lambda bits: next(drawn) if bits == 64 else 1 / 0)

    async def play():
        found = []
        for _ in range(2):
            table = Table.create(tmp_path, Settings("KuhnPoker"))
            await over(table, np.random.default_rng(0))
            await table.again()
            found.append(table.session)
        return found

    one, two = asyncio.run(play())
    assert (one.start.seed, two.start.seed) == (99, 1234)
    assert one.batch.records["rng"].tolist() != two.batch.records["rng"].tolist()


def test_a_journal_rebuilds_all_episodes(tmp_path):
    async def play():
        table, rng = (
            Table.create(tmp_path, Settings("LeducPoker", seats={"player_1": "random"})),
            np.random.default_rng(0),
        )
        seeds = []
        for _ in range(3):
            seeds.append(table.session.start.seed)
            await over(table, rng)
            await table.again()
        seeds.append(table.session.start.seed)
        again = Table(Journal(table.journal.path, write=False))
        assert again.session.start == table.session.start
        assert again.session.batch.records.tobytes() == table.session.batch.records.tobytes()
        assert again.session.cast.get_state() == table.session.cast.get_state()
        kept = [event["seed"] for event in read(table.journal.path).events if "seed" in event]
        return seeds, kept

    seeds, kept = asyncio.run(play())
    assert kept == seeds and len(set(seeds)) == 4
    assert np.abs(np.diff(np.array(seeds, float))).min() > 2**32  # they do not count up
    replays = [Replay.load(path) for path in tmp_path.glob("*.replay")]
    assert sorted(replay.start.seed for replay in replays) == sorted(seeds[:3])
    for replay in replays:
        replay.verify()


def test_a_given_seed_is_for_reproduction(tmp_path):
    async def play():
        found = []
        for _ in range(2):
            table = Table.create(tmp_path, Settings("KuhnPoker", seed=2**64 - 1))
            await over(table, np.random.default_rng(0))
            await table.again()
            found.append((table.session.start.seed, table.session.batch.records.tobytes()))
        return found

    one, two = asyncio.run(play())
    assert one == two and one[0] == 0  # the seed after the last


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, True, "7"])
def test_seeds_that_are_none(seed):
    with pytest.raises(ParameterError, match="seed="):
        Settings("KuhnPoker", seed=seed)


def test_studies_draw_new_seeds_by_default():
    assert Condition(name="a", world="MatrixGame").settings().seed is None
    assert Condition(name="a", world="MatrixGame", seed="new").settings().seed is None
    assert Condition(name="a", world="MatrixGame", seed=3).settings().seed == 3
