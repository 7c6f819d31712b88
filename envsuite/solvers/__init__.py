"""Search, planning, learning and exact solutions; they need the rules, or a model of them."""
