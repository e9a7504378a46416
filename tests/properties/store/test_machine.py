"""The SQLite store against a plain model: through writes, refusals, watches, pages, restarts and compactions."""

from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import precondition, rule

from bayplan.control.store_errors import ExpiredError
from properties.store.harness import COLLECTIONS, GOLD
from properties.store.writing import SPACES, Writing

SELECTIONS = st.sampled_from([None, GOLD])
KINDS = st.sampled_from(sorted(COLLECTIONS))
WHERE = st.sampled_from(["", *SPACES])


class StoreMachine(Writing):
    """Rules that read, beside those that write."""

    @rule(kind=KINDS, namespace=WHERE, selection=SELECTIONS)
    def leave_a_watch(self, kind, namespace, selection):
        self.resumed.append((kind, namespace, selection, self.model.revision))

    @precondition(lambda self: self.resumed)
    @rule(data=st.data())
    def resume_a_watch(self, data):
        self.resume(*data.draw(st.sampled_from(self.resumed)))

    @rule(kind=KINDS, namespace=WHERE, selection=SELECTIONS, limit=st.integers(1, 2))
    def begin_pages(self, kind, namespace, selection, limit):
        page = self.run(self.store.list(COLLECTIONS[kind], namespace, selection, limit=limit))
        assert page.revision == self.model.revision
        self.pages.append((page, kind, namespace, selection, limit))

    @precondition(lambda self: self.pages)
    @rule(data=st.data())
    def finish_pages(self, data):
        page, kind, namespace, selection, limit = data.draw(st.sampled_from(self.pages))
        items = list(page.items)
        try:
            while page.next:
                page = self.run(self.store.list(COLLECTIONS[kind], namespace, selection, limit=limit, next=page.next))
                items += page.items
        except ExpiredError:
            assert page.revision < self.shelf.counter("compacted")
            return
        self.compare(items, kind, namespace, selection, page.revision)

    @rule(kind=KINDS, namespace=WHERE, selection=SELECTIONS, back=st.integers(0, 9))
    def list_some_time_ago(self, kind, namespace, selection, back):
        self.list_at(kind, namespace, selection, back)


StoreMachine.TestCase.settings = settings(
    max_examples=300,
    stateful_step_count=40,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestStore = StoreMachine.TestCase
