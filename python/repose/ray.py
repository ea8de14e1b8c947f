# SPDX-License-Identifier: Apache-2.0
"""Sweeps on a Ray cluster: ``repose.sweep(..., executor=repose.ray.RayExecutor(address="auto"))``. Needs ray."""
from __future__ import annotations

import concurrent.futures as futures
from collections.abc import Callable
from typing import Any

import ray as _ray


class RayExecutor(futures.Executor):
    """Each call is one task of one core; Ray starts it again when its worker dies.

    `options` go to ray.init() unless Ray is running in this process already; shutdown() then leaves it alone.
    """

    def __init__(self, **options: Any) -> None:
        self._own = not _ray.is_initialized()
        if self._own:
            _ray.init(**{"log_to_driver": False, **options})
        self._call = _ray.remote(num_cpus=1, max_retries=3)(_apply)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        """Runs fn(*args, **kwargs) on the cluster."""
        result: futures.Future[Any] = self._call.remote(fn, args, kwargs).future()
        return result

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends Ray where this executor started it."""
        if self._own and _ray.is_initialized():
            _ray.shutdown()


def _apply(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return fn(*args, **kwargs)
