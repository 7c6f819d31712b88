"""The kinds of level."""

#: Kinds of level and where their generators are.
KINDS = {
    "maze": "mazes:Maze",
    "rooms": "layouts:Rooms",
    "caves": "caves:Caves",
    "obstacles": "obstacles:Obstacles",
    "terrain": "terrain:Terrain",
    "kitchen": "kitchen:Kitchen",
    "sokoban": "warehouses:Sokoban",
    "orchard": "orchard:Orchard",
    "river": "river:River",
    "mine": "mine:Mine",
    "territory": "resource_walls:Territory",
    "arena": "arena:Arena",
    "berries": "berries:Berries",
    "repair": "repair:Repair",
    "payoffs": "payoffs:Payoffs",
    "graphs": "graphs:Graphs",
    "roads": "roads:Roads",
    "city": "cities:City",
    "knowledge": "knowledge:Knowledge",
    "circuits": "circuits:Circuits",
    "requests": "requests:Requests",
    "incidents": "incidents:Incidents",
    "situations": "situations:Situations",
    "depot": "depots:Depot",
}
