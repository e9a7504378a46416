"""Which plugins want to hear of what, looked up once for a configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import BayplanError, PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from bayplan.framework.list_table import ListTable
    from bayplan.routing.hooks import Sent
    from bayplan.routing.requests.routed_request import RoutedRequest


class HookTable:
    """The methods of all plugins around a request, each in the order of the configuration."""

    def __init__(self, plugins: Mapping[str, Any]) -> None:
        self._plugins = plugins
        self.sent = self._methods("sent")
        self.first_token = self._methods("first_token")
        self.completed = self._methods("completed")
        self.endpoint_up = self._methods("endpoint_up")
        self.endpoint_down = self._methods("endpoint_down")
        self.reported = self._methods("reported")
        self.kv_event = self._methods("kv_event")
        self._request_headers = self._methods("request_headers")
        self._response_headers = self._methods("response_headers")
        self._warnings = self._methods("warnings")
        self.has_headers = bool(self._request_headers or self._response_headers)

    def request_headers(self, request: RoutedRequest, sent: Sent) -> dict[str, str]:
        """Headers to add to the request."""
        return _headers(self._request_headers, request, sent)

    def response_headers(self, request: RoutedRequest, sent: Sent) -> dict[str, str]:
        """Headers to add to the response."""
        return _headers(self._response_headers, request, sent)

    def warnings(self, table: ListTable) -> tuple[str, ...]:
        """What plugins have to say about this pool."""
        return tuple(text for _, method in self._warnings for text in method(table))

    def take_over(self, former: HookTable) -> set[str]:
        """What plugins of the same name and type learnt under another configuration stays; the names of these."""
        taken = set()
        for name, plugin in self._plugins.items():
            before, take_over = former._plugins.get(name), getattr(plugin, "take_over", None)
            if type(before) is type(plugin) and take_over is not None:
                take_over(before)
                taken.add(name)
        return taken

    def _methods(self, name: str) -> tuple[tuple[str, Callable[..., Any]], ...]:
        found = ((key, getattr(plugin, name, None)) for key, plugin in self._plugins.items())
        return tuple((key, method) for key, method in found if callable(method))


def tell(methods: Iterable[tuple[str, Callable[..., Any]]], *arguments: Any) -> tuple[str, ...]:
    """Call each; what is broken does not keep the others from hearing, and is said as a warning."""
    problems: tuple[str, ...] = ()
    for name, method in methods:
        try:
            method(*arguments)
        except Exception as problem:
            problems = (*problems, str(_broken(name, method, problem)))
    return problems


def _headers(
    methods: Iterable[tuple[str, Callable[..., Mapping[str, str]]]], request: RoutedRequest, sent: Sent
) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, method in methods:
        try:
            headers.update(method(request, sent))
        except Exception as problem:
            raise _broken(name, method, problem) from problem
    return headers


def _broken(name: str, method: Callable[..., Any], problem: Exception) -> BayplanError:
    if isinstance(problem, BayplanError):
        return problem
    return PluginError(name, f"raised {type(problem).__name__} in {method.__name__}: {problem}")
