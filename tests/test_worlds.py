"""The battery: every registered world keeps every promise of `envsuite.testing`."""

import pytest

import envsuite
from envsuite.testing import CHECKS, check_world

#: Parameters under which a world is checked as well: other numbers of agents, other modes.
VARIANTS = {
    "envsuite/ConnectFour-v0": [dict(rows=4, columns=5, connect=3)],
    "envsuite/KuhnPoker-v0": [dict(players=3)],
    "envsuite/DoorKey-v0": [dict(size=5)],
    "envsuite/Harvest-v0": [dict(map="partnership", players=3)],
    "envsuite/Fishery-v0": [dict(newcomer=True), dict(language=False)],
    "envsuite/OffSwitch-v0": [dict(rounds=5)],
}

CASES = [(id, params) for id in envsuite.ids() for params in [{}, *VARIANTS.get(id, [])]]


@pytest.mark.parametrize(
    "id, params", CASES, ids=[f"{id}-{'-'.join(map(str, p.values()))}".rstrip("-") for id, p in CASES]
)
def test_world_conforms(id, params):
    report = check_world(id, **params)
    assert report.checks == [check.__name__ for check in CHECKS]


def test_ids_are_the_registered_ones():
    assert [id for id in envsuite.ids() if id.startswith("envsuite/")] == sorted(VARIANTS)
