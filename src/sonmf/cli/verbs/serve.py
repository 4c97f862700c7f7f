"""The line of ``sonmf serve``: its options and their help."""

from __future__ import annotations

from typing import Annotated

from typer import Context, Option

from sonmf.cli import options
from sonmf.cli.verbs import refuse_options

EXAMPLES = (
    "[bold]sonmf serve model.sonmf[/bold]  then open the address it prints",
    "[bold]sonmf serve model.sonmf --host 0.0.0.0 --port 8080[/bold]  for others too, behind a token",
)


def serve(
    ctx: Context,
    model: options.ModelFile,
    port: Annotated[int, Option(min=0, max=65535, help="Port; 0 chooses a free one.")] = 8000,
    host: Annotated[str, Option(help="Address to listen at; if other machines can reach it, a token is needed.")] = "127.0.0.1",
    token: Annotated[str | None, Option(envvar="SONMF_TOKEN", help="Token to ask for. (default: a new one)")] = None,
    notes: options.TypicalNotes = None,
    text: options.FittedText = None,
    group: options.FittedGroup = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    max_note: Annotated[float, Option(min=0.001, help="Largest note, in MB.")] = 0.1,
    max_list: Annotated[float, Option(min=0.001, help="Largest list of patients, in MB.")] = 100.0,
    expect_sha256: options.Expected = None,
) -> None:
    """Serve a local web page: topics, a note scored as you type, a list of patients, beds by the hour, quality.

    Limits beside --max-note and --max-list: 1,000,000 patients and 10,000 columns of a list, 600 seconds to score it, 2 lists
    and 4 other requests at work, 200 connections, 10 seconds for a request to arrive and 1 more for each 50,000 bytes of it.
    """
    from sonmf.cli.actions import serve as action
    from sonmf.cli.option_values import open_if_given
    from sonmf.web.served_model import Limits

    if notes is None:
        refuse_options(ctx, options.OF_TYPICAL_NOTES, options.WITHOUT_NOTES)
    limits = Limits(note=int(max_note * 1e6), list=int(max_list * 1e6))
    source = open_if_given(notes, sep, encoding, sheet)
    action.run(model, source, text, group, host, port, token, limits, expect_sha256)
