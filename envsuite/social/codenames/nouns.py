"""The nouns of Codenames with `words=True`, and their topics, which only the scripted policies know."""

from __future__ import annotations

import numpy as np

_TOPICS = [
    line.split()
    for line in """
    wave boat harbor sailor anchor island shell whale tide coral
    tree leaf bear moss owl deer mushroom root squirrel branch
    spoon oven plate recipe pan knife bowl kettle apron fork
    teacher desk lesson pupil chalk exam notebook ruler class grade
    doctor nurse patient medicine bandage fever surgeon clinic pill wound
    cow barn tractor hay sheep goat plow fence rooster stable
    piano song drum violin choir melody guitar rhythm trumpet concert
    goal referee team stadium racket coach medal jersey whistle match
    rain cloud storm thunder snow wind fog hail lightning breeze
    moon star planet rocket comet astronaut orbit telescope galaxy satellite
    bank coin wallet loan salary market price tax profit purse
    shirt shoe hat coat scarf button sock glove belt skirt
    hand foot eye knee shoulder nose elbow heart bone tooth
    roof door window wall stairs chimney cellar carpet attic balcony
    street bridge tower subway square traffic museum sidewalk mayor crowd
    car wheel engine brake driver highway truck garage tunnel signal
    station rail wagon conductor platform ticket track locomotive timetable compartment
    airplane pilot wing airport parachute balloon propeller helicopter runway kite
    soldier army sword shield cannon fortress general helmet siege tank
    judge court lawyer prison witness jury thief police crime verdict
    king queen crown throne castle prince knight palace jester scepter
    wizard dragon potion fairy spell ghost giant wand witch unicorn
    church priest prayer temple monk altar angel bell hymn bishop
    apple pear banana cherry lemon grape peach melon orange plum
    carrot onion potato cabbage bean pea tomato spinach pumpkin garlic
    tea coffee juice wine milk beer lemonade cocoa bottle cup
    bread flour yeast cake sugar butter pie cookie dough biscuit
    eagle swan crow parrot duck goose feather nest beak pigeon
    bee ant spider butterfly mosquito beetle hive wasp cricket moth
    dog cat hamster rabbit leash collar puppy kitten goldfish cage
    sand camel cactus oasis dune mirage scorpion nomad caravan pyramid
    ice sled skate glacier frost igloo penguin avalanche blizzard ski
    flower rose lawn shovel hedge tulip rake seed bush fountain
    hammer nail saw drill screw wrench ladder pliers axe chisel
    pen ink letter paper author novel poem library chapter pencil
    painter canvas statue gallery brush sketch sculptor easel frame portrait
    stage actor curtain mask script audience costume dancer scene puppet
    keyboard screen mouse robot program printer laptop cable password battery
    gold silver iron mine copper diamond miner steel jewel crystal
    gift invitation guest candle toast ribbon confetti host birthday fireworks
    """.strip().splitlines()
]
NOUNS = tuple(sorted(noun for topic in _TOPICS for noun in topic))
#: (400,) the topic of each noun, 10 nouns a topic.
TOPIC = np.array([next(k for k, topic in enumerate(_TOPICS) if noun in topic) for noun in NOUNS])
