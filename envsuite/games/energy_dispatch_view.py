def choice_at(world, s, points): return None
def description(world, seen, over): return "x"
def picture(world, s, agent):
    from envsuite.render.scene import Scene
    return Scene(10,10)
