"""`bayplan up`: a server on this machine, with all it needs in one folder."""

from __future__ import annotations

import os
import sys
from typing import Annotated

from cyclopts import Parameter

from bayplan.bootstrap import LOOPBACK, Options, serve
from bayplan.cli.main import DEBUG
from bayplan.cli.server.data_folder import DataFolder, data_folder
from bayplan.cli.text import write


def up(
    *,
    data: DataFolder = None,
    port: Annotated[int, Parameter(help="The port; 0 takes a free one.")] = 7077,
    host: Annotated[
        str, Parameter(help="The address to listen on; others than this machine's need tokens.")
    ] = LOOPBACK,
    insecure_http: Annotated[
        bool, Parameter(help="Plain HTTP without tokens, for this machine alone.", negative=())
    ] = False,
    no_demo: Annotated[
        bool, Parameter(help="Start with the objects of the data folder and no others; the default.", negative=())
    ] = False,
    name: Annotated[
        tuple[str, ...],
        Parameter(help="Another name or address under which clients call; may be repeated.", negative=()),
    ] = (),
) -> None:
    """Run the server in the foreground until Ctrl-C; kubectl and the other commands talk to it.

    It prints a line `ready URL` once it answers. kubectl finds it with the file kubeconfig in the data folder.
    """
    del no_demo  # there are no demo objects to leave out
    folder = data_folder(data).absolute()

    def ready(url: str) -> None:
        write(f"kubectl --kubeconfig {folder / 'kubeconfig'} get nodes\nready {url}\n")
        sys.stdout.flush()

    serve(Options(folder, port, host, tls=not insecure_http, names=name, debug=DEBUG in os.environ), ready)
