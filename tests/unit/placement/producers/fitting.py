"""Columns of three workers with three cards each, of which the first and the last give a shape."""

FITTING = {
    "card_room": [[90, 30, 40], [10, 10, 20], [80, 90, 5]],
    "card_rank": [[0, 0, 0]] * 3,
    "card_leader": [[0, 0, 0]] * 3,
    "card_kinds": [1, 1, 1],
    "fit_shape": [0, -1, 0],
    "fit_rank": [0, -1, 0],
    "fit_leader": [0, -1, 0],
}
