# SPDX-License-Identifier: Apache-2.0
"""Compiles the CUDA kernels of a Warp program ahead: their sources where there is no device, their binaries on as many cores as there are.

A device machine that compiles hundreds of kernels one after another when they are first launched spends minutes of a lease on it. With
`sources_of(work, arch)`, `work()` runs on the CPU, and every module that it launches is also written as CUDA source for one architecture,
under the block size that a device would be asked for. `compile_all(workers)` turns what was written into binaries where Warp looks
for them. The results are those that Warp itself would have cached. Both rely on the insides of the one version of Warp that
requirements.txt names; what they miss is compiled when it is first launched.
"""
import contextlib
import multiprocessing
import pickle
import time
from pathlib import Path
from types import SimpleNamespace

import warp as wp
from warp._src import build, context

ORDER = "order.pickle"  # arguments of one compilation, beside its source


@contextlib.contextmanager
def replaced(owner, name, value):
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield before
    finally:
        setattr(owner, name, before)


def write_order(source, arch, output, **options):
    """Stands in for build.build_cuda: notes what it would have compiled. The pool of compile_all() has folders of its own."""
    options.pop("pch_dir")
    folder = Path(output).parent
    (folder / f"{Path(output).name}.{ORDER}").write_bytes(pickle.dumps((Path(source).name, arch, Path(output).name, options)))
    Path(output).touch()


def sources_of(work, arch):
    """Runs `work()` on the CPU; gives the number of modules whose CUDA source it wrote, and what failed."""
    written, failed, asked = set(), [], [256]
    device = SimpleNamespace(is_cpu=False)

    def resolve(target, block_dim):
        asked[0] = given_resolve(device, block_dim)
        return given_resolve(target, block_dim)

    def load(module, device, block_dim=None, *rest, **named):
        size = asked[0]
        digest = module.get_module_hash(size)
        if (module.name, digest) not in written:
            written.add((module.name, digest))
            try:
                with replaced(build, "build_cuda", write_order):
                    module._compile(output_arch=arch, use_ptx=False, options=module.resolved_options[size])
            except Exception as error:
                failed.append(f"{module.name}: {error!r}"[:200])
        return given_load(module, device, block_dim, *rest, **named)

    with replaced(context, "_resolve_launch_block_dim", resolve) as given_resolve, replaced(context.Module, "load", load) as given_load:
        work()
    return len(written), failed


def start_worker():
    wp.config.quiet = True
    wp.init()


def compile_one(order):
    """(seconds, error or None) of one module."""
    start = time.monotonic()
    source, arch, output, options = pickle.loads(order.read_bytes())
    folder = order.parent
    unfinished = folder / f"unfinished-{output}"
    try:
        build.build_cuda(str(folder / source), arch, str(unfinished), pch_dir=None, **options | {"use_precompiled_headers": False})
        unfinished.replace(folder / output)
        order.unlink()
        return time.monotonic() - start, None
    except Exception as error:
        (folder / output).unlink(missing_ok=True)  # an empty binary would be taken for a compiled one
        return time.monotonic() - start, f"{output}: {error!r}"[:200]


def compile_all(workers):
    """Compiles what sources_of() left in Warp's cache; gives the seconds of every module and what failed."""
    orders = sorted(Path(wp.config.kernel_cache_dir).glob(f"*/*.{ORDER}"), key=lambda order: -next(order.parent.glob("*.cu")).stat().st_size)
    with multiprocessing.get_context("spawn").Pool(workers, start_worker) as pool:
        done = pool.map(compile_one, orders, chunksize=1)
    return [seconds for seconds, _ in done], [error for _, error in done if error]
