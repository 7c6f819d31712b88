"""Ratings: Elo by maximum likelihood, with draws."""

from __future__ import annotations

import math

import numpy as np

from envsuite.core.errors import ParameterError

#: The difference in Elo points at which the odds of winning to losing are e to one.
POINTS = 400 / math.log(10)

#: Every entrant's prior: the number of games won, and of games lost, against an opponent of rating 0. It keeps the
#: rating of an entrant that always wins finite, and is small compared with the games of a tournament.
PRIOR = 0.5


def elo(wins: np.ndarray, draws: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Maximum-likelihood ratings of Bradley and Terry's model with the draws of Davidson (1970); their mean is 0.

    With 400 points more, the odds of winning to losing are ten to one. A game of i and j is won, drawn and lost with
    probabilities in the ratio of exp(d / 2), nu and exp(-d / 2), where d is the difference of their strengths. nu is
    estimated with them. In addition, each entrant has half a win and half a loss against an opponent of rating 0.

    Args:
        wins: (..., E, E) the games that the row won against the column.
        draws: (..., E, E) the games that they drew, symmetric; none by default.

    Returns:
        (..., E) ratings, and their standard errors, of independent games, by the curvature of the likelihood.
    """
    won = np.asarray(wins, np.float64)
    drawn = np.zeros_like(won) if draws is None else np.asarray(draws, np.float64)
    if won.shape != drawn.shape or won.shape[-1:] != won.shape[-2:-1]:
        raise ParameterError(f"wins {won.shape} and draws {drawn.shape} must be square and of one shape")
    shape, count = won.shape[:-2], won.shape[-1]
    won, drawn = (part.reshape(-1, count, count).copy() for part in (won, drawn))
    for part in (won, drawn):
        part[:, np.arange(count), np.arange(count)] = 0.0
    # The log-likelihood is concave in the strengths and log nu: Newton's method with halved steps finds its top.
    strengths, log_nu = np.zeros((len(won), count)), np.zeros(len(won))
    some = drawn.sum(axis=(1, 2)) > 0
    best = _likelihood(strengths, log_nu, won, drawn, some)
    for _ in range(100):
        gradient, curve = _slopes(strengths, log_nu, won, drawn, some)
        step = np.linalg.solve(curve, gradient[:, :, None])[:, :, 0]
        if np.abs(step).max() < 1e-10:
            break
        scale = np.ones(len(won))
        for _ in range(40):
            tried = strengths + scale[:, None] * step[:, :-1], np.clip(log_nu + scale * step[:, -1], -30, 30)
            found = _likelihood(*tried, won, drawn, some)
            worse = found < best - 1e-12 * np.abs(best)
            if not worse.any():
                break
            scale = np.where(worse, scale / 2, scale)
        (strengths, log_nu), best = tried, found
    center = np.eye(count) - 1 / count
    spread = center @ np.linalg.inv(curve)[:, :-1, :-1] @ center
    ratings, errors = strengths @ center, np.sqrt(np.diagonal(spread, axis1=1, axis2=2))
    return (POINTS * ratings).reshape(*shape, count), (POINTS * errors).reshape(*shape, count)


def _chances(strengths: np.ndarray, log_nu: np.ndarray, some: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(B, E, E) probabilities that the row wins and draws, and the logarithms of their normalizing constants."""
    half = (strengths[:, :, None] - strengths[:, None, :]) / 2
    nu = np.where(some, np.exp(log_nu), 0.0)[:, None, None]
    norm = np.logaddexp(half, -half)
    norm = norm + np.log1p(nu * np.exp(-norm))
    return np.exp(half - norm), nu * np.exp(-norm), norm


def _likelihood(
    strengths: np.ndarray, log_nu: np.ndarray, won: np.ndarray, drawn: np.ndarray, some: np.ndarray
) -> np.ndarray:
    """(B,) log-likelihoods."""
    *_, norm = _chances(strengths, log_nu, some)
    half = (strengths[:, :, None] - strengths[:, None, :]) / 2
    games = won + drawn / 2  # a drawn game is in the table twice
    total = (won * half - games * norm).sum(axis=(1, 2)) + np.where(some, drawn.sum(axis=(1, 2)) / 2 * log_nu, 0.0)
    return total - 2 * PRIOR * np.log(2 * np.cosh(strengths / 2)).sum(axis=1)


def _slopes(
    strengths: np.ndarray, log_nu: np.ndarray, won: np.ndarray, drawn: np.ndarray, some: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(B, E + 1) the gradient of the log-likelihood in strengths and log nu, and (B, E + 1, E + 1) its curvature."""
    count = strengths.shape[1]
    win, draw, _ = _chances(strengths, log_nu, some)
    lose = win.transpose(0, 2, 1)
    games = won + won.transpose(0, 2, 1) + drawn
    gradient = np.zeros((len(won), count + 1))
    gradient[:, :-1] = ((won - won.transpose(0, 2, 1)) / 2 - games * (win - lose) / 2).sum(axis=2)
    gradient[:, :-1] -= PRIOR * np.tanh(strengths / 2)
    gradient[:, -1] = np.where(some, ((drawn - games * draw) / 2).sum(axis=(1, 2)), 0.0)
    # Of half the difference, which is 1, 0 or -1 times d / 2, and of the draw: variances and their covariance.
    spread = games * (win + lose - (win - lose) ** 2) / 4
    mixed = -games * draw * (win - lose) / 2
    curve = np.zeros((len(won), count + 1, count + 1))
    diagonal = np.arange(count)
    curve[:, :-1, :-1] = -spread
    curve[:, diagonal, diagonal] = spread.sum(axis=2) + PRIOR / 2 / np.cosh(strengths / 2) ** 2
    curve[:, :-1, -1] = curve[:, -1, :-1] = mixed.sum(axis=2)
    # If there are no draws, nu keeps its value; if all games are draws, it grows slowly to its bound.
    curve[:, -1, -1] = np.where(some, (games * draw * (1 - draw)).sum(axis=(1, 2)) / 2 + 1e-9, 1.0)
    return gradient, curve
