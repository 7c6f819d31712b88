"""Old versions of worlds: they warn, then their ids are errors; short names mean the newest version."""

import gymnasium
import pettingzoo
import pytest

import envsuite
from envsuite import registry
from envsuite.core.errors import ParameterError, UnknownIdError
from envsuite.interfaces.parallel import Parallel
from envsuite.interfaces.vector import Vector

MODULE = "envsuite.games.tic_tac_toe:TicTacToe"
OLD, NEW = "envsuite/Pig-v0", "envsuite/Pig-v1"


@pytest.fixture
def pig(monkeypatch):
    """A world with two versions, of which the old one stays until release 0.4."""
    monkeypatch.setattr(gymnasium, "register", lambda id, **options: None)
    monkeypatch.delattr(pettingzoo, "register", raising=False)
    monkeypatch.setattr(registry, "_SPECS", {})
    registry.register(OLD, MODULE, superseded=NEW, until="0.4")
    registry.register(NEW, "envsuite.games.connect_four:ConnectFour")
    return lambda version: monkeypatch.setattr(registry, "__version__", version)


@pytest.mark.parametrize("version", ["0.2", "0.3.9", "0.1.0", "0+unknown"])
@pytest.mark.parametrize("make", [registry.build, envsuite.make_aec, Parallel, lambda id: Vector(id, 2)])
def test_a_superseded_world_warns(pig, version, make):
    pig(version)
    with pytest.warns(FutureWarning, match="Pig-v0 is superseded by envsuite/Pig-v1, and release 0.4 will be without"):
        make(OLD)
    assert registry.ids() == [OLD, NEW]


@pytest.mark.parametrize("version", ["0.4", "0.4.0", "0.4.1rc1", "0.10", "1.0"])
def test_a_world_that_is_gone_is_an_error(pig, version):
    pig(version)
    words = "superseded by envsuite/Pig-v1 .* 0.4: pip install 'envsuite<0.4' installs the last release that has it"
    for make in (registry.build, envsuite.make_aec):
        with pytest.raises(UnknownIdError, match=words):
            make(OLD)
    assert registry.ids() == [NEW]


@pytest.mark.filterwarnings("error")
def test_a_short_name_is_the_newest_version(pig):
    assert registry.spec("Pig").id == registry.spec("envsuite/Pig").id == registry.spec("Pig-v1").id == NEW
    assert registry.build("Pig").id == NEW
    assert registry.spec("Pig-v0").id == OLD
    registry.register("lab/Dice-v0", MODULE, superseded="lab/Dice-v1", until="2")
    registry.register("lab/Dice-v1", MODULE)
    assert registry.spec("Dice").id == registry.spec("lab/Dice").id == "lab/Dice-v1"


def test_both_facts_of_an_old_version_are_needed():
    with pytest.raises(ParameterError, match="both a new version and the release"):
        registry.Spec(OLD, MODULE, superseded=NEW)
    with pytest.raises(ParameterError, match="'Pig' must have the form"):
        registry.Spec(OLD, MODULE, superseded="Pig", until="0.4")
