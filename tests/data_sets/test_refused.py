"""Bad and foreign files: each is refused by an error that names the file, and the block where there is one."""

import json
import shutil

import numpy as np
import pytest

from envsuite.core.errors import DataError
from envsuite.data import Recorded, record, recording
from envsuite.data.recorded import world_code
from envsuite.data.store import ABOUT, EPISODES, Store, _sealed

KUHN = "envsuite/KuhnPoker-v0"


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "kuhn"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recording, "block_size", lambda world: 8)
        record(KUHN, "random", 40, folder)
    return folder


@pytest.fixture
def copied(kuhn, tmp_path):
    return shutil.copytree(kuhn, tmp_path / "kuhn")


def content(folder, **options):
    """All that a data set says, read again."""
    data = Recorded(folder, **options)
    blocks = [
        (b.first, b.lengths.tolist(), b.returns.tolist(), b.actions.tolist(), b.test.tolist()) for b in data.blocks()
    ]
    return data.about, blocks


def changed(data, rng):
    """Bytes with one fault: a bit flipped, some bytes cut out, doubled, overwritten, or the end cut off or extended."""
    at, length = int(rng.integers(len(data))), int(rng.integers(1, 40))
    kind = rng.integers(6)
    if kind == 0:
        return data[:at] + bytes([data[at] ^ (1 << int(rng.integers(8)))]) + data[at + 1 :]
    if kind == 1:
        return data[:at] + data[at + length :]
    if kind == 2:
        return data[: at + length] + data[at:]
    if kind == 3:
        return data[:at] + rng.bytes(length) + data[at + length :]
    return data[:at] if kind == 4 else data + rng.bytes(length)


@pytest.mark.parametrize("file", [ABOUT, EPISODES])
def test_no_fault_goes_unnoticed(kuhn, copied, file):
    good, whole = content(kuhn), (kuhn / file).read_bytes()
    rng = np.random.default_rng(1)
    for case in range(300):
        bad = changed(whole, rng)
        (copied / file).write_bytes(bad)
        try:
            found = content(copied)
        except DataError as problem:
            assert str(copied / file) in str(problem) or f"belongs to another data set than {copied}" in str(problem), (
                case
            )
        else:
            assert found == good, case  # a space in JSON, or what was there before
        try:
            about, blocks = content(copied, partial=True)
        except DataError:
            continue
        assert (about, blocks) == (good[0], good[1][: len(blocks)]), case


def test_a_damaged_block_is_not_cut_off(kuhn, copied):
    """A recording that resumes must not take damage for an interruption, and lose what is behind it."""
    whole = (kuhn / EPISODES).read_bytes()
    heads = list(Store(kuhn).heads())
    assert len(heads) == 5
    for number, at in ((1, heads[1][0]), (1, heads[1][0] + 21), (3, heads[3][0] + 30)):
        (copied / EPISODES).write_bytes(whole[:at] + bytes([whole[at] ^ 64]) + whole[at + 1 :])
        with pytest.raises(DataError, match=rf"block {number} \(from episode {8 * number}\)"):
            record(KUHN, "random", 40, copied)
        assert len((copied / EPISODES).read_bytes()) == len(whole)
    at = heads[2][0] + 45
    (copied / EPISODES).write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    with pytest.raises(DataError, match="block of episodes 16 to 23: it is damaged"):
        content(copied)


def test_blocks_of_other_data_sets(kuhn, copied, tmp_path):
    record(KUHN, "equilibrium", 40, tmp_path / "other")
    foreign = (tmp_path / "other" / EPISODES).read_bytes()
    (copied / EPISODES).write_bytes(foreign)
    with pytest.raises(DataError, match="belongs to another data set than"):
        Recorded(copied)
    beginning = (kuhn / EPISODES).read_bytes()[:51]
    (copied / EPISODES).write_bytes(beginning + foreign[51:])
    with pytest.raises(DataError, match=r"block 0 \(from episode 0\): its head is damaged"):
        Recorded(copied)


def test_what_is_no_data_set(tmp_path, copied):
    with pytest.raises(DataError, match="nowhere is not a folder"):
        Recorded(tmp_path / "nowhere")
    with pytest.raises(DataError, match="is not a folder"):
        Recorded(copied / ABOUT)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="dataset.json cannot be read"):
        Recorded(tmp_path / "empty")
    for text in ("", "[]", "{}", "null", '{"digest": 3}', "[" * 100_000, '"\\ud800"'):
        (copied / ABOUT).write_text(text)
        with pytest.raises(DataError, match="dataset.json"):
            Recorded(copied)


def rewritten(folder, **changes):
    """A data set whose description was changed by someone who knows the digest, and the key of its blocks."""
    about = json.loads((folder / ABOUT).read_text())
    del about["digest"]
    about["made_from"] |= changes
    (folder / ABOUT).write_text(json.dumps({**about, "digest": _sealed(about)}))
    store = Store(folder)
    (folder / EPISODES).write_bytes(store._beginning)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"envsuite": "0.0.1"}, "its envsuite is '0.0.1', here it is"),
        ({"code": "0" * 12}, "the rules of envsuite/KuhnPoker-v0 have changed"),
        ({"layout": "0"}, "its layout is '0'"),
        ({"world": "envsuite/LeducPoker-v0"}, "its world cannot be made|its (layout|agents)|its parameters"),
        ({"world": "mine/World-v0"}, "'mine/World-v0' is not registered here"),
        ({"parameters": {"players": 99}}, "its world cannot be made"),
        ({"agents": ["a", "b"]}, "its agents is"),
        ({"seed": "0"}, "'seed'"),
        ({"grades": None}, "'grades'"),
        ({"actions": "O"}, "actions"),
        ({"actions": "<f8"}, "actions"),
        ({"grades": []}, "grades"),
        ({"grades": ["x"]}, "grades"),
        ({"policies": ["random"]}, "policies"),
        ({"seed": -1}, "seed"),
    ],
)
def test_descriptions_of_other_worlds_and_versions(copied, changes, message):
    rewritten(copied, **changes)
    with pytest.raises(DataError, match=rf"dataset\.json.*({message})"):
        Recorded(copied, partial=True)


def test_the_stamp_is_of_the_rules(kuhn):
    data = Recorded(kuhn)
    assert data.about["made_from"]["code"].startswith(world_code(data.world))
