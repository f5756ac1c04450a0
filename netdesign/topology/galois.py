"""Arithmetic of finite fields, for graphs that are built over them.

An element of the field of p^n elements is a number from 0 to p^n - 1 whose digits to the base p
are the coefficients of a polynomial, lowest first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt

Elements = npt.NDArray[np.int64]


@lru_cache(maxsize=4096)
def prime_power(q: int) -> tuple[int, int] | None:
    """The prime p and the power n with p^n = q; None if q is no power of a prime."""
    if q < 2:
        return None
    p = q
    divisor = 2
    while divisor * divisor <= q:
        if q % divisor == 0:
            p = divisor
            break
        divisor += 1
    n = 0
    while q % p == 0:
        q //= p
        n += 1
    return (p, n) if q == 1 else None


@dataclass(frozen=True, eq=False)
class GaloisField:
    """The field of q elements, with the powers of one element that runs through all but 0."""

    q: int
    p: int
    n: int
    powers: Elements  # shape (q - 1,)
    logs: Elements  # shape (q,); that of 0 means nothing

    def add(self, left: Elements, right: Elements) -> Elements:
        """Sum, digit by digit modulo p; shapes broadcast."""
        total = np.zeros(np.broadcast_shapes(np.shape(left), np.shape(right)), dtype=np.int64)
        weight = 1
        for _ in range(self.n):
            total += (left // weight + right // weight) % self.p * weight
            weight *= self.p
        return total

    def multiply(self, left: Elements, right: Elements) -> Elements:
        """Product by logarithms; shapes broadcast."""
        exponent = (self.logs[left] + self.logs[right]) % (self.q - 1)
        zero = np.equal(left, 0) | np.equal(right, 0)
        return np.where(zero, 0, self.powers[exponent])


@lru_cache(maxsize=32)
def galois_field(q: int) -> GaloisField:
    """The field of q elements.

    Raises
    ------
    ValueError    q is not a power of a prime: there is no such field
    """
    root = prime_power(q)
    if root is None:
        raise ValueError(f"there is no field of {q} elements")
    p, n = root
    for coefficients in product(range(p), repeat=n):
        powers = _powers(p, n, coefficients)
        if powers is not None:
            break
    else:  # pragma: no cover - every finite field has such a polynomial
        raise ValueError(f"no primitive polynomial for {q}")
    logs = np.zeros(q, dtype=np.int64)
    logs[powers] = np.arange(q - 1)
    return GaloisField(q, p, n, np.array(powers, dtype=np.int64), logs)


def _powers(p: int, n: int, coefficients: tuple[int, ...]) -> list[int] | None:
    """Powers of x modulo x^n = sum of ``coefficients`` x^i; None if they miss an element."""
    if coefficients[0] == 0:
        return None  # x would divide 0 and its powers never come back to 1
    size = p**n
    top = size // p
    reduced = [c * p**place for place, c in enumerate(coefficients)]
    powers = [1]
    element = 1
    for _ in range(size - 2):
        lead, low = divmod(element, top)
        shifted = low * p
        element = 0
        for place in range(n):
            weight = p**place
            digit = shifted // weight % p + lead * (reduced[place] // weight)
            element += digit % p * weight
        if element in (0, 1):
            return None
        powers.append(element)
    return powers
