def P(:
