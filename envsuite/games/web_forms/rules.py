"""WebForms' rules: tasks, elements and words, how forms are made, and what clicks do."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel

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
