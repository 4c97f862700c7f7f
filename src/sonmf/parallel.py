"""Compiled work shared among our threads without the interpreter.

Threads that need the interpreter begin one after another, 40 us apart on a machine with 16 cores, which is too late for work of
a millisecond. Here helper threads watch a board, a small array, from compiled code and take items from it as long as there are
any. If nothing has come for a while they go to sleep until they are called.

Without LLVM instructions of our own (see ``llvm``) there is no board: the interpreter gives the items to the threads.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from functools import cache
from typing import TypeVar

import numba
import numpy as np
from numba import types

from sonmf import llvm, threads
from sonmf.compiled import compiled
from sonmf.llvm import Foreign, cgutils, extending, ir
from sonmf.types import Array

OPEN, INSIDE, NEXT, ORDER = 0, 8, 16, 24  # places on the board: a cache line for each that several threads write, then the rest
FAILED = NEXT + 1  # on the line of NEXT, because it is written only if something fails
HELPERS, ITEMS, ENTRY, ROOM, PAUSE, TICKET = range(ORDER, ORDER + 6)
PLACES = 32
PATIENCE = 4000  # looks at the board, each of about a third of a microsecond, before a helper goes to sleep

Result = TypeVar("Result")


def run_together(lead: Callable[..., Result], team: int, *arguments: object) -> Result:
    """``lead(board, *arguments)`` for a function marked ``@leader``, with a team of so many threads for the items it shares."""
    if not llvm.AVAILABLE:
        return lead(team, *arguments)
    board = _board_of(threads.helpers())
    if team <= 1 or not board.free.acquire(blocking=False):  # if another thread has the helpers, this one works alone
        return lead(_places(), *arguments)
    try:
        with threads.serial_blas():
            board.call(team - 1)
            return lead(board.places, *arguments)
    finally:
        board.free.release()


class _Board:
    def __init__(self, helpers: threads.Helpers) -> None:
        self.helpers, self.places, self.free = helpers, _places(), threading.Lock()
        self.lock, self.called = threading.Lock(), 0
        _serve(self.places, helpers.summons, 0)  # compiled here: a helper that compiles holds a lock, which a fork would copy

    def call(self, hands: int) -> None:
        """Make sure that so many helpers are at the board or on their way."""
        with self.lock:
            missing, self.called = hands - self.called, max(hands, self.called)
        self.places[HELPERS] = hands
        if missing > 0:
            self.helpers.send(self, missing, busy=hands - missing)

    def help(self) -> None:
        _serve(self.places, self.helpers.summons, PATIENCE)
        with self.lock:
            self.called -= 1


@cache
def _board_of(helpers: threads.Helpers) -> _Board:
    return _Board(helpers)


def _places() -> Array:
    places = np.zeros(PLACES, np.int64)
    places[PAUSE] = _pause()
    return places


@cache
def _pause() -> int:
    """The address of the function that lets another thread run."""
    if sys.platform == "win32":
        return ctypes.cast(ctypes.WinDLL("kernel32").SwitchToThread, ctypes.c_void_p).value or 0
    return ctypes.cast(ctypes.CDLL(None).sched_yield, ctypes.c_void_p).value or 0


# ---- decorators of compiled functions ----


def leader(function: Callable[..., Result]) -> Callable[..., Result]:
    """A function for ``run_together``, which shares items by functions marked ``@for_each_item``."""
    return compiled(function) if llvm.AVAILABLE else function


def for_each_item(function: Callable[..., None]) -> Callable[[Array | int, int, tuple[object, ...]], None]:
    """Compile ``function(item, *arguments)`` into ``function(board, items, arguments)``, which runs it for every item.

    The next free thread takes the next item; all are done on return. If the function fails for an item, the others are done
    and a MemoryError is raised: memory is all that a kernel can lack.
    """
    return _by_the_board(function) if llvm.AVAILABLE else _by_the_interpreter(function)


def _by_the_interpreter(function: Callable[..., None]) -> Callable[[Array | int, int, tuple[object, ...]], None]:
    worker = compiled(function)

    def deal(team: Array | int, items: int, arguments: tuple[object, ...]) -> None:
        threads.share(lambda item: worker(item, *arguments), range(items), int(team))

    return deal


def _by_the_board(function: Callable[..., None]) -> Callable[[Array | int, int, tuple[object, ...]], None]:
    prepared = _prepared(compiled(function))

    @numba.njit(nogil=True, error_model="numpy")  # compiled into its callers, which are kept on disk
    def deal(board, items, arguments):  # type: ignore[no-untyped-def]
        entry, room = prepared(arguments)
        board[FAILED] = 0
        _store(board, NEXT, 0)
        if board[HELPERS] == 0 or items == 1:
            _work(board, entry, room, items)
            _check(board)
            return
        board[ITEMS], board[ENTRY], board[ROOM] = items, entry, room
        board[TICKET] += 1
        _store(board, OPEN, board[TICKET])
        _work(board, entry, room, items)
        _store(board, OPEN, 0)
        while _load(board, INSIDE) > 0:
            native(board[PAUSE], ())
        _check(board)

    return deal


# ---- inside compiled code ----


@compiled
def _check(board):  # type: ignore[no-untyped-def]
    if _load(board, FAILED) > 0:
        raise MemoryError("the threads of a fit have run out of memory")


@compiled
def _serve(board, summons, patience):  # type: ignore[no-untyped-def]
    """Work on shared items until none have come for a while, or there is other work. A late helper waits for the next."""
    seen, looks, before = 0, 0, _load(summons, 0)
    while looks < patience and _load(summons, 0) == before:
        ticket = _load(board, OPEN)
        if ticket in (0, seen):
            looks += 1
            native(board[PAUSE], ())
            continue
        others = _add(board, INSIDE, 1)
        if _load(board, OPEN) == ticket:  # the leader first closes the board and then waits for those inside
            if others < board[HELPERS]:
                _work(board, board[ENTRY], board[ROOM], board[ITEMS])
            seen, looks = ticket, 0
        _add(board, INSIDE, -1)


def _prepared(worker: Foreign) -> Foreign:
    """Compiled: addresses of a plain function that works on items until none is left, and of the arguments on this stack."""

    @extending.intrinsic
    def prepared(typing, arguments):  # type: ignore[no-untyped-def]
        signature = typing.resolve_function_type(types.Dispatcher(worker), (types.intp, *arguments.types), {})
        pair = types.Tuple((types.intp, types.intp))  # type: ignore[no-untyped-call]

        def generate(context, builder, _, values):  # type: ignore[no-untyped-def]
            room = cgutils.alloca_once_value(builder, values[0])
            entry = _entry(context, builder.module, worker.overloads[signature.args], signature, room.type)
            return context.make_tuple(builder, pair, [builder.ptrtoint(place, ir.IntType(64)) for place in (entry, room)])

        return pair(arguments), generate

    return prepared


def _entry(context: Foreign, module: ir.Module, made: Foreign, signature: Foreign, room: ir.Type) -> ir.Function:
    """void entry(room, next, items): for (i; (i = next++) < items;) if (made(i, *room) fails) next[1] = 1."""
    context.active_code_library.add_linking_library(made.library)
    number = ir.IntType(64)
    entry = ir.Function(module, ir.FunctionType(ir.VoidType(), [number] * 3), module.get_unique_name("entry"))
    entry.linkage = "internal"
    begin, turn, work, fail, end = (entry.append_basic_block(name) for name in ("begin", "turn", "work", "fail", "end"))
    builder = ir.IRBuilder(begin)
    place, following = builder.inttoptr(entry.args[0], room), builder.inttoptr(entry.args[1], number.as_pointer())
    arguments = [builder.extract_value(builder.load(place), i) for i in range(len(signature.args) - 1)]
    builder.branch(turn)
    builder.position_at_end(turn)
    item = builder.atomic_rmw("add", following, number(1), "seq_cst")
    builder.cbranch(builder.icmp_signed("<", item, entry.args[2]), work, end)
    builder.position_at_end(work)
    status, _ = context.call_internal_no_propagate(builder, made.fndesc, signature, [item, *arguments])
    builder.cbranch(status.is_error, fail, turn)
    builder.position_at_end(fail)
    builder.store_atomic(number(1), builder.gep(following, [number(FAILED - NEXT)]), "seq_cst", 8)
    builder.branch(turn)
    builder.position_at_end(end)
    builder.ret_void()
    return entry


@extending.intrinsic
def _work(typing, board, entry, room, items):  # type: ignore[no-untyped-def]
    """entry(room, the place of the next item on the board, items)."""

    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        where = builder.ptrtoint(_place(context, builder, board, values[0], ir.IntType(64)(NEXT)), ir.IntType(64))
        _call(builder, values[1], [values[2], where, values[3]])

    return types.void(board, types.intp, types.intp, types.intp), generate


@extending.intrinsic
def native(typing, address, arrays):  # type: ignore[no-untyped-def]
    """Call the function at an address with pointers to arrays, as BLAS and LAPACK take all their arguments."""
    if any(kind.layout != "C" for kind in arrays.types):
        raise numba.errors.TypingError("an array that is not contiguous cannot be given by a pointer")
    if len({kind.dtype for kind in arrays.types if isinstance(kind.dtype, types.Float)}) > 1:
        raise numba.errors.TypingError("arrays of two precisions: the function would misread one of them")

    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        parts = [(kind, builder.extract_value(values[1], i)) for i, kind in enumerate(arrays.types)]
        data = [context.make_array(kind)(context, builder, value).data for kind, value in parts]
        _call(builder, values[0], [builder.ptrtoint(place, ir.IntType(64)) for place in data])

    return types.void(types.intp, arrays), generate


def _call(builder: ir.IRBuilder, address: ir.Value, arguments: list[ir.Value]) -> None:
    kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64)] * len(arguments))
    builder.call(builder.inttoptr(address, kind.as_pointer()), arguments)


@extending.intrinsic
def _load(typing, board, i):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        return builder.load_atomic(_place(context, builder, board, *values), "seq_cst", 8)

    return types.int64(board, types.intp), generate


@extending.intrinsic
def _store(typing, board, i, value):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        builder.store_atomic(values[2], _place(context, builder, board, *values[:2]), "seq_cst", 8)

    return types.void(board, types.intp, types.int64), generate


@extending.intrinsic
def _add(typing, board, i, value):  # type: ignore[no-untyped-def]
    """board[i] += value; returns what it was."""

    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        return builder.atomic_rmw("add", _place(context, builder, board, *values[:2]), values[2], "seq_cst")

    return types.int64(board, types.intp, types.int64), generate


def _place(context: Foreign, builder: ir.IRBuilder, kind: Foreign, board: ir.Value, i: ir.Value) -> ir.Value:
    return builder.gep(context.make_array(kind)(context, builder, board).data, [i])
