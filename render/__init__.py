"""Drawing: scenes in, pictures out. Rules import only `scene`, and no pygame before a picture is asked for."""
