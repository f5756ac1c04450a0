"""The same function over many cases: here, or on a Dask scheduler when one is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeVar

from netdesign.errors import DesignError

Case = TypeVar("Case")
Found = TypeVar("Found")
_WAIT = "10s"  # for a scheduler to answer


def mapped(
    function: Callable[..., Found],
    cases: Sequence[Case],
    shared: Sequence[Any] = (),
    *,
    scheduler: str | None = None,
) -> list[Found]:
    """Results of ``function(case, *shared)`` in the order of the cases.

    Parameters
    ----------
    function : callable         of a module, so that a worker can import it
    cases : sequence            what differs; small
    shared : sequence           what all cases have in common; sent to the workers once
    scheduler : str or None     address of a Dask scheduler, "tcp://host:8786"; None: one after the
                                other in this process

    Returns
    -------
    list                        the same wherever it ran

    Raises
    ------
    DesignError                 where Dask is not installed or the scheduler does not answer
    """
    if scheduler is None:
        return [function(case, *shared) for case in cases]
    client = _client(scheduler)
    with client:
        common = [client.scatter(one, broadcast=True, hash=False) for one in shared]
        waiting = [client.submit(function, case, *common, pure=False) for case in cases]
        return list(client.gather(waiting))


def _client(scheduler: str) -> Any:
    try:
        distributed = import_module("distributed")
    except ImportError as error:
        hint = "install netdesign[dask], or leave the scheduler out"
        raise DesignError("scheduler", scheduler, "needs Dask, which is missing", hint) from error
    try:
        return distributed.Client(scheduler, timeout=_WAIT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        hint = "give the address that dask scheduler prints, tcp://host:8786"
        raise DesignError("scheduler", scheduler, "does not answer", hint) from error
