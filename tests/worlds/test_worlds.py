"""The battery: every registered world keeps every promise of `envsuite.testing`."""

import pytest

import envsuite
from envsuite.core.switches import BOUNDSCHECK
from envsuite.testing import CHECKS, check_world

#: Parameters under which a world is checked as well: other numbers of agents, other modes.
VARIANTS = {
    "envsuite/Chess-v0": [dict(draws="automatic")],
    "envsuite/ConnectFour-v0": [dict(rows=4, columns=5, connect=3)],
    "envsuite/TicTacToe-v0": [dict(rows=4, columns=5, connect=4)],
    "envsuite/Othello-v0": [dict(size=6)],
    "envsuite/Breakthrough-v0": [dict(rows=5, columns=4, ranks=2, weights=(0.0, 1.0, 0.5, 0.25))],
    "envsuite/Hex-v0": [dict(size=5, swap=False)],
    "envsuite/Go-v0": [dict(size=5, komi=3.0, max_moves=300)],
    "envsuite/KuhnPoker-v0": [dict(players=3)],
    "envsuite/Hanabi-v0": [dict(players=3), dict(variant="mini")],
    "envsuite/LeducPoker-v0": [dict(players=3)],
    "envsuite/LiarsDice-v0": [dict(players=3, dice=2, sides=4)],
    "envsuite/Goofspiel-v0": [dict(players=3, cards=5, hidden_bids=True, ties="split")],
    "envsuite/SimpleNegotiation-v0": [dict(values="random", largest=3, talk=False)],
    "envsuite/SplitNoComm-v0": [dict(rounds=3)],
    "envsuite/TrustAndSplit-v0": [dict(talk=2), dict(talk=0)],
    "envsuite/MatrixGame-v0": [dict(game="volunteers_dilemma", players=3)],
    "envsuite/RepeatedGame-v0": [dict(game="stag_hunt", rounds=7, continuation=0.9, noise=0.1, memory=2, talk=2)],
    "envsuite/Empty-v0": [dict(size=5, random_start=True)],
    "envsuite/FourRooms-v0": [dict(size=9)],
    "envsuite/MultiRoom-v0": [dict(min_rooms=2, max_rooms=4, max_room_size=5)],
    "envsuite/DoorKey-v0": [dict(size=5)],
    "envsuite/Unlock-v0": [],
    "envsuite/UnlockPickup-v0": [],
    "envsuite/KeyCorridor-v0": [dict(rows=2, room_size=3, object="box")],
    "envsuite/LavaCrossing-v0": [dict(crossings=3, obstacle="wall")],
    "envsuite/DynamicObstacles-v0": [dict(size=5, obstacles=2)],
    "envsuite/Memory-v0": [dict(size=13, random_length=True)],
    "envsuite/Maze-v0": [dict(height=9, width=11, view=5, algorithm="mixed", braid=0.3)],
    "envsuite/PathFinding-v0": [dict(players=20, height=9, width=8, radius=2, on_target="finish", collision="soft")],
    "envsuite/FrozenLake-v0": [dict(map="random", size=9)],
    "envsuite/Sokoban-v0": [dict(height=7, width=10, boxes=3, actions="nine", masked=True)],
    "envsuite/LightsOut-v0": [dict(rows=4, columns=7, wrap=True, presses=3, press_cost=0.01)],
    "envsuite/TurnOnLights-v0": [dict(bulbs=5, min_steps=7)],
    "envsuite/Crafter-v0": [dict(players=2, size=16)],
    "envsuite/CollaborativeMaze-v0": [dict(mode="relay", size=4, convention="both"), dict(mode="solo_half")],
    "envsuite/Overcooked-v0": [dict(layout="generated", width=7, height=7, chefs=4, dynamics="new")],
    "envsuite/Foraging-v0": [dict(players=3, size=6, sight=2, observation="grid", force_coop=True, penalty=0.1)],
    "envsuite/Harvest-v0": [dict(map="partnership", players=3), dict(rules="ssd", alpha=5.0, beta=0.05, trace=0.9)],
    "envsuite/Coins-v0": [dict(regrowth=0.02)],
    "envsuite/CleanUp-v0": [dict(players=3), dict(rules="ssd", collective=True)],
    "envsuite/CoopMining-v0": [dict(players=3, iron_rate=0.01, gold_rate=0.01)],
    "envsuite/Territory-v0": [dict(form="rooms")],
    "envsuite/GiftRefinements-v0": [dict(players=2, growth=0.01, compat="reference")],
    "envsuite/Mushrooms-v0": [dict(players=3, compat="reference")],
    "envsuite/MatrixInTheGrid-v0": [dict(game="battle_of_the_sexes", form="repeated", horizon=200)],
    "envsuite/AllelopathicHarvest-v0": [dict(players=4, tastes="red")],
    "envsuite/Fishery-v0": [dict(newcomer=True), dict(language=False)],
    "envsuite/DonorGame-v0": [dict(players=4, rounds=3, generations=3, depth=0, punishment=True, steps=4)],
    "envsuite/PublicGoods-v0": [dict(players=3, rounds=4, endowment=6, punishment=True, points=3, anonymous=False)],
    "envsuite/Traitors-v0": [dict(players=8, traitors=2, discussion=0, reaction=0, confer=0, ties="random")],
    "envsuite/Werewolf-v0": [dict(players=9, discussion=2, ties="first", reveal=False, self_protection=False)],
    "envsuite/AmongUs-v0": [dict(players=7, width=3, height=1, discussion=1, shaping=0.2, speaking=0.5, ticks=90)],
    "envsuite/Marketplace-v0": [dict(customers=1, businesses=4, search="simple", page=3, latency=0.0, horizon=15)],
    "envsuite/OffSwitch-v0": [dict(rounds=5)],
    "envsuite/OffSwitchGrid-v0": [dict(height=5, width=7, density=0.5)],
    "envsuite/Assistance-v0": [dict(height=5, width=7, kinds=2, each=6)],
    "envsuite/Telecom-v0": [dict(mode="solo", split="composed"), dict(mode="oracle_plan", split="base", budget=3)],
    "envsuite/Handover-v0": [dict(mode="solo", reward="progress"), dict(mode="oracle_plan")],
}

CASES = [(id, params) for id in envsuite.ids() for params in [{}, *VARIANTS.get(id, [])]]


#: What is checked of a world's variants at once; what interfaces make of them, with the slow tests.
RULES = "facts rules objectives reset_is_complete masks levels views policies".split()

#: What is checked with more steps, as machine code.
LONG = "rules objectives determinism interfaces_agree autoreset machine_code".split()

ALL = [check.__name__.removeprefix("check_") for check in CHECKS]


def checked(id, params, names, steps):
    """Run some checks, in their order."""
    names = [f"check_{name}" for name in ALL if name in names]
    assert check_world(id, only=names, steps=steps, **params).checks == names


@pytest.mark.parametrize(
    "id, params", CASES, ids=[f"{id}-{'-'.join(map(str, p.values()))}".rstrip("-") for id, p in CASES]
)
def test_world_conforms(id, params):
    checked(id, params, RULES if params else {*ALL} - {"machine_code"}, 60)


@pytest.mark.slow
@pytest.mark.parametrize("id, params", [(id, params) for id, params in CASES if not (BOUNDSCHECK and params)])
def test_world_conforms_at_length(id, params):
    if BOUNDSCHECK:
        checked(id, params, ["machine_code"], 300)
    elif params:
        checked(id, params, {*ALL} - {*RULES, "machine_code"}, 60)
    else:
        checked(id, params, LONG, 300)


def test_ids_are_the_registered_ones():
    assert [id for id in envsuite.ids() if id.startswith("envsuite/")] == sorted(VARIANTS)
