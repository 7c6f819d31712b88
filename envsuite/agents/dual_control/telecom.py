"""Baselines of the telecom help desk: an assistant that works through its list of checks, and kinds of customers.

Each policy plays both seats. All but "random" and "plan" have the same assistant; their customers differ.
"""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import MANY, limited
from envsuite.dual_control.telecom import terms
from envsuite.dual_control.telecom.terms import ASK_ABOUT, CALLER, DESK_TOOLS, PHONE_TOOLS, READS
from envsuite.kit.desk import ASSISTANT

ID = "envsuite/Telecom-v0"

#: Decisions of the assistant are tools of the phone and the desk, by number. From this number on, they are speech.
SAY = PHONE_TOOLS + DESK_TOOLS
#: The number of times that the assistant starts its checks again before it gives up.
ROUNDS = 3

#: The assistant's memory: which of the phone's reads are still valid, whether line and bills were read, what is known
#: to work, whether the phone must reboot, the tool that it waits for, and how much of a plan is done. Also the
#: customer's memory: the tool that it called in this turn.
MEMORY = {
    "holds": limited(np.zeros(len(READS), int), 0, 1),
    **dict.fromkeys(("line_read", "bills_read", "service", "online", "reboot"), limited(0, 0, 1)),
    "rounds": limited(0, 0, MANY),
    "waiting": limited(-1, -1, PHONE_TOOLS - 1),
    "done": limited(0, 0, MANY),
    "called": limited(-1, -1, PHONE_TOOLS - 1),
}
#: The assistant asks and instructs; "workflow" can do without either.
TALKS = {**dict.fromkeys(("asks", "instructs"), limited(1, 0, 1)), **MEMORY}


@kernel
def told(observation, quantity):
    """A value of the phone as it was last seen or reported; -1 if unknown."""
    return np.int64(observation.phone[quantity]) - 1


@kernel
def give_up(memory):
    """All checks are passed, but the problem persists: check again, or transfer."""
    memory.rounds += 1
    if memory.rounds > ROUNDS:
        return PHONE_TOOLS + terms.TRANSFER
    for k in range(len(READS)):
        memory.holds[k] = 0
    memory.line_read = 0
    memory.bills_read = 0
    memory.service = 0
    memory.online = 0
    return terms.REBOOT


@large_kernel
def restore_line(memory, observation):
    """The line is suspended: have the bill paid and resume the line; transfer if the contract has ended."""
    if observation.lines[CALLER, 2] == 2:
        return PHONE_TOOLS + terms.TRANSFER
    if not memory.bills_read:
        return PHONE_TOOLS + terms.LIST_BILLS
    for k in range(terms.BILLS):
        if observation.bills[k] == terms.AWAITING:
            return terms.PAY
    for k in range(terms.BILLS):
        if observation.bills[k] == terms.OVERDUE:
            return PHONE_TOOLS + terms.REQUEST_PAYMENT + k
    return PHONE_TOOLS + terms.RESUME + CALLER


@large_kernel
def restore_service(memory, observation):
    """The next step towards a network; -1 if there is one."""
    if memory.reboot:
        return terms.REBOOT
    if not memory.holds[terms.NETWORK]:
        return terms.NETWORK
    if told(observation, terms.AIRPLANE) == 1:
        return terms.TOGGLE_AIRPLANE
    if told(observation, terms.STATUS) == terms.CONNECTED:
        return -1
    if told(observation, terms.SIM) == terms.MISSING:
        return terms.RESEAT
    if told(observation, terms.SIM) > terms.MISSING:
        return PHONE_TOOLS + terms.TRANSFER
    if not memory.holds[terms.APN_SETTINGS]:
        return terms.APN_SETTINGS
    if told(observation, terms.APN) == 1:
        return terms.RESET_APN
    if not memory.line_read:
        return PHONE_TOOLS + terms.SHOW_LINE + CALLER
    if observation.lines[CALLER, 0] == terms.SUSPENDED + 1:
        return restore_line(memory, observation)
    return give_up(memory)


@large_kernel
def agree_on_data(memory, observation):
    """The next step towards consent to the wanted amount of data; -1 if there is consent."""
    wanted = np.int64(observation.facts[terms.AMOUNT])
    if wanted == 0:
        return SAY + ASK_ABOUT + terms.AMOUNT
    if observation.consent == wanted:
        return -1
    if not memory.line_read:
        return PHONE_TOOLS + terms.SHOW_LINE + CALLER
    plan = np.int64(observation.lines[CALLER, 3]) - 1
    return PHONE_TOOLS + terms.SHOW_PLAN + plan if observation.plans[plan, 0] < 0 else SAY + terms.OFFER + wanted - 1


@large_kernel
def restore_data(memory, observation):
    """The next step towards mobile data of any speed, if there is a network but no mobile data."""
    if observation.facts[terms.LOCATION] == 0:
        return SAY + ASK_ABOUT + terms.LOCATION
    if not memory.line_read:
        return PHONE_TOOLS + terms.SHOW_LINE + CALLER
    if observation.facts[terms.LOCATION] == 2:
        if told(observation, terms.ROAMING) == 0:
            return terms.TOGGLE_ROAMING
        if observation.lines[CALLER, 1] == 1:
            return PHONE_TOOLS + terms.ENABLE + CALLER
    if told(observation, terms.DATA) == 0:
        return terms.TOGGLE_DATA
    plan = np.int64(observation.lines[CALLER, 3]) - 1
    if observation.plans[plan, 0] < 0:
        return PHONE_TOOLS + terms.SHOW_PLAN + plan
    used, added = observation.usage[CALLER, 0], observation.usage[CALLER, 1]
    if used >= observation.plans[plan, 0] + added:
        wanted = np.int64(observation.facts[terms.AMOUNT])
        if wanted > 0 and added + terms.AMOUNTS[wanted - 1] > terms.MOST_ADDED:
            return PHONE_TOOLS + terms.TRANSFER
        first = agree_on_data(memory, observation)
        return first if first >= 0 else PHONE_TOOLS + terms.REFUEL + 4 * CALLER + wanted - 1
    if not memory.holds[terms.SPEED_TEST]:
        return terms.SPEED_TEST
    return give_up(memory)


@large_kernel
def restore_speed(memory, observation):
    """The next step towards full speed, if there is mobile data."""
    if memory.holds[terms.SPEED_TEST] and told(observation, terms.SPEED) == terms.EXCELLENT:
        return SAY + terms.CLOSE
    if not memory.holds[terms.DATA_SAVER]:
        return terms.DATA_SAVER
    if told(observation, terms.SAVER) == 1:
        return terms.TOGGLE_SAVER
    if not memory.holds[terms.NETWORK_MODE]:
        return terms.NETWORK_MODE
    if told(observation, terms.MODE) != 0:
        return terms.SET_MODE
    if not memory.holds[terms.VPN_STATUS]:
        return terms.VPN_STATUS
    if told(observation, terms.VPN) != 0:
        return terms.DISCONNECT_VPN
    return give_up(memory) if memory.holds[terms.SPEED_TEST] else terms.SPEED_TEST


@large_kernel
def restore_messages(memory, observation):
    """The next step towards picture messages, if there is mobile data."""
    if memory.holds[terms.PICTURE_MESSAGES] and told(observation, terms.SENDING) == 1:
        return SAY + terms.CLOSE
    if not memory.holds[terms.NETWORK_MODE]:
        return terms.NETWORK_MODE
    if told(observation, terms.MODE) != 0:
        return terms.SET_MODE
    if not memory.holds[terms.WIFI_CALLING]:
        return terms.WIFI_CALLING
    if told(observation, terms.CALLING) == 1:
        return terms.TOGGLE_CALLING
    if not memory.holds[terms.PERMISSIONS_OF]:
        return terms.PERMISSIONS_OF
    if told(observation, terms.SMS) == 0:
        return terms.GRANT
    if told(observation, terms.STORAGE) == 0:
        return terms.GRANT + terms.STORAGE - terms.SMS
    if not memory.holds[terms.APN_SETTINGS]:
        return terms.APN_SETTINGS
    if told(observation, terms.MMSC) == 0:
        return terms.RESET_APN
    return give_up(memory) if memory.holds[terms.PICTURE_MESSAGES] else terms.PICTURE_MESSAGES


@large_kernel
def decide(memory, observation):
    """The next step of the assistant: the first check that is still to do, or the repair for what a check has found."""
    if observation.facts[terms.PROBLEM] == 0:
        return SAY + ASK_ABOUT + terms.PROBLEM
    if not observation.identified:
        return PHONE_TOOLS + terms.FIND if observation.facts[terms.IDENTITY] else SAY + ASK_ABOUT + terms.IDENTITY
    if not memory.service or memory.reboot:
        found = restore_service(memory, observation)
        if found >= 0:
            return found
        memory.service = 1
    problem = observation.facts[terms.PROBLEM] - 1
    if problem == terms.SERVICE:
        return SAY + terms.CLOSE
    if not memory.online:
        if not memory.holds[terms.SPEED_TEST]:
            return terms.SPEED_TEST
        if told(observation, terms.SPEED) <= 0:
            return restore_data(memory, observation)
        memory.online = 1
    if problem == terms.MOBILE_DATA:
        return restore_speed(memory, observation)
    return restore_messages(memory, observation)


@large_kernel
def carried_out(memory, tool):
    """After a call of a tool, as far as the assistant knows: a read is valid until something may have changed."""
    holds = memory.holds
    if tool < len(READS):
        holds[tool] = 1
        return
    if tool == PHONE_TOOLS + terms.SHOW_LINE + CALLER:
        memory.line_read = 1
        return
    if tool == PHONE_TOOLS + terms.LIST_BILLS:
        memory.bills_read = 1
        return
    if tool == terms.RESET_APN or tool == PHONE_TOOLS + terms.RESUME + CALLER:
        memory.reboot = 1
    elif tool == terms.REBOOT:
        memory.reboot = 0
    elif tool == terms.PAY:
        memory.bills_read = 0
    elif tool == terms.TOGGLE_SAVER:
        holds[terms.DATA_SAVER] = 0
    elif tool == terms.SET_MODE:
        holds[terms.NETWORK_MODE] = 0
    elif tool == terms.DISCONNECT_VPN:
        holds[terms.VPN_STATUS] = 0
    elif tool == terms.TOGGLE_CALLING:
        holds[terms.WIFI_CALLING] = 0
    elif terms.GRANT <= tool < terms.REBOOT:
        holds[terms.PERMISSIONS_OF] = 0
    if tool < terms.TOGGLE_SAVER or tool == terms.RESEAT or tool == terms.REBOOT:
        holds[terms.NETWORK] = 0
        holds[terms.APN_SETTINGS] = 0
    if tool == terms.TOGGLE_DATA or tool == terms.TOGGLE_ROAMING:  # these are read with the network
        memory.service = 0
    if not PHONE_TOOLS <= tool < PHONE_TOOLS + terms.RESUME:
        holds[terms.SPEED_TEST] = 0
        holds[terms.PICTURE_MESSAGES] = 0


@kernel
def assist(memory, observation, mask):
    """The assistant, in solo or with a customer."""
    solo = mask.shape[0] == DESK_TOOLS + PHONE_TOOLS + 1
    if memory.waiting >= 0:  # the customer has answered
        reply = np.int64(observation.talk[0]) - terms.CUSTOMER_SPEECH
        asked = memory.waiting < len(READS) and reply == terms.REPORT + memory.waiting
        if asked or reply == terms.REPORT_ALL or (reply == terms.DONE and memory.waiting >= len(READS)):
            carried_out(memory, memory.waiting)
        memory.waiting = -1
    step = decide(memory, observation)
    if not solo:  # if it may not say what it needs to say, it gives up
        question = step < len(READS) or SAY + ASK_ABOUT <= step < SAY + terms.OFFER
        instruction = len(READS) <= step < PHONE_TOOLS
        if (question and not memory.asks) or (instruction and not memory.instructs):
            step = PHONE_TOOLS + terms.TRANSFER
    if step >= SAY:
        return DESK_TOOLS + (PHONE_TOOLS if solo else step - SAY)
    if step >= PHONE_TOOLS:
        if mask[step - PHONE_TOOLS] == 0:  # no tools are left in this turn
            return np.int64(DESK_TOOLS + terms.INFORM)
        carried_out(memory, step)
        return step - PHONE_TOOLS
    if solo:
        carried_out(memory, step)
        return DESK_TOOLS + step
    memory.waiting = step
    return DESK_TOOLS + (terms.ASK + step if step < len(READS) else terms.INSTRUCT + step - len(READS))


@kernel
def call_tool(memory, mask, tool, first, last, wrong):
    """The customer calls a tool, or with probability `wrong` a random tool of the same kind."""
    if random.bernoulli(memory, wrong):
        tool = first + random.randint(memory, last - first)
    memory.called = tool
    return tool if mask[tool] else PHONE_TOOLS + terms.HELP


@kernel
def answer(memory, observation, mask, volunteers, wrong, refuses):
    """The customer: does and reports what the assistant asks for, and reports more if it volunteers."""
    heard = np.int64(observation.talk[0]) - 1
    called = memory.called
    everything = np.int64(PHONE_TOOLS + terms.REPORT_ALL)
    if heard < 0 or heard >= terms.CLOSE:
        return everything if volunteers else np.int64(PHONE_TOOLS + terms.REPORT_ABOUT + terms.PROBLEM)
    if ASK_ABOUT <= heard < terms.OFFER:
        return everything if volunteers else PHONE_TOOLS + terms.REPORT_ABOUT + heard - ASK_ABOUT
    if terms.OFFER <= heard < terms.INFORM:
        agrees = heard - terms.OFFER + 1 == observation.facts[terms.AMOUNT] and not random.bernoulli(memory, refuses)
        return np.int64(PHONE_TOOLS + (terms.CONSENT if agrees and mask[PHONE_TOOLS + terms.CONSENT] else terms.REFUSE))
    if heard >= terms.INFORM:
        return np.int64(PHONE_TOOLS + terms.DONE)
    if called < 0:
        if heard < terms.ASK:
            if random.bernoulli(memory, refuses):
                return np.int64(PHONE_TOOLS + terms.REFUSE)
            return call_tool(memory, mask, len(READS) + heard, len(READS), PHONE_TOOLS, wrong)
        return call_tool(memory, mask, heard - terms.ASK, 0, len(READS), wrong)
    memory.called = -1
    if heard < terms.ASK:
        return everything if volunteers else np.int64(PHONE_TOOLS + terms.DONE)
    if called == heard - terms.ASK and volunteers:
        return everything
    return PHONE_TOOLS + terms.REPORT + called


@policy(ID, "workflow", MEMORY, asks=CHANCE.at(1), instructs=CHANCE.at(1))
def workflow(memory, observation, mask):
    """As the assistant, works through its checks; as the customer, volunteers everything that it has seen.

    An assistant that may not ask, or may not instruct, transfers if it would have to.
    """
    if memory.agent == ASSISTANT:
        return assist(memory, observation, mask)
    return answer(memory, observation, mask, True, 0.0, 0.0)


#: The customer that volunteers, under its own name.
easy = policy(ID, "easy", TALKS)(workflow)


@large_kernel
def follow(memory, observation):
    """The next step of the plan that the assistant observes."""
    if not observation.identified:
        return PHONE_TOOLS + terms.FIND if observation.facts[terms.IDENTITY] else SAY + ASK_ABOUT + terms.IDENTITY
    action = (
        np.int64(observation.plan[min(memory.done, terms.PLAN_LENGTH - 1)]) - 1
        if memory.done < terms.PLAN_LENGTH
        else -1
    )
    if action < 0:
        return SAY + terms.CLOSE
    if terms.REFUEL <= action < terms.REQUEST_PAYMENT:
        first = agree_on_data(memory, observation)
        if first >= 0:
            return first
    return PHONE_TOOLS + action if action < DESK_TOOLS else action - DESK_TOOLS - terms.INSTRUCT + len(READS)


@policy(ID, "plan", TALKS)
def plan(memory, observation, mask):
    """In "oracle_plan", the assistant carries out the plan that it observes; otherwise plays like "workflow"."""
    if memory.agent != ASSISTANT:
        return answer(memory, observation, mask, True, 0.0, 0.0)
    if observation.plan[0] == 0:
        return assist(memory, observation, mask)
    if memory.waiting >= 0:
        reply = np.int64(observation.talk[0]) - terms.CUSTOMER_SPEECH
        memory.done += reply == terms.DONE or reply == terms.REPORT_ALL
        memory.waiting = -1
    step = follow(memory, observation)
    if step >= SAY:
        return np.int64(DESK_TOOLS + step - SAY)
    if step < PHONE_TOOLS:
        memory.waiting = step
        return np.int64(DESK_TOOLS + terms.INSTRUCT + step - len(READS))
    action = step - PHONE_TOOLS
    if mask[action] == 0:
        return np.int64(DESK_TOOLS + terms.INFORM)
    carried_out(memory, step)
    memory.done += action == observation.plan[min(memory.done, terms.PLAN_LENGTH - 1)] - 1
    return action


@policy(ID, "hard", TALKS)
def hard(memory, observation, mask):
    """As the customer, answers only what it is asked, in one report each; as the assistant, plays like "workflow"."""
    if memory.agent == ASSISTANT:
        return assist(memory, observation, mask)
    return answer(memory, observation, mask, False, 0.0, 0.0)


@policy(ID, "clumsy", TALKS, rate=CHANCE.at(0.1))
def clumsy(memory, observation, mask):
    """As the customer, calls a random tool with probability `rate`, without noticing; otherwise plays like "hard"."""
    if memory.agent == ASSISTANT:
        return assist(memory, observation, mask)
    return answer(memory, observation, mask, False, memory.rate, 0.0)


@policy(ID, "reluctant", TALKS, rate=CHANCE.at(0.3))
def reluctant(memory, observation, mask):
    """As the customer, refuses to change something or to agree with probability `rate`; else plays like "hard"."""
    if memory.agent == ASSISTANT:
        return assist(memory, observation, mask)
    return answer(memory, observation, mask, False, 0.0, memory.rate)


@policy(ID, "persona", TALKS)
def persona(memory, observation, mask):
    """As the customer, volunteers unless the task's persona is hard; as the assistant, plays like "workflow"."""
    if memory.agent == ASSISTANT:
        return assist(memory, observation, mask)
    return answer(memory, observation, mask, observation.persona < 2, 0.0, 0.0)
