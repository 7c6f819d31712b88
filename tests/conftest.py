import os

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("ENVSUITE_LAZY", "1")

pytest_plugins = ["stamps"]  # after the variables are set
