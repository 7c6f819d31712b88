"""WebForms: carry out an instruction on a web page: click, choose, and type words of the instruction.

**Rules.** A page has elements in a tree: forms with buttons, links, boxes, fields, lists, tabs and more. An instruction
names one to four tasks, each in a form of its own, and their order: "a, and then b" or "b, after a". A task ends with a
click on its `Submit` button, or on what it asks for. A form that has been done correctly leaves the page, but
the last one stays. The episode ends with an error, with a task done before its turn, or with the last task.

| task | to do | elements that end it |
|---|---|---|
| `button`, `link` | click the one named | all buttons, 1 to 6; all links, 3 to 8 |
| `checkboxes` | check the boxes named, each of 2 to 6 with probability 1/2 | `Submit` |
| `option` | choose one of 2 to 6 options | `Submit` |
| `list` | open a list and choose one of its 3 to 9 items | `Submit` |
| `dialog` | click one of 3 buttons in a dialog, not one outside with the same name | all buttons |
| `tab`, `collapsible` | open one of 3 tabs or 4 sections, and click a link whose name is in all of them | all links |
| `menu` | choose an entry in a menu of 3 levels | the entries of the last level |
| `text` | type a word into one of 3 fields, and nothing into the others | `Submit` |
| `password` | type a word into two fields that hide it | `Submit` |
| `login` | type a name and a password | `Submit` |
| `search` | type a word, search, and open the result of a number from 1 to 9, on 3 pages of 3 | all results |
| `arithmetic` | choose the sum of two numbers from 0 to 9 among 4 options | `Submit` |
| `grid` | click the cell with given coordinates from -2 to 2; x grows to the right, y upwards | all 25 cells |
| `inbox` | star, answer, forward or delete the message from one of 4 people | all buttons |

A click on a box checks it or unchecks it; one on a section opens it and closes the others, or closes it. Of options,
tabs and entries of a menu, a click selects one and deselects the others beside it. The first item of a list is chosen
at the start. Typing replaces what a field holds, and closes the results of a search. `enter`, the key, does nothing, as
in the source, where fields stand in no form.

**Agents.** `agent`.

**Observation.** Dict. Words are numbered; 0 is none. Rows of elements that are not visible and of missing tasks are 0.
Tasks are numbered from 0 in the order of the table above, words as in `WORDS`, and kinds of elements as in `Kind`.

| part | space | content |
|---|---|---|
| elements | Box (48, 5) int16 | of each visible element kind, text, value, whether checked or open, 1 + its parent |
| instruction | Box (4, 8) int16 | of each task in the sentence 1 + its number, the name of its form, and its words |
| facts | Box (3,) int16 | whether the sentence says "after", 1 + the focused element or 0, steps left |

**Actions.** Discrete (73).

| action | name | legal |
|---|---|---|
| k = 0 .. 47 | `click k` | while element k is visible and no plain text or container |
| 48 + k | `type k` | while a field has the focus and task k // 6 of the sentence has a word k % 6 |
| 72 | `enter` | always |

**Window.** A click on an element; the keys 1 to 9 type words 0 to 8, and Return means `enter`.

**Rewards.** At the end, 1 if everything is done and -1 otherwise, so also after `max_steps` steps. For `checkboxes` as
the only task, the mean of 1 for each box as wanted and -1 for each other one. With `decay`, a positive reward is
multiplied by 1 - steps / `max_steps`.

**Ends.** Terminates as described; truncated after `max_steps` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `tasks` | () | the tasks in their order, at most 4; without any, one at random in each episode |
| `order` | "random" | "then", "after" or "random": how the instruction names the order |
| `decay` | False | whether a positive reward shrinks with the number of steps |
| `max_steps` | 40 | steps before truncation, from 1 to 10,000 |

The tasks must fit on a page of 48 elements; `grid` takes 26 of them, `inbox` 21, `menu` 19, `search` 16, `tab` and
`collapsible` 13, `list` 12, and others at most 9.

**Level.** The forms in the order in which they must be done, here with the shortest one:

``{"after": false, "forms": [{"task": "option", "letter": "A", "words": ["Fern"], "elements": [
{"kind": "radio", "text": "Fern", "wanted": true}, {"kind": "radio", "text": "Oak", "wanted": false},
{"kind": "button", "text": "Submit", "click": "submit", "wanted": true}]}]}``

The words are those of the instruction. An element may have others `inside`, and a `click` on it may be an "answer",
"submit" or "search". `wanted` is the word that a field or list must hold, or whether another element must be checked
or clicked. The first of some tabs is open.

**Known values.** For uniformly random legal actions and enough steps, the probability of success is 1/25 for `grid`,
1/16 for `inbox`, 1/12 for `menu`, 1/8 for `collapsible`, 1/5 for `dialog` and `arithmetic`, 1/n for n links or buttons,
1/(n + 1) for n options, and 1/n for a list of n items. The mean reward for `checkboxes` is 0.

**Differences.** From the pages of MiniWoB++ (Farama-Foundation/miniwob-plusplus, commit 3f461ff):

- An entry of a menu with a submenu opens with a click. There, it opens under the pointer, and a click on it fails.
  Menus there have entries to choose on all three levels.
- In `tab` and `collapsible`, the instruction names the part too. There, it names only the link, and each link of this
  name counts.
- Pages have no coordinates and no pixels. Words are copied from the instruction, never spelled.
- Of the source's tasks, these are left out: widgets, dates, focus, autocompletion, trees, posts, tables, guesses,
  tic-tac-toe and scrolling. Words, and some numbers of elements, are own.
- A sum is chosen among options, because it could not be spelled. There, it is typed, and there are differences and
  products. The results of a search depend on no query, but count
  only after the query asked for. The message of an inbox needs one click.
- Composed tasks have a form each, with a letter, so that any tasks can be composed.
- Rewards shrink with steps, not with seconds.

**Source.** Shi et al., "World of Bits: An Open-Domain Platform for Web-Based Agents", 2017; Liu et al., "Reinforcement
Learning on Web Interfaces using Workflow-Guided Exploration", 2018 (MiniWoB++); Furuta et al., "Exposing Limitations of
Language Model Agents in Sequential-Task Compositions on the Web", 2024 (CompWoB).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import among, below, flag, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.games.web_forms import pages, rules, view
from envsuite.registry import pettingzoo_forms

# Names in levels, and the kinds of elements that hold a word.
_TASKS, _KINDS = [task.name.lower() for task in rules.Task], [kind.name.lower() for kind in rules.Kind]
_CLICKS = ["", "answer", "submit", "search"]
_HOLDERS = (rules.INPUT, rules.PASSWORD, rules.LIST)


def fields() -> list[tuple]:
    """The record. Tasks are numbered in the order in which they must be done."""
    return [
        ("tasks", below(np.int64, len(rules.Task)), (rules.TASKS,)),
        ("number", within(np.int64, 1, rules.TASKS)),  # of tasks
        ("after", flag()),  # whether the sentence names the last task first
        (
            "letters",
            within(np.int16, rules.LETTER, rules.LETTER + rules.TASKS - 1),
            (rules.TASKS,),
        ),  # of each task's form
        ("words", below(np.int16, len(rules.WORDS)), (rules.TASKS, rules.FIELDS)),  # of the instruction, by task
        ("told", within(np.int64, 0, rules.FIELDS), (rules.TASKS,)),  # words so far, while a page is made
        ("deck", within(np.int16, 1, rules.COUNT), (rules.COUNT,)),  # words in random order
        ("drawn", below(np.int64, rules.COUNT)),  # words taken from the deck
        ("count", within(np.int64, 1, rules.ELEMENTS)),  # elements of the page
        ("kind", below(np.int8, len(rules.Kind)), (rules.ELEMENTS,)),
        ("text", below(np.int16, len(rules.WORDS)), (rules.ELEMENTS,)),
        ("value", below(np.int16, len(rules.WORDS)), (rules.ELEMENTS,)),
        ("checked", flag(), (rules.ELEMENTS,)),  # or open
        ("parent", within(np.int8, 0, rules.ELEMENTS), (rules.ELEMENTS,)),  # 1 + its number, or 0
        ("task", below(np.int8, rules.TASKS), (rules.ELEMENTS,)),  # to which it belongs
        ("act", below(np.int8, 4), (rules.ELEMENTS,)),  # what a click on it does for the task
        ("wanted", within(np.int16, -1, len(rules.WORDS) - 1), (rules.ELEMENTS,)),  # value, check or click; -1: any
        ("shown", flag(), (rules.ELEMENTS,)),
        ("focus", within(np.int64, -1, rules.ELEMENTS - 1)),  # the focused element, or -1
        ("done", within(np.int64, 0, rules.TASKS)),  # tasks done
        ("clicks", within(np.int64, 0, 10_000)),  # steps so far
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        rules.draw_page(s)
    for e in range(rules.ELEMENTS):
        s.value[e] = 0
        s.checked[e] = s.kind[e] == rules.TAB and rules.is_first(s, e)
        if s.kind[e] == rules.ITEM and rules.is_first(s, e):
            s.value[s.parent[e] - 1] = s.text[e]  # the list stands before its items
    s.focus = -1
    s.done = 0
    s.clicks = 0
    rules.show(s)


@kernel
def step(s, actions, rewards):
    action = actions[0]
    s.clicks += 1
    if action < rules.TYPE:
        rules.click(s, action, rewards)
    elif action < rules.ENTER:
        task = rules.told_task(s, (action - rules.TYPE) // rules.FIELDS)
        s.value[s.focus] = s.words[task, (action - rules.TYPE) % rules.FIELDS]
        for e in range(s.count):
            if s.task[e] == s.task[s.focus] and s.kind[e] == rules.RESULTS:
                s.checked[e] = 0
    rules.show(s)
    if s.clicks >= s.params.max_steps and not s.terminated[0]:
        s.truncated[0] = 1
        rewards[0] = -1.0


@kernel
def observe(s, agent, out):
    for e in range(rules.ELEMENTS):
        seen = s.shown[e] == 1
        hides = s.kind[e] == rules.PASSWORD and s.value[e] > 0
        out.elements[e, 0] = s.kind[e] if seen else 0
        out.elements[e, 1] = s.text[e] if seen else 0
        out.elements[e, 2] = (rules.HIDDEN if hides else s.value[e]) if seen else 0
        out.elements[e, 3] = s.checked[e] if seen else 0
        out.elements[e, 4] = s.parent[e] if seen else 0
    for row in range(rules.TASKS):
        task = rules.told_task(s, row) if row < s.number else np.int64(row)
        out.instruction[row, 0] = 1 + s.tasks[task] if row < s.number else 0
        out.instruction[row, 1] = s.letters[task] if row < s.number else 0
        for k in range(rules.FIELDS):
            out.instruction[row, 2 + k] = s.words[task, k] if row < s.number else 0
    out.facts[0] = s.after
    out.facts[1] = 1 + s.focus
    out.facts[2] = s.params.max_steps - s.clicks


@kernel
def legal(s, agent, mask):
    for e in range(s.count):
        mask[e] = s.shown[e] == 1 and s.kind[e] >= rules.BUTTON
    if s.focus >= 0:
        for k in range(s.number * rules.FIELDS):
            mask[rules.TYPE + k] = s.words[rules.told_task(s, k // rules.FIELDS), k % rules.FIELDS] > 0
    mask[rules.ENTER] = 1


class WebForms(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    paid_at_end = True
    kind = ("screens", "text")
    verified = "closed forms of random play; shortest solutions by exhaustive search; a second judge of every task"
    variants = (
        dict(tasks=("login", "checkboxes", "search", "list"), order="after", decay=True),
        dict(tasks=("grid", "menu"), max_steps=20),
    )
    shown = "follower"
    keys = {"return": "enter", **{str(k + 1): f"type {k}" for k in range(9)}}
    clickable = "click .*"
    player_page = pages.PAGE
    page_slots = pages.page_slots
    text = view.text
    scene = view.scene
    click = view.click

    def __init__(
        self,
        tasks: Sequence[
            Literal[
                "button", "link", "checkboxes", "option", "list", "dialog", "tab", "collapsible", "menu", "text",
                "password", "login", "search", "arithmetic", "grid", "inbox",
            ]
        ] = (),
        order: Literal["then", "after", "random"] = "random",
        decay: bool = False,
        max_steps: Annotated[int, Between(1, 10_000)] = 40,
    ):  # fmt: skip
        codes = [int(rules.Task[name.upper()]) for name in tasks]
        size = sum(rules.SIZES[code] for code in codes)
        if len(codes) > rules.TASKS:
            raise ParameterError(f"WebForms: {len(codes)} tasks; at most {rules.TASKS} are allowed")
        if size > rules.ELEMENTS:
            raise ParameterError(f"WebForms: the tasks may need {size} elements, and a page has {rules.ELEMENTS}")
        top = len(rules.WORDS) - 1
        row, element = (
            [len(rules.Task), *[top] * (1 + rules.FIELDS)],
            [len(rules.Kind) - 1, top, top, 1, rules.ELEMENTS],
        )
        self.define(
            agents=["agent"],
            actions=[
                *(f"click {e}" for e in range(rules.ELEMENTS)),
                *(f"type {k}" for k in range(rules.TASKS * rules.FIELDS)),
                "enter",
            ],
            observation=Dict(
                elements=Box(0, np.tile(np.array(element, np.int16), (rules.ELEMENTS, 1)), dtype=np.int16),
                instruction=Box(0, np.tile(np.array(row, np.int16), (rules.TASKS, 1)), dtype=np.int16),
                facts=Box(0, np.array([1, rules.ELEMENTS, 10_000], np.int16), dtype=np.int16),
            ),
            fields=fields(),
            params={
                "tasks": limited(codes + [0] * (rules.TASKS - len(codes)), 0, len(rules.Task) - 1),
                "number": limited(len(codes), 0, rules.TASKS),
                "order": among(rules.ORDERS, order),
                "decay": decay,
                "max_steps": max_steps,
            },
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        if s.number != max(1, s.params.number) or s.done > s.number:
            return "another number of tasks"
        if sum(rules.SIZES[code] for code in s.params.tasks[: s.params.number]) > rules.ELEMENTS:
            return "the tasks are too large for a page"
        if s.clicks > s.params.max_steps or (s.clicks == s.params.max_steps) > (s.truncated[0] or s.terminated[0]):
            return "the episode is over"
        if (s.done == s.number) > s.terminated[0]:
            return "all tasks are done"
        if s.focus >= s.count or any(s.parent[e] > e for e in range(rules.ELEMENTS)):
            return "an element has no place on the page"
        if any(s.parent[e] == 0 and s.kind[e] == rules.ITEM for e in range(rules.ELEMENTS)):
            return "an item is in no list"
        if {int(s.task[e]) for e in range(s.count) if s.kind[e] == rules.FORM} < set(range(s.number)):
            return "a task has no form"
        return None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        forms, own = level["forms"], s.params.tasks[: s.params.number].tolist()
        tasks = [self._number(form["task"], _TASKS, "task") for form in forms]
        if tasks != own and (own or len(tasks) != 1):
            wanted = ", ".join(_TASKS[task] for task in own) if own else "one of any task"
            raise LevelError(f"{self.id}: the forms of the level must be {wanted}")
        letters = [form["letter"] for form in forms]
        if sorted(letters) != list("ABCD"[: len(forms)]):
            raise LevelError(f"{self.id}: the letters of the forms must be A, B ..., not {letters!r:.80}")
        rules.clear(s)
        s.number, s.after, s.drawn, s.deck = len(forms), bool(level["after"]), 0, np.arange(1, rules.COUNT + 1)
        for letter in sorted(letters):
            task = letters.index(letter)
            form, s.tasks[task], s.letters[task] = forms[task], tasks[task], rules.WORDS.index(letter)
            if len(form["words"]) > rules.FIELDS:
                raise LevelError(f"{self.id}: form {letter} has more than {rules.FIELDS} words")
            for word in form["words"]:
                rules.tell(s, task, self._number(word, rules.WORDS, "word"))
            self._write(s, task, -1, {"kind": "form", "text": letter, "inside": form["elements"]})

    def _write(self, s: Any, task: int, parent: int, element: Mapping[str, Any]) -> None:
        """An element of a level and those inside it."""
        if s.count == rules.ELEMENTS:
            raise LevelError(f"{self.id}: the level has more than {rules.ELEMENTS} elements, forms included")
        kind = self._number(element["kind"], _KINDS, "kind")
        if kind == rules.ITEM and s.kind[parent] != rules.LIST or (kind == rules.FORM) != (parent < 0):
            raise LevelError(f"{self.id}: an element of kind {element['kind']!r} stands in the wrong place")
        wanted = element.get("wanted", -1)
        if wanted != -1:
            wanted = self._number(wanted, rules.WORDS if kind in _HOLDERS else (False, True), "wanted")
        act = self._number(element.get("click", ""), _CLICKS, "click")
        e = rules.add(s, task, parent, kind, self._number(element.get("text", ""), rules.WORDS, "text"), act, wanted)
        for inner in element.get("inside", ()):
            self._write(s, task, e, inner)

    def _number(self, value: Any, names: Sequence[Any], what: str) -> int:
        """The number of a name."""
        if value not in names or type(value) is not type(names[-1]):
            known = ", ".join(map(repr, names)) if len(names) < 20 else "a word of `WORDS`"
            raise LevelError(f"{self.id}: the {what} {value!r:.60} must be {known}")
        return names.index(value)

    def get_level(self, s: Any) -> dict[str, Any]:
        roots = {int(s.task[e]): e for e in range(s.count) if s.kind[e] == rules.FORM}
        return {
            "after": bool(s.after),
            "forms": [
                {
                    "task": _TASKS[s.tasks[k]],
                    "letter": rules.WORDS[s.letters[k]],
                    "words": [rules.WORDS[word] for word in s.words[k] if word],
                    "elements": self._inside(s, roots[k]),
                }
                for k in range(s.number)
            ],
        }

    def _inside(self, s: Any, parent: int) -> list[dict[str, Any]]:
        """The elements of a container, as a level has them."""
        found: list[dict[str, Any]] = []
        for e in range(parent + 1, s.count):
            if s.parent[e] != parent + 1:
                continue
            element: dict[str, Any] = {"kind": _KINDS[s.kind[e]], "text": rules.WORDS[s.text[e]]}
            if s.wanted[e] >= 0:
                element["wanted"] = rules.WORDS[s.wanted[e]] if s.kind[e] in _HOLDERS else bool(s.wanted[e])
            if s.act[e]:
                element["click"] = _CLICKS[s.act[e]]
            if inside := self._inside(s, e):
                element["inside"] = inside
            found.append(element)
        return found


env, raw_env, parallel_env = pettingzoo_forms(WebForms)
