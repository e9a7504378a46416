"""Extensions of schemathesis for a server whose watches never end by themselves."""

import schemathesis


@schemathesis.hook
def map_query(context, query):
    """A watch would hold its connection for minutes: it is asked for one second."""
    if query and query.get("watch") not in (None, "", "false", False):
        query["timeoutSeconds"] = 1
    return query
