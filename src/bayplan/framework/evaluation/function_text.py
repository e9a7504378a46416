"""The text of twins' functions: a loop into which they are written calls nothing, and a compiler sees all of it."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from copy import deepcopy
from functools import lru_cache
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ALLOWED = frozenset({"min", "max", "abs", "len", "range", "zip", "int", "float", "bool"})
"""Built-in functions that mean the same in plain Python and to a compiler of numbers."""


class TextError(Exception):
    """A function cannot be written into other code; the text says why. Its plugin is then asked over arrays."""


class _Parsed(NamedTuple):
    parameters: tuple[str, ...]
    body: list[ast.stmt]
    names: Mapping[str, Any]
    """What the names mean that are neither parameters nor local: numbers, or other functions."""
    value: ast.expr | None
    """What it returns, where it is one single `return` without variables of its own."""


class FunctionTexts:
    """Functions as expressions; `definitions` are the functions that the expressions call."""

    def __init__(self, decorator: str = "") -> None:
        self.definitions: list[str] = []
        self._decorator = decorator
        self._known: dict[Any, str] = {}

    def expressions(self, function: Callable[..., Any], arguments: Sequence[str]) -> list[str]:
        """What the function returns for these arguments, which are names: one expression for each value of a tuple.

        A function that is not one single `return` is called; that is one expression, whatever it returns.
        """
        # Built-in functions have no source, and mean the same beside the loop.
        if function in _BUILTINS:
            return [f"{function.__name__}({', '.join(arguments)})"]
        parsed = _parsed(function)
        if len(parsed.parameters) != len(arguments):
            raise TextError(f"{function.__name__} has {len(parsed.parameters)} parameters, not {len(arguments)}")
        if parsed.value is not None:
            renamed = self._renamed(parsed, dict(zip(parsed.parameters, arguments, strict=True)))
            value = renamed.visit(deepcopy(parsed.value))
            parts = value.elts if isinstance(value, ast.Tuple) else [value]
            return [f"({ast.unparse(part)})" for part in parts]
        return [f"{self._defined(function)}({', '.join(arguments)})"]

    def _defined(self, function: Callable[..., Any]) -> str:
        """The name under which a function is defined beside the loop."""
        name = self._known.get(function)
        if name is None:
            # before its body is written: it may call itself
            name = self._known[function] = f"function{len(self._known)}"
            parsed = _parsed(function)
            body = [self._renamed(parsed, {}).visit(deepcopy(each)) for each in parsed.body]
            lines = textwrap.indent("\n".join(map(ast.unparse, body)), "    ")
            self.definitions.append(f"{self._decorator}def {name}({', '.join(parsed.parameters)}):\n{lines}\n")
        return name

    def _renamed(self, parsed: _Parsed, names: dict[str, str]) -> _Renamed:
        meanings: dict[str, ast.expr] = {name: ast.Name(other, ast.Load()) for name, other in names.items()}
        for name, value in parsed.names.items():
            is_function = isinstance(value, FunctionType)
            meanings[name] = ast.Name(self._defined(value), ast.Load()) if is_function else _literal(value)
        return _Renamed(meanings)


_BUILTINS = frozenset(getattr(builtins, name) for name in ALLOWED)


class _Renamed(ast.NodeTransformer):
    def __init__(self, meanings: Mapping[str, ast.expr]) -> None:
        self._meanings = meanings

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._meanings.get(node.id, node)


class _Bare(ast.NodeTransformer):
    """Leaves out the types of variables."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        bare = ast.Pass() if node.value is None else ast.Assign([node.target], node.value)
        return ast.copy_location(bare, node)


# Far more functions than the twins of a process have; reading their source takes a file.
@lru_cache(maxsize=1024)
def _parsed(function: Any) -> _Parsed:
    # Closures and defaults hold values that the text does not show.
    if not isinstance(function, FunctionType) or function.__closure__ or function.__defaults__:
        raise TextError(f"{function!r} is no plain function of a module")
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError) as problem:
        raise TextError(f"the text of {function.__name__} cannot be read: {problem}") from problem
    if not isinstance(tree, ast.FunctionDef):
        raise TextError(f"{function.__name__} is not defined by `def`")
    parameters = tuple(each.arg for each in tree.args.args)
    if len(parameters) != function.__code__.co_argcount or function.__code__.co_flags & _STARRED:
        raise TextError(f"{function.__name__} has other than plain parameters")
    tree = _Bare().visit(tree)
    body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    names = [node for each in body for node in ast.walk(each) if isinstance(node, ast.Name)]
    # local variables: assigned somewhere in the body
    own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    last = body[0]
    # A variable of its own (of `:=` or a comprehension) could clash with one of the loop.
    value = last.value if len(body) == 1 and isinstance(last, ast.Return) and not own else None
    return _Parsed(parameters, body, _meanings(function, {node.id for node in names} - own - {*parameters}), value)


_STARRED = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS  # flags of functions with *args or **kwargs


def _meanings(function: FunctionType, names: set[str]) -> dict[str, Any]:
    meanings = {}
    for name in sorted(names):
        if name in function.__globals__:
            meanings[name] = _plain(function.__globals__[name])
            if not isinstance(meanings[name], bool | int | float | FunctionType):
                raise TextError(f"{function.__name__} uses {name}, which is neither a number nor a function")
        elif name not in ALLOWED:
            raise TextError(f"{function.__name__} uses {name}, which is none of {', '.join(sorted(ALLOWED))}")
    return meanings


def _plain(value: Any) -> Any:
    """A number of NumPy as one of Python; anything else as it is."""
    return value.item() if isinstance(value, np.generic | np.ndarray) and value.ndim == 0 else value


def _literal(number: float) -> ast.expr:
    """A number as text; infinity and NaN have none of their own and are names, which `math` defines."""
    return ast.parse(repr(number), mode="eval").body
