"""Baselines of WebForms: one follows the instruction, one uses whatever the instruction names."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.games.web_forms import rules
from envsuite.games.web_forms.rules import TASKS

ID = "envsuite/WebForms-v0"

SEARCH_SIZE = rules.SIZES[rules.Task.SEARCH]


@kernel
def find(page, form, parent, kind, text):
    """The first visible element of a kind and a text in a form, below a parent unless that is -1; or -1."""
    for e in range(form + 1, rules.ELEMENTS):
        if page[e, 0] == rules.FORM:
            break
        if page[e, 0] == kind and page[e, 1] == text and parent in (-1, page[e, 4] - 1):
            return np.int64(e)
    return np.int64(-1)


@kernel
def find_form(page, letter):
    """The form with a letter, or -1 if it is not there."""
    for e in range(rules.ELEMENTS):
        if page[e, 0] == rules.FORM and page[e, 1] == letter:
            return np.int64(e)
    return np.int64(-1)


@large_kernel
def fill(observation, e, row, field):
    """The action that brings a word of the instruction into an input, or -1 if it is there."""
    if e < 0 or observation.elements[e, 2] > 0:
        return np.int64(-1)
    return np.int64(rules.TYPE + row * rules.FIELDS + field) if observation.facts[1] == e + 1 else e


@large_kernel
def fill_all(observation, form, row):
    """The action for the fields of a text, a password or a login, or -1."""
    page, words = observation.elements, observation.instruction[row]
    name = words[0] - 1
    if name == rules.Task.TEXT:
        return fill(observation, find(page, form, np.int64(-1), rules.INPUT, words[3]), row, 0)
    choice = fill(observation, form + 1, row, 0)
    if choice < 0:
        choice = fill(observation, form + 2, row, 1 if name == rules.Task.LOGIN else 0)
    return choice


@large_kernel
def choose(observation, form, row):
    """The action for boxes, options, a sum or a list, or -1 if all are as wanted."""
    page, words = observation.elements, observation.instruction[row]
    name = words[0] - 1
    if name == rules.Task.LIST:
        options = form + 1
        if page[options, 2] == words[2]:
            return np.int64(-1)
        return find(page, form, options, rules.ITEM, words[2]) if page[options, 3] else options
    wanted = words[2]
    if name == rules.Task.ARITHMETIC:
        wanted = page[form + 1, 1] + page[form + 3, 1] - rules.ZERO
    for e in range(form + 1, rules.ELEMENTS):
        if page[e, 0] == rules.FORM:
            break
        named = page[e, 1] == wanted
        if name == rules.Task.CHECKBOXES:
            for k in range(1, rules.FIELDS):
                named = named or page[e, 1] == words[2 + k]
        if (page[e, 0] == rules.RADIO or page[e, 0] == rules.CHECKBOX) and named and page[e, 3] == 0:
            return np.int64(e)
    return np.int64(-1)


@large_kernel
def open_link(observation, form, row, kind):
    """The next click on a way of containers to the link that is named last."""
    page, words, parent, k = observation.elements, observation.instruction[row], np.int64(-1), 2
    while k + 1 < 2 + rules.FIELDS and words[k + 1] > 0:
        parent = find(page, form, parent, kind, words[k])
        if parent < 0 or page[parent, 3] == 0:
            return parent
        k += 1
    return find(page, form, parent, rules.LINK, words[k])


@large_kernel
def search(observation, form, row):
    """The next action to search, to find the page of a result, and to open it."""
    page, words = observation.elements, observation.instruction[row]
    choice = fill(observation, form + 1, row, 0)
    if choice >= 0:
        return choice
    if page[form + 3, 3] == 0:
        return np.int64(form + 2)
    number = max(0, min(8, np.int64(words[3]) - rules.ZERO - 1))
    sheet = form + 4 + 4 * (number // 3)
    return sheet if page[sheet, 3] == 0 else sheet + 1 + number % 3


@large_kernel
def follow(observation, form, row):
    """The next action for a task."""
    page, words = observation.elements, observation.instruction[row]
    name = words[0] - 1
    if name == rules.Task.BUTTON:
        return find(page, form, np.int64(-1), rules.BUTTON, words[2])
    if name == rules.Task.LINK:
        return find(page, form, np.int64(-1), rules.LINK, words[2])
    if name == rules.Task.DIALOG:
        return find(page, form, form + 3, rules.BUTTON, words[2])
    if name == rules.Task.TAB or name == rules.Task.COLLAPSIBLE or name == rules.Task.MENU:
        kind = rules.TAB if name == rules.Task.TAB else rules.SECTION if name == rules.Task.COLLAPSIBLE else rules.MENU
        return open_link(observation, form, row, kind)
    if name == rules.Task.SEARCH:
        return search(observation, form, row)
    if name == rules.Task.GRID:
        return np.int64(form + 1 + 5 * (rules.ZERO + 2 - words[3]) + words[2] - rules.ZERO + 2)
    if name == rules.Task.INBOX:
        return find(page, form, find(page, form, np.int64(-1), rules.ROW, words[3]), rules.BUTTON, words[2])
    filled = name == rules.Task.TEXT or name == rules.Task.PASSWORD or name == rules.Task.LOGIN
    choice = fill_all(observation, form, row) if filled else choose(observation, form, row)
    return choice if choice >= 0 else find(page, form, np.int64(-1), rules.BUTTON, rules.SUBMITS)


@policy(ID, "follower")
def follower(memory, observation, mask):
    """Does the tasks in the order of the instruction, each in the fewest steps."""
    for k in range(TASKS):
        row = TASKS - 1 - k if observation.facts[0] else k
        if observation.instruction[row, 0] > 0:
            form = find_form(observation.elements, observation.instruction[row, 1])
            if form >= 0:
                whole = form + (SEARCH_SIZE if observation.instruction[row, 0] == 1 + rules.Task.SEARCH else 4)
                choice = follow(observation, form, row) if whole <= rules.ELEMENTS else np.int64(-1)
                return choice if 0 <= choice < rules.ENTER and mask[choice] else np.int64(rules.ENTER)
    return np.int64(rules.ENTER)


@kernel
def named(observation, action):
    """Whether an action types, focuses, submits or searches, or clicks on what the instruction names."""
    if action >= rules.TYPE:
        return action != rules.ENTER
    text = observation.elements[action, 1]
    if text == rules.SUBMITS or text == rules.SEARCHES or observation.elements[action, 0] >= rules.INPUT:
        return True
    for row in range(TASKS):
        for k in range(rules.FIELDS):
            if text > 0 and observation.instruction[row, 2 + k] == text:
                return True
    return False


@policy(ID, "matcher")
def matcher(memory, observation, mask):
    """Plays a random action among those that type, focus, submit or search, or click on something that is named."""
    found, most, count = np.int64(rules.ENTER), False, 0
    for action in range(rules.ENTER + 1):
        if mask[action]:
            fits = named(observation, action)
            if fits and not most:
                most, count = True, 0
            if fits == most:
                count += 1
                if random.randint(memory, count) == 0:
                    found = np.int64(action)
    return found
