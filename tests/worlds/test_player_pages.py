"""Each page for players was read by somebody who did not write it: `tests/data/<world>/page.json` holds the review.

    PYTHONPATH=tests python tests/worlds/test_player_pages.py Fishery "notes of the reader"

writes the review of the page as it is now. Who reads it asks: could you play by it; is it true (play two episodes);
does it tell how to play well; is there a number without a unit; is anything said twice?
"""

import datetime
import hashlib
import json
import sys

import kit
import pytest

from envsuite import registry
from envsuite.testing.pages import sources


def digest(id):
    """Of all sentences of the pages of a world."""
    return hashlib.blake2b(json.dumps(sources(registry.build(id, {}))).encode(), digest_size=16).hexdigest()


def review(id):
    return kit.ROOT / "tests" / "data" / registry.short_name(id) / "page.json"


@pytest.mark.parametrize("id", registry.ids())
def test_a_page_was_read_as_it_is(id):
    name = registry.short_name(id)
    assert review(id).exists(), f"the page of {name} has no review: let somebody else read it"
    found = json.loads(review(id).read_text())
    assert found["digest"] == digest(id), f"the page of {name} has changed: read it again"
    assert found["date"]
    assert found["notes"]


if __name__ == "__main__":
    name, notes = sys.argv[1:]
    id = registry.spec(name).id
    written = {"digest": digest(id), "date": datetime.date.today().isoformat(), "notes": notes}
    review(id).write_text(json.dumps(written, indent=1) + "\n")
