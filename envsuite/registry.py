"""The one table of ids. Importing it loads no world; `load` does, when one is asked for."""

from __future__ import annotations

import importlib
import importlib.metadata
import re
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from envsuite.core.errors import ParameterError, UnknownIdError, located, suggest

if TYPE_CHECKING:
    from envsuite.core.world import World

__version__ = "0.1.0"

_ID = re.compile(r"(?P<namespace>[\w-]+)/(?P<name>[\w-]+)-v(?P<version>\d+)")


def resolve(entry_point: str) -> Any:
    """What ``module:name`` names, imported now."""
    module, _, name = entry_point.partition(":")
    return getattr(importlib.import_module(module), name)


def loaded(text: str) -> Any:
    """What a user names by ``module:name``, imported now, or `UnknownIdError`; of ``module:id`` the module alone."""
    module, _, name = text.partition(":")
    if not (all(part.isidentifier() for part in module.split(".")) and (name.isidentifier() or _ID.fullmatch(name))):
        raise UnknownIdError(f"{text!r:.80} must have the form module:Class or module:namespace/Name-v0")
    if "" not in sys.path:  # a command does not look where it is called, as python does
        sys.path.insert(0, "")
    try:
        found = importlib.import_module(module)
        return getattr(found, name) if name.isidentifier() else found
    except ModuleNotFoundError as error:
        raise UnknownIdError(f"{text!r} cannot be loaded: {error}") from None
    except AttributeError as error:
        if getattr(error, "obj", None) is not sys.modules.get(module):  # raised by its own code
            raise UnknownIdError(f"{text!r} cannot be loaded: {located(error)}") from error
        near = suggest(name, [known for known in vars(error.obj) if not known.startswith("_")])
        raise UnknownIdError(f"{text!r} cannot be loaded: {module} has no attribute {name!r}{near}") from None
    except (Exception, SystemExit) as error:
        raise UnknownIdError(f"{text!r} cannot be loaded: {located(error)}") from error


def world_class(name: str) -> type[World]:
    """A world's class by its id, ``module:id`` (the import of the module registers it) or ``module:Class``."""
    if not (isinstance(name, str) and ":" in name):
        return spec(name).load()
    found, id = loaded(name), name.partition(":")[2]
    if not id.isidentifier():
        return spec(id).load()
    from envsuite.core.world import World

    if not (isinstance(found, type) and issubclass(found, World)):
        raise UnknownIdError(f"{name!r} is no World; a world is a class that derives from envsuite.core.world.World")
    return found


def id_of(cls: type[World]) -> str | None:
    """The id under which a class is registered, None if it is not."""
    entry_point = f"{cls.__module__}:{cls.__name__}"
    return next((id for id, spec in _SPECS.items() if spec.entry_point == entry_point), None)


@dataclass(frozen=True)
class Spec:
    """What the table holds of a world: its id, ``module:Class``, and the module of its scripted policies."""

    id: str
    entry_point: str
    policies: str | None = None

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise ParameterError(f"the id {self.id!r} must have the form namespace/Name-v0")

    def load(self) -> type[World]:
        """The world's class, imported now."""
        return resolve(self.entry_point)


_SPECS: dict[str, Spec] = {}

#: PettingZoo's forms of every world.
_AEC, _PARALLEL = "envsuite.interfaces.aec:AEC", "envsuite.interfaces.parallel:Parallel"


def register(id: str, entry_point: str, policies: str | None = None) -> None:
    """Add a world to the table, and to Gymnasium's and PettingZoo's.

    Args:
        id: ``namespace/Name-v0``.
        entry_point: ``module:Class`` of a `World`.
        policies: the module whose import adds the world's policies with `envsuite.core.policy`.
    """
    import gymnasium
    import pettingzoo

    _SPECS[id] = Spec(id, entry_point, policies)
    gymnasium.register(
        id,
        entry_point="envsuite.interfaces.gym:make",
        vector_entry_point="envsuite.interfaces.vector:make_single_agents",
        kwargs={"world": id},
    )
    if hasattr(pettingzoo, "register"):  # PettingZoo before 1.27 has no registry
        pettingzoo.register("aec", id, _AEC, kwargs={"world": id})
        pettingzoo.register("parallel", id, _PARALLEL, kwargs={"world": id})


def pettingzoo_forms(world: type[World]) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """The functions `env`, `raw_env` and `parallel_env` that a PettingZoo module has, for one world."""

    def env(**params: Any) -> Any:
        """A PettingZoo AEC environment; takes the world's parameters and `render_mode`."""
        return resolve(_AEC)(world, **params)

    def parallel_env(**params: Any) -> Any:
        """A PettingZoo parallel environment; takes the world's parameters and `render_mode`."""
        return resolve(_PARALLEL)(world, **params)

    return env, env, parallel_env


def ids() -> list[str]:
    """The ids of all registered worlds, sorted."""
    return sorted(_SPECS)


def short_name(id: str) -> str:
    """An id without its namespace and version."""
    return id.rpartition("/")[2].partition("-v")[0]


def spec(id: str) -> Spec:
    """The table's entry of an id; the namespace and version may be left out. `UnknownIdError` names near matches."""
    if isinstance(id, str):
        if id in _SPECS:
            return _SPECS[id]
        for known in (f"envsuite/{id}", f"envsuite/{id}-v0"):
            if known in _SPECS:
                return _SPECS[known]
        found = [known for known in _SPECS if id in (short_name(known), known.rpartition("-v")[0])]
        if len(found) == 1:  # of another package
            return _SPECS[found[0]]
    raise UnknownIdError(f"no world has the id {id!r}{suggest(str(id), ids()) or '; envsuite.ids() lists them'}")


def build(id: str, params: Mapping[str, Any] | None = None) -> World:
    """A world by its id, ``module:id`` or ``module:Class``, with its parameters checked."""
    cls = world_class(id)
    world = build_class(cls, params)
    if ":" not in id:
        world.id = spec(id).id
    return world


def build_class(cls: type[World], params: Mapping[str, Any] | None = None) -> World:
    """A world of this class, with the id under which the class is registered."""
    world = cls(**(params or {}))
    if not hasattr(world, "record"):
        raise ParameterError(f"{cls.__name__} must call self.define(...) in its constructor")
    world.id = id_of(cls) or world.id
    return world


#: A row for each world: its name, its module and, where it is not ``agents.<module>``, the module of its policies.
_WORLDS: tuple[tuple[str, ...], ...] = (
    ("Chess", "games.chess"),
    ("ConnectFour", "games.connect_four"),
    ("TicTacToe", "games.tic_tac_toe"),
    ("Othello", "games.othello"),
    ("Breakthrough", "games.breakthrough"),
    ("Hex", "games.hex"),
    ("Go", "games.go"),
    ("KuhnPoker", "games.kuhn_poker"),
    ("LeducPoker", "games.leduc_poker"),
    ("HoldEm", "games.holdem"),
    ("BridgeBidding", "games.bridge_bidding"),
    ("LiarsDice", "games.liars_dice"),
    ("Goofspiel", "games.goofspiel"),
    ("Hanabi", "games.hanabi"),
    ("MatrixGame", "games.matrix_game"),
    ("RepeatedGame", "games.repeated_game"),
    ("SimpleNegotiation", "games.simple_negotiation"),
    ("SplitNoComm", "games.split_no_comm"),
    ("TrustAndSplit", "games.trust_and_split"),
    ("Particles", "games.particles"),
    ("Battle", "games.battle"),
    ("Sumo", "games.sumo"),
    ("CarSoccer", "games.car_soccer"),
    ("DotsAndBoxes", "games.dots_and_boxes"),
    ("PhantomTicTacToe", "games.phantom_tic_tac_toe"),
    ("DarkHex", "games.dark_hex"),
    ("Oware", "games.oware"),
    ("NineMensMorris", "games.nine_mens_morris"),
    ("Checkers", "games.checkers"),
    ("Backgammon", "games.backgammon"),
    ("AnimalShogi", "games.animal_shogi"),
    ("GardnerChess", "games.gardner_chess"),
    ("Shogi", "games.shogi"),
    ("TradeComm", "games.trade_comm"),
    ("SealedBid", "games.sealed_bid"),
    ("Sheriff", "games.sheriff"),
    ("DealOrNoDeal", "games.deal_or_no_deal"),
    ("TreeDebate", "games.tree_debate"),
    ("EvidenceDebate", "games.evidence_debate"),
    ("PixelDebate", "games.pixel_debate"),
    ("ScreenGraph", "games.screen_graph"),
    ("Shop", "games.shop"),
    ("WebForms", "games.web_forms"),
    ("Minesweeper", "games.minesweeper"),
    ("Battleship", "games.battleship"),
    ("TwentyQuestions", "games.twenty_questions"),
    ("UltimateTicTacToe", "games.ultimate_tic_tac_toe"),
    ("Mastermind", "games.mastermind"),
    ("Wordle", "games.wordle"),
    ("TextQuest", "games.text_quest"),
    ("TwentyFour", "games.twenty_four"),
    ("EZPoints", "games.ez_points", "games.twenty_four"),
    ("NumberLine", "games.number_line"),
    ("KeyTower", "games.key_tower"),
    ("Blackjack", "games.blackjack"),
    ("StockNews", "games.stock_news"),
    ("Game2048", "games.game_2048"),
    ("SameGame", "games.same_game"),
    ("Planning", "games.strips_planning"),
    ("CraftQuest", "games.craft_quest"),
    ("HouseholdText", "games.household_text"),
    ("ScienceLab", "games.science_lab"),
    ("Ingenious", "games.ingenious"),
    ("RecurringBandit", "games.recurring_bandit"),
    ("CardMemory", "games.card_memory"),
    ("MemorySequence", "games.memory_sequence"),
    ("RapidNaming", "games.rapid_naming"),
    ("CombinationLock", "games.combination_lock"),
    ("DeepSea", "games.deep_sea"),
    ("Catch", "games.catch"),
    ("MemoryChain", "games.memory_chain"),
    ("UmbrellaChain", "games.umbrella_chain"),
    ("DiscountingChain", "games.discounting_chain"),
    ("CartPole", "games.cart_pole"),
    ("MountainCar", "games.mountain_car"),
    ("Acrobot", "games.acrobot"),
    ("Pendulum", "games.pendulum"),
    ("EnergyDispatch", "games.energy_dispatch"),
    ("Robots", "games.robots"),
    ("Diplomacy", "games.diplomacy"),
    ("Routing", "games.routing"),
    ("Skirmish", "games.skirmish"),
    ("RTS", "games.rts"),
    ("MiniGames", "games.mini_games"),
    ("Asterix", "gridworlds.asterix"),
    ("Breakout", "gridworlds.breakout"),
    ("Freeway", "gridworlds.freeway"),
    ("Seaquest", "gridworlds.seaquest"),
    ("SpaceInvaders", "gridworlds.space_invaders"),
    ("Empty", "gridworlds.empty", "gridworlds.room_explorer"),
    ("FourRooms", "gridworlds.four_rooms", "gridworlds.room_explorer"),
    ("MultiRoom", "gridworlds.multi_room", "gridworlds.room_explorer"),
    ("DoorKey", "gridworlds.door_key", "gridworlds.room_explorer"),
    ("Unlock", "gridworlds.unlock", "gridworlds.room_explorer"),
    ("UnlockPickup", "gridworlds.unlock_pickup", "gridworlds.room_explorer"),
    ("KeyCorridor", "gridworlds.key_corridor", "gridworlds.room_explorer"),
    ("LavaCrossing", "gridworlds.lava_crossing", "gridworlds.room_explorer"),
    ("DynamicObstacles", "gridworlds.dynamic_obstacles", "gridworlds.room_explorer"),
    ("Memory", "gridworlds.memory", "gridworlds.room_explorer"),
    ("Ballet", "gridworlds.ballet"),
    ("HiddenObject", "gridworlds.hidden_object"),
    ("Maze", "gridworlds.maze"),
    ("Miner", "gridworlds.miner"),
    ("Heist", "gridworlds.heist"),
    ("Roguelike", "gridworlds.roguelike"),
    ("Chaser", "gridworlds.chaser"),
    ("RecurringGrid", "gridworlds.recurring_grid"),
    ("PathFinding", "gridworlds.path_finding"),
    ("FrozenLake", "gridworlds.frozen_lake"),
    ("Sokoban", "gridworlds.sokoban"),
    ("LightsOut", "gridworlds.lights_out"),
    ("TurnOnLights", "gridworlds.turn_on_lights"),
    ("Crafter", "gridworlds.crafter"),
    ("SafeInterruptibility", "gridworlds.safe_interruptibility", "gridworlds.safety_policies"),
    ("AbsentSupervisor", "gridworlds.absent_supervisor", "gridworlds.safety_policies"),
    ("BoatRace", "gridworlds.boat_race", "gridworlds.safety_policies"),
    ("TomatoWatering", "gridworlds.tomato_watering", "gridworlds.safety_policies"),
    ("WhiskyGold", "gridworlds.whisky_gold", "gridworlds.safety_policies"),
    ("IslandNavigation", "gridworlds.island_navigation", "gridworlds.safety_policies"),
    ("DistributionalShift", "gridworlds.distributional_shift", "gridworlds.safety_policies"),
    ("SideEffects", "gridworlds.side_effects", "gridworlds.safety_policies"),
    ("ConveyorBelt", "gridworlds.conveyor_belt", "gridworlds.safety_policies"),
    ("FriendFoe", "gridworlds.friend_foe", "gridworlds.safety_policies"),
    ("RocksDiamonds", "gridworlds.rocks_diamonds", "gridworlds.safety_policies"),
    ("CollaborativeMaze", "gridworlds.collaborative_maze"),
    ("Foraging", "gridworlds.foraging"),
    ("Pursuit", "gridworlds.pursuit"),
    ("NeuralMMO", "gridworlds.neural_mmo"),
    ("Items", "gridworlds.items"),
    ("Tag", "gridworlds.tag"),
    ("CaptureTheFlag", "gridworlds.capture_the_flag"),
    ("HideAndSeek", "gridworlds.hide_and_seek"),
    ("PredatorPrey", "gridworlds.predator_prey"),
    ("Paintball", "gridworlds.paintball"),
    ("XLand", "gridworlds.xland"),
    ("BabaRules", "gridworlds.baba_rules"),
    ("HiddenRules", "gridworlds.hidden_rules"),
    ("Household", "gridworlds.household"),
    ("Instruct", "gridworlds.instruct"),
    ("Warehouse", "gridworlds.warehouse"),
    ("TrafficLights", "gridworlds.traffic_lights"),
    ("Intersection", "gridworlds.intersection"),
    ("Merge", "gridworlds.merge"),
    ("Overcooked", "gridworlds.overcooked"),
    ("Harvest", "social.harvest"),
    ("Coins", "social.coins"),
    ("CleanUp", "social.clean_up"),
    ("CoopMining", "social.coop_mining"),
    ("Territory", "social.territory"),
    ("MatrixInTheGrid", "social.matrix_in_the_grid"),
    ("AllelopathicHarvest", "social.allelopathic_harvest"),
    ("Chemistry", "social.chemistry"),
    ("GiftRefinements", "social.gift_refinements"),
    ("Mushrooms", "social.mushrooms"),
    ("RowingRace", "social.rowing_race"),
    ("FruitMarket", "social.fruit_market"),
    ("Fishery", "social.fishery"),
    ("Traitors", "social.traitors"),
    ("Werewolf", "social.werewolf"),
    ("AmongUs", "social.among_us"),
    ("HiddenAgenda", "social.hidden_agenda"),
    ("FactoryCommons", "social.factory_commons"),
    ("DonorGame", "social.donor_game"),
    ("PublicGoods", "social.public_goods"),
    ("ComplyOrViolate", "social.comply_or_violate"),
    ("Collusion", "social.collusion"),
    ("RedTeam", "social.red_team"),
    ("Codenames", "social.codenames"),
    ("Avalon", "social.avalon"),
    ("Coup", "social.coup"),
    ("SecretHitler", "social.secret_hitler"),
    ("InjectAndRepair", "social.inject_and_repair"),
    ("TrustGame", "social.trust_game"),
    ("SocialGoals", "social.social_goals"),
    ("Voting", "social.voting"),
    ("Epidemic", "social.epidemic"),
    ("Opinions", "social.opinions"),
    ("GraphGames", "social.graph_games"),
    ("Generations", "social.generations"),
    ("SalesTour", "social.sales_tour"),
    ("GoalSequence", "social.goal_sequence"),
    ("SourceReliability", "social.source_reliability"),
    ("ProposeAndSolve", "social.propose_and_solve"),
    ("Marketplace", "social.marketplace"),
    ("SupplyChain", "social.supply_chain"),
    ("OrderBook", "social.order_book"),
    ("Trading", "social.trading"),
    ("Microgrid", "social.microgrid"),
    ("Beach", "social.beach"),
    ("Daycare", "social.daycare"),
    ("RouteChoice", "social.route_choice"),
    ("Dispatch", "social.dispatch"),
    ("OffSwitch", "dual_control.off_switch"),
    ("OffSwitchGrid", "dual_control.off_switch_grid"),
    ("Assistance", "dual_control.assistance"),
    ("Telecom", "dual_control.telecom"),
    ("Airline", "dual_control.airline"),
    ("Retail", "dual_control.retail"),
    ("Preferences", "dual_control.preferences"),
    ("Elicit", "dual_control.elicit"),
    ("Investigation", "dual_control.investigation"),
    ("Apprentice", "dual_control.apprentice"),
    ("TravelPlanner", "dual_control.travel_planner"),
    ("Handover", "dual_control.handover"),
    ("RepoSetup", "dual_control.repo_setup"),
)


def register_others() -> None:
    """Register the worlds of other packages: their entry points of the group ``envsuite.worlds``, by id.

    An entry point ``"lab/Nim-v0" = "lab.nim:Nim"`` names the class; the import of its module declares its policies.
    """
    for point in importlib.metadata.entry_points(group="envsuite.worlds"):
        try:
            if point.name in _SPECS:
                raise ParameterError(f"the id {point.name!r} is registered already")
            register(point.name, point.value, point.value.partition(":")[0])
        except ParameterError as problem:  # one package's mistake is no other's
            warnings.warn(f"{point.value} is left out of envsuite's worlds: {problem}", stacklevel=2)


def register_all() -> None:
    """Register the worlds of this package."""
    for name, module, *policies in _WORLDS:
        register(f"envsuite/{name}-v0", f"envsuite.{module}:{name}", f"envsuite.agents.{(policies or [module])[0]}")
