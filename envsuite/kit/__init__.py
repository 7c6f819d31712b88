"""What worlds share: grids and boards, sight, avatars, rooms, social deduction, bargaining."""
