"""The line of ``sonmf factorize``: its options and their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from sonmf.cli import options

EXAMPLES = (
    "[bold]sonmf factorize X.npz --method sonmf --topics 20 -o factors.npz[/bold]",
    "[bold]sonmf factorize X.npz --topics 20 --starts 4 --sparsity 0.05[/bold]  long texts, topics to be read",
    "[bold]sonmf factorize blocks/ --memory 1GB[/bold]  a folder of blocks larger than memory",
    "[bold]sonmf factorize blocks/ --workers 2[/bold]  on a dask cluster of two processes",
)


def factorize(
    matrix: Annotated[
        Path, Argument(help="Documents x words: a scipy sparse .npz, a dense .npy, or a folder of .npz or .parquet blocks.")
    ],
    out: Annotated[Path, Option("-o", "--out", help="File for the factors.")] = Path("factors.npz"),
    method: Annotated[str, Option(help="sonmf, binary-sonmf, nmf, onmf, semi-nmf or logistic-nmf.")] = "sonmf",
    topics: Annotated[int, Option(min=1, help="Number of topics.")] = 10,
    starts: Annotated[
        int | None, Option(min=1, help="Number of starting points, for sonmf; only the best is fitted to the end. (default: 1)")
    ] = None,
    sparsity: Annotated[
        float | None,
        Option(min=0.0, help="For sonmf and long texts: 0.05 gives each document only the topics it is about. (default: 0)"),
    ] = None,
    max_iter: Annotated[
        int | None, Option(min=1, help="Largest number of iterations. (default: 500 for sonmf, else 200)")
    ] = None,
    tol: Annotated[
        float | None,
        Option(
            min=0.0,
            help="Stop when the topics turn by less, in radians (sonmf, 0.02), or when the objective falls by a smaller "
            "share (the others, 1e-5).",
        ),
    ] = None,
    memory: Annotated[str | None, Option(help="Memory that the process may use, such as 1GB; for a folder.")] = None,
    workers: Annotated[int | None, Option(min=1, help="Start a dask cluster of this many processes.")] = None,
    scheduler: Annotated[str | None, Option(help="Use the dask cluster at this address, such as tcp://host:8786.")] = None,
    seed: options.Seed = 0,
    force: options.Force = False,
) -> None:
    """Factorise a matrix, X ~ G F', with any of the methods: in memory, from disk or on a cluster."""
    from sonmf.cli.actions import factorize as action

    asked = {"n_init": starts, "sparsity": sparsity, "max_iter": max_iter, "tol": tol}
    given = {name: value for name, value in asked.items() if value is not None}
    settings = {"n_components": topics, "random_state": seed} | given
    action.run(matrix, method, settings, out, memory=memory, workers=workers, scheduler=scheduler, force=force)
