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

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Page, When
from envsuite.core.ranges import among, below, flag, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene, footer, wrap

ELEMENTS = 48
TASKS = 4
#: Words of the instruction for each task.
FIELDS = 6
TYPE = ELEMENTS
ENTER = TYPE + TASKS * FIELDS


class Task(IntEnum):
    """Tasks, in the order of the page's table."""

    BUTTON = 0
    LINK = 1
    CHECKBOXES = 2
    OPTION = 3
    LIST = 4
    DIALOG = 5
    TAB = 6
    COLLAPSIBLE = 7
    MENU = 8
    TEXT = 9
    PASSWORD = 10
    LOGIN = 11
    SEARCH = 12
    ARITHMETIC = 13
    GRID = 14
    INBOX = 15


NUMBER = len(Task)

#: The most elements of each task, its form included.
SIZES = (7, 9, 8, 8, 12, 7, 13, 13, 19, 5, 4, 4, 16, 9, 26, 21)

#: The instruction for each task.
PHRASES = (
    "click the button {0}", "click the link {0}", "check {0}, nothing else, and submit",
    "choose the option {0} and submit", "choose {0} from the list and submit", "click the button {0} in the dialog",
    "open the tab {0} and click its link {1}", "open the section {0} and click its link {1}",
    "choose {0}, then {1}, then {2} in the menu",
    "type {0} into the field {1} and submit", "type {0} into both fields and submit",
    "log in as {0} with the password {1}", "search for {0} and open result {1}",
    "choose the sum of the numbers and submit", "click the cell with x = {0} and y = {1}",
    "click {0} at the message from {1}",
)  # fmt: skip


class Kind(IntEnum):
    """Kinds of elements."""

    NONE = 0
    FORM = 1
    TEXT = 2
    DIALOG = 3
    ROW = 4
    RESULTS = 5
    BUTTON = 6
    LINK = 7
    CELL = 8
    CHECKBOX = 9
    SECTION = 10
    LIST = 11
    RADIO = 12
    TAB = 13
    MENU = 14
    ITEM = 15
    INPUT = 16
    PASSWORD = 17


FORM, TEXT, DIALOG, ROW, RESULTS = (int(k) for k in (Kind.FORM, Kind.TEXT, Kind.DIALOG, Kind.ROW, Kind.RESULTS))
BUTTON, LINK, CELL, CHECKBOX = int(Kind.BUTTON), int(Kind.LINK), int(Kind.CELL), int(Kind.CHECKBOX)
SECTION, LIST, RADIO, TAB = int(Kind.SECTION), int(Kind.LIST), int(Kind.RADIO), int(Kind.TAB)
MENU, ITEM, INPUT, PASSWORD = int(Kind.MENU), int(Kind.ITEM), int(Kind.INPUT), int(Kind.PASSWORD)

#: Kinds in words.
NAMES = (
    "", "form", "text", "dialog", "message from", "results", "button", "link", "cell", "box", "section", "list",
    "option", "tab", "menu", "item", "field", "password field",
)  # fmt: skip

ORDERS = ("then", "after", "random")

# What a click on an element does for its form.
NOTHING, ANSWER, SUBMIT, SEARCH = 0, 1, 2, 3

# Names in levels, and the kinds of elements that hold a word.
_TASKS, _KINDS = [task.name.lower() for task in Task], [kind.name.lower() for kind in Kind]
_CLICKS = ["", "answer", "submit", "search"]
_HOLDERS = (INPUT, PASSWORD, LIST)

#: Words of elements and instructions.
PLAIN = (
    "Alder", "Amber", "Basil", "Birch", "Bramble", "Cedar", "Chalk", "Clover", "Cobalt", "Copper", "Coral", "Cypress",
    "Daisy", "Ember", "Fennel", "Fern", "Flint", "Garnet", "Ginger", "Hazel", "Heather", "Indigo", "Iris", "Ivory",
    "Ivy", "Jasper", "Juniper", "Laurel", "Lilac", "Linen", "Maple", "Marble", "Meadow", "Mint", "Moss", "Nettle",
    "Oak", "Olive", "Onyx", "Opal", "Orchid", "Pearl", "Pepper", "Pine", "Poppy", "Quartz", "Reed", "Rowan", "Ruby",
    "Saffron", "Sage", "Sienna", "Slate", "Sorrel", "Thistle", "Tulip", "Umber", "Violet", "Walnut", "Willow",
)  # fmt: skip
LABELS = (
    "Submit", "Search", "Name", "Password", "Again", "Query", "Choice", "+", "Star", "Answer", "Forward", "Delete",
    "***", "A", "B", "C", "D",
)  # fmt: skip
WORDS = ("", *PLAIN, *map(str, range(-2, 19)), *LABELS)
COUNT = len(PLAIN)
ZERO = WORDS.index("0")
SUBMITS, SEARCHES, NAME, SECRET, AGAIN, QUERY, CHOICE, PLUS, STAR = (WORDS.index(word) for word in LABELS[:9])
HIDDEN, LETTER = WORDS.index("***"), WORDS.index("A")


def fields() -> list[tuple]:
    """The record. Tasks are numbered in the order in which they must be done."""
    return [
        ("tasks", below(np.int64, len(Task)), (TASKS,)),
        ("number", within(np.int64, 1, TASKS)),  # of tasks
        ("after", flag()),  # whether the sentence names the last task first
        ("letters", within(np.int16, LETTER, LETTER + TASKS - 1), (TASKS,)),  # of each task's form
        ("words", below(np.int16, len(WORDS)), (TASKS, FIELDS)),  # of the instruction, by task
        ("told", within(np.int64, 0, FIELDS), (TASKS,)),  # words so far, while a page is made
        ("deck", within(np.int16, 1, COUNT), (COUNT,)),  # words in random order
        ("drawn", below(np.int64, COUNT)),  # words taken from the deck
        ("count", within(np.int64, 1, ELEMENTS)),  # elements of the page
        ("kind", below(np.int8, len(Kind)), (ELEMENTS,)),
        ("text", below(np.int16, len(WORDS)), (ELEMENTS,)),
        ("value", below(np.int16, len(WORDS)), (ELEMENTS,)),
        ("checked", flag(), (ELEMENTS,)),  # or open
        ("parent", within(np.int8, 0, ELEMENTS), (ELEMENTS,)),  # 1 + its number, or 0
        ("task", below(np.int8, TASKS), (ELEMENTS,)),  # to which it belongs
        ("act", below(np.int8, 4), (ELEMENTS,)),  # what a click on it does for the task
        ("wanted", within(np.int16, -1, len(WORDS) - 1), (ELEMENTS,)),  # value, check or click; -1: any
        ("shown", flag(), (ELEMENTS,)),
        ("focus", within(np.int64, -1, ELEMENTS - 1)),  # the focused element, or -1
        ("done", within(np.int64, 0, TASKS)),  # tasks done
        ("clicks", within(np.int64, 0, 10_000)),  # steps so far
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        draw_page(s)
    for e in range(ELEMENTS):
        s.value[e] = 0
        s.checked[e] = s.kind[e] == TAB and is_first(s, e)
        if s.kind[e] == ITEM and is_first(s, e):
            s.value[s.parent[e] - 1] = s.text[e]  # the list stands before its items
    s.focus = -1
    s.done = 0
    s.clicks = 0
    show(s)


@kernel
def is_first(s, e):
    """Whether no element of the same kind stands before this one in the same place."""
    for other in range(e):
        if s.parent[other] == s.parent[e] and s.kind[other] == s.kind[e]:
            return False
    return True


@large_kernel
def draw_page(s):
    """The tasks, their forms, and the instruction."""
    s.number = max(1, s.params.number)
    s.after = s.params.order == 1
    if s.params.order == 2:
        s.after = random.bernoulli(s, 0.5)
    for k in range(COUNT):
        s.deck[k] = k + 1
    for k in range(TASKS):
        s.tasks[k] = s.params.tasks[k] if k < s.params.number else 0
        s.letters[k] = LETTER + k
    if s.params.number == 0:
        s.tasks[0] = random.randint(s, NUMBER)
    random.shuffle(s, s.letters, s.number)
    clear(s)
    for letter in range(s.number):  # forms are in the order of their letters
        for k in range(s.number):
            if s.letters[k] == LETTER + letter:
                write_form(s, k)


@kernel
def clear(s):
    """Remove all elements of the last page, and the words of its instruction."""
    s.count = 0
    for k in range(TASKS):
        s.told[k] = 0
        for field in range(FIELDS):
            s.words[k, field] = 0
    for e in range(ELEMENTS):
        s.kind[e] = 0
        s.text[e] = 0
        s.parent[e] = 0
        s.task[e] = 0
        s.act[e] = NOTHING
        s.wanted[e] = -1


@kernel
def add(s, task, parent, kind, text, act, wanted):
    """Put a new element below its parent; returns its number."""
    e = np.int64(s.count)
    s.kind[e] = kind
    s.text[e] = text
    s.parent[e] = parent + 1
    s.task[e] = task
    s.act[e] = act
    s.wanted[e] = wanted
    s.count += 1
    return e


@kernel
def draw(s):
    """The next word of the deck."""
    s.drawn += 1
    return np.int64(s.deck[s.drawn - 1])


@kernel
def tell(s, task, word):
    """Write a word of the instruction."""
    s.words[task, s.told[task]] = word
    s.told[task] += 1


@large_kernel
def write_form(s, task):
    """A form with the elements of its task."""
    random.shuffle(s, s.deck, COUNT)
    s.drawn = 0
    form = add(s, task, np.int64(-1), FORM, np.int64(s.letters[task]), NOTHING, -1)
    name = s.tasks[task]
    if name == Task.BUTTON:
        write_buttons(s, task, form)
    elif name == Task.LINK:
        write_answers(s, task, form, LINK, 3 + random.randint(s, 6))
    elif name == Task.CHECKBOXES or name == Task.OPTION:
        write_choices(s, task, form, CHECKBOX if name == Task.CHECKBOXES else RADIO)
    elif name == Task.LIST:
        write_list(s, task, form)
    elif name == Task.DIALOG:
        write_dialog(s, task, form)
    elif name == Task.TAB:
        write_parts(s, task, form, TAB, 3, 3)
    elif name == Task.COLLAPSIBLE:
        write_parts(s, task, form, SECTION, 4, 2)
    elif name == Task.MENU:
        write_menu(s, task, form)
    elif name == Task.TEXT or name == Task.PASSWORD or name == Task.LOGIN:
        write_inputs(s, task, form)
    elif name == Task.SEARCH:
        write_search(s, task, form)
    elif name == Task.ARITHMETIC:
        write_sum(s, task, form)
    elif name == Task.GRID:
        write_grid(s, task, form)
    else:
        write_inbox(s, task, form)


@kernel
def write_buttons(s, task, form):
    """Six elements, at least one of which is a button."""
    must, number = random.randint(s, 6), 0
    for k in range(6):
        kind = random.randint(s, 3)
        if k == must or kind == 0:
            add(s, task, form, BUTTON, draw(s), ANSWER, 0)
            number += 1
        else:
            add(s, task, form, INPUT if kind == 1 else TEXT, draw(s), NOTHING, -1)
    choose(s, task, form, BUTTON, random.randint(s, number))


@kernel
def choose(s, task, form, kind, k):
    """Want the k-th element of a kind in a form, and name it in the instruction."""
    for e in range(form, s.count):
        if s.kind[e] == kind:
            if k == 0:
                s.wanted[e] = 1
                tell(s, task, np.int64(s.text[e]))
            k -= 1


@kernel
def write_answers(s, task, form, kind, number):
    """Elements that all end the task; one of them is wanted."""
    for _ in range(number):
        add(s, task, form, kind, draw(s), ANSWER, 0)
    choose(s, task, form, kind, random.randint(s, number))


@kernel
def write_submit(s, task, form):
    add(s, task, form, BUTTON, SUBMITS, SUBMIT, 1)


@kernel
def write_choices(s, task, form, kind):
    """Boxes, each wanted with probability 1/2, or options, one of which is wanted."""
    number = 2 + random.randint(s, 5)
    for _ in range(number):
        e = add(s, task, form, kind, draw(s), NOTHING, 0)
        if kind == CHECKBOX and random.bernoulli(s, 0.5):
            s.wanted[e] = 1
            tell(s, task, np.int64(s.text[e]))
    if kind == RADIO:
        choose(s, task, form, RADIO, random.randint(s, number))
    write_submit(s, task, form)


@kernel
def write_list(s, task, form):
    """A list, and its items, which show while it is open."""
    options = add(s, task, form, LIST, CHOICE, NOTHING, -1)
    number = 3 + random.randint(s, 7)
    for _ in range(number):
        add(s, task, options, ITEM, draw(s), NOTHING, -1)
    word = np.int64(s.text[options + 1 + random.randint(s, number)])
    s.wanted[options] = word
    tell(s, task, word)
    write_submit(s, task, form)


@kernel
def write_dialog(s, task, form):
    """Two buttons, and three others in a dialog, two of which have their names."""
    first, second = draw(s), draw(s)
    add(s, task, form, BUTTON, first, ANSWER, 0)
    add(s, task, form, BUTTON, second, ANSWER, 0)
    dialog = add(s, task, form, DIALOG, draw(s), NOTHING, -1)
    turn, wanted = random.randint(s, 3), random.randint(s, 3)
    for k in range(3):
        which = (k + turn) % 3
        word = first if which == 0 else second if which == 1 else draw(s)
        add(s, task, dialog, BUTTON, word, ANSWER, 1 if k == wanted else 0)
        if k == wanted:
            tell(s, task, word)


@kernel
def write_parts(s, task, form, kind, number, links):
    """Tabs or sections with links; the name of the wanted link is that of another one in each of them."""
    part, word = random.randint(s, number), draw(s)
    for k in range(number):
        parent = add(s, task, form, kind, draw(s), NOTHING, -1)
        at = random.randint(s, links)
        for i in range(links):
            wanted = 1 if k == part and i == at else 0
            add(s, task, parent, LINK, word if i == at else draw(s), ANSWER, wanted)
        if k == part:
            tell(s, task, np.int64(s.text[parent]))
    tell(s, task, word)


@kernel
def write_menu(s, task, form):
    """Two menus of two menus of three entries each; the names below both menus are the same."""
    wanted, entry, below = random.randint(s, 4), random.randint(s, 3), s.drawn
    s.drawn += 5
    for k in range(2):
        menu = add(s, task, form, MENU, draw(s), NOTHING, -1)
        if k == wanted // 2:
            tell(s, task, np.int64(s.text[menu]))
        for i in range(2):
            inner = add(s, task, menu, MENU, np.int64(s.deck[below + i]), NOTHING, -1)
            if 2 * k + i == wanted:
                tell(s, task, np.int64(s.text[inner]))
            for j in range(3):
                word = np.int64(s.deck[below + 2 + (i + j) % 3])
                here = 2 * k + i == wanted and j == entry
                add(s, task, inner, LINK, word, ANSWER, 1 if here else 0)
                if here:
                    tell(s, task, word)


@kernel
def write_inputs(s, task, form):
    """Fields to type into: of a text one of three, of a password or a login both."""
    name, word = s.tasks[task], draw(s)
    tell(s, task, word)
    if name == Task.TEXT:
        wanted = random.randint(s, 3)
        for k in range(3):
            e = add(s, task, form, INPUT, draw(s), NOTHING, word if k == wanted else 0)
            if k == wanted:
                tell(s, task, np.int64(s.text[e]))
    elif name == Task.PASSWORD:
        add(s, task, form, PASSWORD, SECRET, NOTHING, word)
        add(s, task, form, PASSWORD, AGAIN, NOTHING, word)
    else:
        add(s, task, form, INPUT, NAME, NOTHING, word)
        word = draw(s)
        tell(s, task, word)
        add(s, task, form, PASSWORD, SECRET, NOTHING, word)
    write_submit(s, task, form)


@kernel
def write_search(s, task, form):
    """A field, a button, and three pages of three results, which show after a search."""
    word, wanted = draw(s), random.randint(s, 9)
    tell(s, task, word)
    tell(s, task, ZERO + 1 + wanted)
    add(s, task, form, INPUT, QUERY, NOTHING, word)
    add(s, task, form, BUTTON, SEARCHES, SEARCH, -1)
    results = add(s, task, form, RESULTS, 0, NOTHING, -1)
    for k in range(3):
        page = add(s, task, results, TAB, ZERO + 1 + k, NOTHING, -1)
        for i in range(3):
            add(s, task, page, LINK, draw(s), ANSWER, 1 if 3 * k + i == wanted else 0)


@kernel
def write_sum(s, task, form):
    """Two numbers, and four options for their sum, next to each other."""
    first, second = random.randint(s, 10), random.randint(s, 10)
    add(s, task, form, TEXT, ZERO + first, NOTHING, -1)
    add(s, task, form, TEXT, PLUS, NOTHING, -1)
    add(s, task, form, TEXT, ZERO + second, NOTHING, -1)
    low = max(0, min(15, first + second - random.randint(s, 4)))
    turn = random.randint(s, 4)
    for k in range(4):
        number = low + (k + turn) % 4
        add(s, task, form, RADIO, ZERO + number, NOTHING, 1 if number == first + second else 0)
    write_submit(s, task, form)


@kernel
def write_grid(s, task, form):
    """Cells without texts, row by row from above."""
    wanted = random.randint(s, 25)
    for k in range(25):
        add(s, task, form, CELL, 0, ANSWER, 1 if k == wanted else 0)
    tell(s, task, ZERO - 2 + wanted % 5)
    tell(s, task, ZERO + 2 - wanted // 5)


@kernel
def write_inbox(s, task, form):
    """Messages with four buttons each."""
    wanted = random.randint(s, 16)
    tell(s, task, STAR + wanted % 4)
    for k in range(4):
        row = add(s, task, form, ROW, draw(s), NOTHING, -1)
        for i in range(4):
            add(s, task, row, BUTTON, STAR + i, ANSWER, 1 if 4 * k + i == wanted else 0)
        if k == wanted // 4:
            tell(s, task, np.int64(s.text[row]))


@kernel
def show(s):
    """Find which elements are visible: those of open elements and plain containers, in forms that are not done.

    The last form stays.
    """
    done = min(s.done, s.number - 1)
    for e in range(ELEMENTS):
        seen = e < s.count and s.task[e] >= done
        if seen and s.parent[e] > 0:
            above = np.int64(s.parent[e]) - 1
            kind = s.kind[above]
            seen = s.shown[above] == 1 and (kind == FORM or kind == DIALOG or kind == ROW or s.checked[above] == 1)
        s.shown[e] = seen


@kernel
def step(s, actions, rewards):
    action = actions[0]
    s.clicks += 1
    if action < TYPE:
        click(s, action, rewards)
    elif action < ENTER:
        task = told_task(s, (action - TYPE) // FIELDS)
        s.value[s.focus] = s.words[task, (action - TYPE) % FIELDS]
        for e in range(s.count):
            if s.task[e] == s.task[s.focus] and s.kind[e] == RESULTS:
                s.checked[e] = 0
    show(s)
    if s.clicks >= s.params.max_steps and not s.terminated[0]:
        s.truncated[0] = 1
        rewards[0] = -1.0


@kernel
def told_task(s, row):
    """The task in a place of the sentence."""
    return s.number - 1 - row if s.after else np.int64(row)


@kernel
def click(s, e, rewards):
    kind, above = s.kind[e], s.parent[e]
    s.focus = e if kind == INPUT or kind == PASSWORD else -1
    if kind == CHECKBOX or kind == LIST:
        s.checked[e] = 1 - s.checked[e]
    elif kind == RADIO or kind == TAB or kind == MENU or kind == SECTION:
        opens = kind != SECTION or s.checked[e] == 0
        for other in range(s.count):
            if s.parent[other] == above and s.kind[other] == kind:
                s.checked[other] = other == e and opens
    elif kind == ITEM:
        s.value[above - 1] = s.text[e]
        s.checked[above - 1] = 0
    if s.act[e] != NOTHING:
        press(s, e, rewards)


@kernel
def press(s, e, rewards):
    """Search, or judge what has been done for a task."""
    task = np.int64(s.task[e])
    if s.act[e] == SEARCH:
        for other in range(s.count):
            if s.task[other] == task and s.kind[other] == RESULTS:
                s.checked[other] = 1
        return
    score = judge(s, e, task) if task == s.done else -1.0
    if score == 1.0:
        s.done += 1
        s.focus = -1
        if s.done < s.number:
            return
    elif s.number > 1:
        score = -1.0
    if s.params.decay and score > 0.0:
        score *= 1.0 - s.clicks / s.params.max_steps
    rewards[0] = score
    s.terminated[0] = 1


@kernel
def judge(s, pressed, task):
    """The mean over boxes of 1 as wanted and -1 otherwise; without boxes 1 or -1."""
    right, boxes, met = s.wanted[pressed] != 0, 0, 0
    for e in range(s.count):
        if s.task[e] == task and s.act[e] == NOTHING and s.wanted[e] >= 0:
            if s.kind[e] == CHECKBOX:
                boxes += 1
                met += s.checked[e] == s.wanted[e]
            elif s.kind[e] == RADIO:
                right = right and s.checked[e] == s.wanted[e]
            else:
                right = right and s.value[e] == s.wanted[e]
    if boxes > 0:
        return 2.0 * met / boxes - 1.0
    return 1.0 if right else -1.0


@kernel
def observe(s, agent, out):
    for e in range(ELEMENTS):
        seen = s.shown[e] == 1
        hides = s.kind[e] == PASSWORD and s.value[e] > 0
        out.elements[e, 0] = s.kind[e] if seen else 0
        out.elements[e, 1] = s.text[e] if seen else 0
        out.elements[e, 2] = (HIDDEN if hides else s.value[e]) if seen else 0
        out.elements[e, 3] = s.checked[e] if seen else 0
        out.elements[e, 4] = s.parent[e] if seen else 0
    for row in range(TASKS):
        task = told_task(s, row) if row < s.number else np.int64(row)
        out.instruction[row, 0] = 1 + s.tasks[task] if row < s.number else 0
        out.instruction[row, 1] = s.letters[task] if row < s.number else 0
        for k in range(FIELDS):
            out.instruction[row, 2 + k] = s.words[task, k] if row < s.number else 0
    out.facts[0] = s.after
    out.facts[1] = 1 + s.focus
    out.facts[2] = s.params.max_steps - s.clicks


@kernel
def legal(s, agent, mask):
    for e in range(s.count):
        mask[e] = s.shown[e] == 1 and s.kind[e] >= BUTTON
    if s.focus >= 0:
        for k in range(s.number * FIELDS):
            mask[TYPE + k] = s.words[told_task(s, k // FIELDS), k % FIELDS] > 0
    mask[ENTER] = 1


def width_of(kind: int) -> int:
    """How many elements of a kind stand side by side."""
    return (
        1
        if kind in (FORM, DIALOG, ROW, RESULTS)
        else 5
        if kind == CELL
        else 4
        if kind in (BUTTON, RADIO, CHECKBOX, LINK, TEXT)
        else 3
    )


PAGE = Page(
    role="You carry out an instruction on a web page.",
    goal=(
        "At the end you are paid 1 if everything is done, and -1 otherwise.",
        When(
            "boxes",
            "If you submit other boxes than those wanted, you are paid the mean of 1 for each box that is as "
            "wanted and -1 for each other one.",
        ),
        When("decay", "A pay above 0 is multiplied by 1 - n / {max_steps}, where n is the number of your steps."),
    ),
    rules=(
        (
            When(
                "many",
                "The instruction names {number} tasks, each in a form of its own, and their order. A form that has "
                "been done correctly leaves the page, apart from the last one.",
                "The instruction names one task.",
            ),
            "In a form with a button Submit, the task ends with a click on it, and the form must then hold what is "
            "wanted and nothing else. In any other form, the task ends with the first click on a button, a link or a "
            "cell{but}.",
        ),
        "A click on a box checks it or unchecks it. A click on a section opens it and closes the others, or closes it. "
        "A click on an option, a tab or an entry of a menu selects it instead of the others beside it. A click on "
        "a list opens or closes it, and a click on an item chooses it; at first the first item is chosen. A click on a "
        "field gives it the focus, and any other click takes the focus away. What you type goes into the field with "
        "the focus and replaces what it holds.",
        When(
            "search",
            "A search shows results, on several tabs; result 1 is the first one on the first tab, and they "
            "are counted on from tab to tab. Typing closes the results.",
        ),
        When(
            "grid",
            "The cells of a grid are listed row by row from the top. On it, x goes from {low} in the leftmost "
            "column to {high}, and y from {low} in the lowest row to {high}.",
        ),
    ),
    sees="You see the instruction with its words, and all elements of the page that are open.",
    acts={
        "click {K}": "click the element with the number K",
        "type {K}": "type word number K of the instruction into the field with the focus",
        "enter": "press the key, which does nothing",
    },
    ends=(
        When(
            "many",
            "It is over with an error, with a task that you do before its turn, or when all tasks are done,",
            "It is over when the task ends,",
        ),
        "and in any case after {max_steps:step}.",
    ),
    unsaid=dict.fromkeys(("tasks", "order"), "each turn shows the instruction"),
    constants={"1": "success, and the first result", "0": "no pay"},
)


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
    player_page = PAGE

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
        codes = [int(Task[name.upper()]) for name in tasks]
        size = sum(SIZES[code] for code in codes)
        if len(codes) > TASKS:
            raise ParameterError(f"WebForms: {len(codes)} tasks; at most {TASKS} are allowed")
        if size > ELEMENTS:
            raise ParameterError(f"WebForms: the tasks may need {size} elements, and a page has {ELEMENTS}")
        top = len(WORDS) - 1
        row, element = [len(Task), *[top] * (1 + FIELDS)], [len(Kind) - 1, top, top, 1, ELEMENTS]
        self.define(
            agents=["agent"],
            actions=[
                *(f"click {e}" for e in range(ELEMENTS)),
                *(f"type {k}" for k in range(TASKS * FIELDS)),
                "enter",
            ],
            observation=Dict(
                elements=Box(0, np.tile(np.array(element, np.int16), (ELEMENTS, 1)), dtype=np.int16),
                instruction=Box(0, np.tile(np.array(row, np.int16), (TASKS, 1)), dtype=np.int16),
                facts=Box(0, np.array([1, ELEMENTS, 10_000], np.int16), dtype=np.int16),
            ),
            fields=fields(),
            params={
                "tasks": limited(codes + [0] * (TASKS - len(codes)), 0, len(Task) - 1),
                "number": limited(len(codes), 0, TASKS),
                "order": among(ORDERS, order),
                "decay": decay,
                "max_steps": max_steps,
            },
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        if s.number != max(1, s.params.number) or s.done > s.number:
            return "another number of tasks"
        if sum(SIZES[code] for code in s.params.tasks[: s.params.number]) > ELEMENTS:
            return "the tasks are too large for a page"
        if s.clicks > s.params.max_steps or (s.clicks == s.params.max_steps) > (s.truncated[0] or s.terminated[0]):
            return "the episode is over"
        if (s.done == s.number) > s.terminated[0]:
            return "all tasks are done"
        if s.focus >= s.count or any(s.parent[e] > e for e in range(ELEMENTS)):
            return "an element has no place on the page"
        if any(s.parent[e] == 0 and s.kind[e] == ITEM for e in range(ELEMENTS)):
            return "an item is in no list"
        if {int(s.task[e]) for e in range(s.count) if s.kind[e] == FORM} < set(range(s.number)):
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
        clear(s)
        s.number, s.after, s.drawn, s.deck = len(forms), bool(level["after"]), 0, np.arange(1, COUNT + 1)
        for letter in sorted(letters):
            task = letters.index(letter)
            form, s.tasks[task], s.letters[task] = forms[task], tasks[task], WORDS.index(letter)
            if len(form["words"]) > FIELDS:
                raise LevelError(f"{self.id}: form {letter} has more than {FIELDS} words")
            for word in form["words"]:
                tell(s, task, self._number(word, WORDS, "word"))
            self._write(s, task, -1, {"kind": "form", "text": letter, "inside": form["elements"]})

    def _write(self, s: Any, task: int, parent: int, element: Mapping[str, Any]) -> None:
        """An element of a level and those inside it."""
        if s.count == ELEMENTS:
            raise LevelError(f"{self.id}: the level has more than {ELEMENTS} elements, forms included")
        kind = self._number(element["kind"], _KINDS, "kind")
        if kind == ITEM and s.kind[parent] != LIST or (kind == FORM) != (parent < 0):
            raise LevelError(f"{self.id}: an element of kind {element['kind']!r} stands in the wrong place")
        wanted = element.get("wanted", -1)
        if wanted != -1:
            wanted = self._number(wanted, WORDS if kind in _HOLDERS else (False, True), "wanted")
        act = self._number(element.get("click", ""), _CLICKS, "click")
        e = add(s, task, parent, kind, self._number(element.get("text", ""), WORDS, "text"), act, wanted)
        for inner in element.get("inside", ()):
            self._write(s, task, e, inner)

    def _number(self, value: Any, names: Sequence[Any], what: str) -> int:
        """The number of a name."""
        if value not in names or type(value) is not type(names[-1]):
            known = ", ".join(map(repr, names)) if len(names) < 20 else "a word of `WORDS`"
            raise LevelError(f"{self.id}: the {what} {value!r:.60} must be {known}")
        return names.index(value)

    def get_level(self, s: Any) -> dict[str, Any]:
        roots = {int(s.task[e]): e for e in range(s.count) if s.kind[e] == FORM}
        return {
            "after": bool(s.after),
            "forms": [
                {
                    "task": _TASKS[s.tasks[k]],
                    "letter": WORDS[s.letters[k]],
                    "words": [WORDS[word] for word in s.words[k] if word],
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
            element: dict[str, Any] = {"kind": _KINDS[s.kind[e]], "text": WORDS[s.text[e]]}
            if s.wanted[e] >= 0:
                element["wanted"] = WORDS[s.wanted[e]] if s.kind[e] in _HOLDERS else bool(s.wanted[e])
            if s.act[e]:
                element["click"] = _CLICKS[s.act[e]]
            if inside := self._inside(s, e):
                element["inside"] = inside
            found.append(element)
        return found

    # Texts and pictures show what is observed.

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        tasks = s.tasks[: s.number].tolist()
        return {
            "number": len(tasks),
            "many": len(tasks) > 1,
            "boxes": tasks == [Task.CHECKBOXES],
            "search": Task.SEARCH in tasks,
            "but": ", other than the button Search" if Task.SEARCH in tasks else "",
            "grid": Task.GRID in tasks,
            "low": -2,
            "high": 2,
        }

    def text(self, s: Any, agent: int) -> str:
        out = self.observation(s, agent)
        lines = [f"Instruction: {sentence(out)}. Steps left: {int(out.facts[2])}."]
        typed = [f"{k} {WORDS[word]}" for k, word in enumerate(out.instruction[:, 2:].ravel().tolist()) if word]
        lines.append(f"Words to type: {', '.join(typed) or 'none'}.")
        lines.append("Page:")
        for e, depth, element in visible(out):
            lines.append(f"{'  ' * depth}- {self._told(e, element, int(out.facts[1]) == e + 1)}")
        return "\n".join(lines)

    @staticmethod
    def _told(e: int, element: list[int], focused: bool) -> str:
        """An element in words."""
        kind, text, value, checked = element[:4]
        words = [f"{e}:" if kind >= BUTTON else "", NAMES[kind], WORDS[text]]
        if kind in (INPUT, PASSWORD, LIST):
            words.append(f"= {WORDS[value]}" if value else "(empty)")
        if checked and kind in (CHECKBOX, RADIO):
            words.append("(checked)")
        if checked and kind in (SECTION, TAB, MENU, LIST):
            words.append("(open)")
        return " ".join([word for word in words if word] + ["(focused)"] * focused)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        out = self.observation(s, 0)
        scene, focus = Scene(20, 16), int(out.facts[1]) - 1
        scene.add(Rect(0.2, 0.2, 19.6, 15.6, None, "muted", 0.05, 0.3))
        for e, element, (x, y, width, height) in places(out):
            kind, text, value, checked = element[:4]
            size, middle = 0.55 * height, y + height / 2
            name = f"{NAMES[kind]} {WORDS[text]}" if kind in (FORM, DIALOG, ROW, RESULTS) else WORDS[text]
            left, color = x + 0.25, "blue" if kind == LINK else "muted" if kind < BUTTON else "ink"
            if kind in (BUTTON, TAB, MENU, SECTION, CELL, ITEM):
                fill, color = ("gold", "black") if checked else ("ink@0.12", color)
                scene.add(Rect(x, y + 0.06 * height, width, 0.88 * height, fill, "muted", 0.03, 0.15, glyph=name[:1]))
            if kind in (INPUT, PASSWORD, LIST):
                edge = "blue" if e == focus else "ink"
                box = Rect(x + 0.5 * width, y + 0.08 * height, 0.5 * width, 0.84 * height, None, edge, 0.06, 0.1)
                scene.add(box, Label(x + 0.52 * width, middle, WORDS[value], size, align="left", width=0.46 * width))
                width *= 0.5
            if kind in (CHECKBOX, RADIO):
                check, glyph, side = "gold" if checked else None, "x" if checked else "o", 0.6 * height
                radius = 0.1 if kind == CHECKBOX else side / 2
                scene.add(Rect(x, middle - side / 2, side, side, check, "ink", 0.05, radius, glyph))
                left += 0.6 * height
            scene.add(Label(left, middle, name, size, color, "left", kind in (FORM, DIALOG), width - left + x))
        lines = wrap(sentence(out), 19, 0.62)
        scene.height += 0.8 * 2 * max(1, len(self.parameters["tasks"]))  # of all its pictures alike
        for k, line in enumerate(lines):
            scene.add(Label(0.3, 16.4 + 0.8 * k, line, 0.62, align="left"))
        state = f"{int(out.facts[2])} steps left"
        if s.terminated[0]:
            state = "done" if s.done == s.number else "wrong"
        footer(scene, right=state)
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        for e, element, (left, top, width, height) in places(self.observation(s, 0)):
            if element[0] >= BUTTON and left <= x < left + width and top <= y < top + height:
                return e
        return None


def sentence(out: Any) -> str:
    """The instruction in words."""
    rows = [row for row in out.instruction.tolist() if row[0]]
    parts = []
    for task, letter, *numbers in rows:
        words = [WORDS[word] for word in numbers if word]
        if task - 1 == Task.CHECKBOXES:
            words = [" and ".join([", ".join(words[:-1]), *words[-1:]]) if len(words) > 1 else "".join(words)]
        told = PHRASES[task - 1].format(*words, *[""] * FIELDS).replace("check , nothing else,", "check nothing")
        parts.append(f"in form {WORDS[letter]} {told}" if len(rows) > 1 else told)
    return (", after you " if out.facts[0] else ", and then ").join(parts)


def visible(out: Any) -> Iterator[tuple[int, int, list[int]]]:
    """The visible elements: number, depth in the tree, and what is observed of each."""
    depths = [0] * (ELEMENTS + 1)
    for e, element in enumerate(out.elements.tolist()):
        if element[0]:
            depths[e + 1] = depths[element[4]] + 1 if element[4] else 0
            yield e, depths[e + 1], element


def places(out: Any) -> list[tuple[int, list[int], tuple[float, float, float, float]]]:
    """The visible elements with their places in the picture, line by line: left, top, width, height."""
    found, line, column, before = [], -1, 0, (0, 0)
    for e, depth, element in visible(out):
        column = column + 1 if before == (element[0], element[4]) else 0
        if column % width_of(element[0]) == 0:
            line, column = line + 1, 0
        before = (element[0], element[4])
        found.append((e, element, depth, line, column))
    height = min(1.3, 15.2 / max(1, line + 1))
    placed = []
    for e, element, depth, line, column in found:
        left = 0.5 + 0.6 * depth
        width = (19 - 0.6 * depth) / width_of(element[0])
        placed.append((e, element, (left + column * width, 0.4 + line * height, width - 0.2, height)))
    return placed


env, raw_env, parallel_env = pettingzoo_forms(WebForms)
